"""The variational bound of section 3.1 and the predictions of section 3.2, for one word and its contexts."""

from __future__ import annotations

import numpy as np

from adagram.paper.stick_breaking import expected_log_pi, expected_log_prior_minus_q, expected_pi, softmax
from adagram.types import Floats


def sense_posterior(counts: Floats, alpha: float, log_p: Floats) -> Floats:
    """Eq. (5): q(z=k) ∝ exp(E[log π_k] + Σ_j log p(y_j | w, k)), with log_p (T, C)."""
    return softmax(expected_log_pi(counts, alpha) + log_p.sum(axis=1))


def predictive_posterior(
    counts: Floats, alpha: float, log_p: Floats, weights: Floats | float = 1.0
) -> Floats:
    """Eq. (8): p(z=k | w, y) ∝ E[π_k] Π_j p(y_j | w, k)^w_j; every weight w_j is one in the paper."""
    return softmax(np.log(expected_pi(counts, alpha)) + (log_p * weights).sum(axis=1))


def log_predictive(counts: Floats, alpha: float, log_p: Floats) -> tuple[Floats, float]:
    """Eq. (9): log Σ_k E[π_k] p(y_j | w, k) for each context word alone, (C,), and for the context jointly."""
    log_pi = np.log(expected_pi(counts, alpha))
    alone = np.logaddexp.reduce(log_pi[:, None] + log_p, axis=0)
    jointly = np.logaddexp.reduce(log_pi + log_p.sum(axis=1))
    return alone, float(jointly)


def local_bound(counts: Floats, alpha: float, log_p: Floats, posterior: Floats) -> float:
    """The part of the bound of one token: E_q[log p(z | β) - log q(z) + Σ_j log p(y_j | z)]."""
    entropy = -float((posterior * np.log(np.maximum(posterior, 1e-300))).sum())
    return float(posterior @ (expected_log_pi(counts, alpha) + log_p.sum(axis=1))) + entropy


def global_bound(counts: Floats, alpha: float) -> float:
    """The part of the bound of one word's sticks: Σ_k E_q[log p(β_k | alpha) - log q(β_k)]."""
    return expected_log_prior_minus_q(counts, alpha)
