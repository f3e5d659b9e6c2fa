"""Scalar functions of the kernels, which LLVM can vectorize (unlike libm calls)."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.jit import part
from adagram.kernels.simd import float_of

LOG_2 = math.log(2.0)
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
_LOG2_E, _LN2 = np.float32(1.44269504), np.float32(0.693147181)
_LIMIT = np.float32(80.0)  # exp(-80) is far below the last bit of 1 + exp(-80)
# Chebyshev fits: exp(r) for |r| <= log(2)/2, and log(1+e)/e for 0 <= e <= 1.
_E0, _E1, _E2, _E3, _E4, _E5 = (
    np.float32(c) for c in (1.00000008, 1.00000004, 0.499988691, 0.166664155, 0.0419175297, 0.00837512889)
)
_L0, _L1, _L2, _L3 = (np.float32(c) for c in (0.99999981, -0.499974494, 0.332761766, -0.244996117))
_L4, _L5, _L6, _L7 = (np.float32(c) for c in (0.17757024, -0.107853679, 0.0442141923, -0.0085746762))


@part
def exp_of_minus(x):
    """exp(-x) for x >= 0 in float32, relative error below 1e-6: 2^n times a polynomial on one binade."""
    x = min(x, _LIMIT)
    n = np.int32(-x * _LOG2_E - _HALF)  # the cast cuts towards zero, so this rounds to nearest
    r = -x - np.float32(n) * _LN2
    p = ((((_E5 * r + _E4) * r + _E3) * r + _E2) * r + _E1) * r + _E0
    return p * float_of(np.int32((n + np.int32(127)) << np.int32(23)))


@part
def log_one_plus(e):
    """log(1 + e) for 0 <= e <= 1 in float32, absolute error below 3e-7."""
    p = (((_L7 * e + _L6) * e + _L5) * e + _L4) * e + _L3
    return (((p * e + _L2) * e + _L1) * e + _L0) * e


@part
def score_nodes(dots, m, visits, lefts, scales, b, slopes, k, size):
    """Eq. (3) in logs: Σ_n lefts·log σ(x_n) + rights·log σ(-x_n), and its slopes with respect to each product.

    x_n is the product times the scale of the row. Rows m of dots, b of visits and lefts, k of slopes.
    """
    log_p = _ZERO
    for a in range(size):
        x = scales[a] * dots[m, a]
        e = exp_of_minus(abs(x))
        inverse = _ONE / (_ONE + e)
        sigma = inverse if x >= _ZERO else e * inverse
        left, visit = lefts[b, a], visits[b, a]
        log_p += left * min(x, _ZERO) - (visit - left) * max(x, _ZERO) - visit * log_one_plus(e)
        slopes[k, a] = scales[a] * (left - visit * sigma)
    return np.float64(log_p)


@part
def normalise(values, begin, end):
    """Turn log weights x into probabilities ∝ exp(x), in place; return the log of their sum."""
    top = -np.inf
    for i in range(begin, end):
        top = max(top, values[i])
    total = 0.0
    for i in range(begin, end):
        values[i] = math.exp(values[i] - top)
        total += values[i]
    for i in range(begin, end):
        values[i] /= total
    return top + math.log(total)


@part
def digamma(x):
    """ψ(x) for x > 0 in float64, error below 1e-8; NaN for all else."""
    if not x > 0.0:
        return math.nan
    shift = 0.0
    while x < 6.0:
        shift -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    return shift + math.log(x) - 0.5 / x - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r / 240)))


@part
def random_bits(key, counter):
    """Return a random 64-bit number for this key and counter (SplitMix64, which has no state)."""
    z = np.uint64(key) + np.uint64(counter) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@part
def uniform(key, counter):
    """Return a random number in [0, 1) for this key and counter."""
    return np.float64(random_bits(key, counter) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
