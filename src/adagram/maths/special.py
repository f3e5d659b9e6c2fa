"""Special functions that NumPy lacks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from adagram.types import Floats

_log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])


def digamma(x: ArrayLike) -> Floats:
    """ψ(x) for x > 0: raise x above 6 by ψ(x) = ψ(x+1) - 1/x, then the asymptotic series (error below 1e-11)."""
    x = np.array(x, dtype=np.float64)
    shift = np.zeros_like(x)
    for _ in range(6):
        small = x < 6.0
        shift[small] -= 1.0 / x[small]
        x[small] += 1.0
    r = 1.0 / (x * x)
    tail = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (5 / 660 - r * 691 / 32760)))))
    return np.asarray(shift + np.log(x) - 0.5 / x - tail)


def log_beta(a: Floats, b: Floats) -> Floats:
    """log B(a, b), the normaliser of the Beta distribution."""
    return np.asarray(_log_gamma(a) + _log_gamma(b) - _log_gamma(a + b))


def log_sigmoid(x: Floats) -> Floats:
    """log σ(x) = -log(1 + exp(-x)), without overflow."""
    return np.asarray(-np.logaddexp(0.0, -x))


def softmax(log_weights: Floats) -> Floats:
    """exp(x) / Σ exp(x), with one log-sum-exp."""
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())
