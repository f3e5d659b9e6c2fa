"""Tail probabilities of the normal and of Student's distribution, and many tests at once."""

from __future__ import annotations

import math

import numpy as np

from adagram.maths.special import log_beta
from adagram.types import Floats

_TINY = 1e-300
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def normal_two_sided(z: Floats) -> Floats:
    """P(|Z| >= |z|) = erfc(|z| / √2)."""
    return np.asarray(_erfc(np.abs(z) / math.sqrt(2.0))) if z.size else np.empty(z.shape)


def student_two_sided(t: Floats, freedom: Floats) -> Floats:
    """P(|T| >= |t|) = I_x(ν/2, 1/2) with x = ν / (ν + t²)."""
    with np.errstate(over="ignore"):
        x = freedom / (freedom + t * t)
    return incomplete_beta(x, freedom / 2.0, np.full(np.shape(freedom), 0.5))


def incomplete_beta(x: Floats, a: Floats, b: Floats) -> Floats:
    """I_x(a, b) by its continued fraction, on the side of the mean where it converges quickly."""
    x, a, b = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (x, a, b)))
    if x.size == 0:
        return np.empty(x.shape)
    turned = x > (a + 1.0) / (a + b + 2.0)
    near_x, near_a, near_b = np.where(turned, 1.0 - x, x), np.where(turned, b, a), np.where(turned, a, b)
    with np.errstate(divide="ignore"):
        log_front = near_a * np.log(near_x) + near_b * np.log1p(-near_x) - log_beta(near_a, near_b)
    value = np.exp(log_front) * _continued_fraction(near_x, near_a, near_b) / near_a
    return np.asarray(np.where(turned, 1.0 - value, value))


def _continued_fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """1 / (1 + d_1 / (1 + d_2 / (1 + …))) by Lentz's method."""
    c = np.ones_like(x)
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d.copy()
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + step * d)
            c = _away_from_zero(1.0 + step / c)
            value *= c * d
        if np.all(np.abs(c * d - 1.0) < 1e-14):
            break
    return value


def _away_from_zero(x: Floats) -> Floats:
    return np.asarray(np.where(np.abs(x) < _TINY, _TINY, x))


def benjamini_hochberg(p: Floats) -> Floats:
    """q_(i) = min over j >= i of p_(j) n / j, for the p-values in rising order; NaN (no test) stays NaN."""
    q = np.full(len(p), np.nan)
    tested = np.flatnonzero(np.isfinite(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    n = len(order)
    scaled = p[order] * n / np.arange(1, n + 1)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
