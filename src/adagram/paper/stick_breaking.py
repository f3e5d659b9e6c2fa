"""Stick-breaking: expectations under q(β), Eq. (5) to (7), and the special functions that they need."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def beta_parameters(counts: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Eq. (6): a_k = 1 + n_k, b_k = alpha + Σ_{r>k} n_r, for the T-1 sticks that are broken."""
    from_here = counts[..., ::-1].cumsum(axis=-1)[..., ::-1]  # (…, T) Σ_{r>=k} n_r
    return 1.0 + counts[..., :-1], alpha + from_here[..., 1:]


def expected_log_pi(counts: Floats, alpha: float) -> Floats:
    """Eq. (5), first term: E[log π_k] = E[log β_k] + Σ_{r<k} E[log(1 - β_r)] under q(β)."""
    a, b = beta_parameters(counts, alpha)  # (…, T-1)
    log_stick = digamma(a) - digamma(a + b)
    log_rest = digamma(b) - digamma(a + b)
    return _last(log_stick, 0.0) + _first(0.0, log_rest.cumsum(axis=-1))


def expected_pi(counts: Floats, alpha: float) -> Floats:
    """Eq. (7): E[π_k] = E[β_k] Π_{r<k} E[1 - β_r], the predictive prior of each sense."""
    a, b = beta_parameters(counts, alpha)  # (…, T-1)
    stick: Floats = a / (a + b)
    rest: Floats = np.cumprod(1.0 - stick, axis=-1, dtype=np.float64)
    return np.asarray(_last(stick, 1.0) * _first(1.0, rest))


def prior_of_unlearned(
    counts: Floats, offsets: NDArray[np.int64], totals: Floats, alpha: float, truncation: int
) -> Floats:
    """Eq. (7) for all sticks after the learned ones together, (n_words,): Π_k E[1 - β_k] over a word's learned senses.

    Word w has the counts[offsets[w]:offsets[w+1]], and totals[w] - Σ counts fell to sticks that were not learned.
    Those are assumed to come last; a word with `truncation` senses has none.
    """
    sizes = np.diff(offsets)
    first = offsets[:-1]
    upto = counts.cumsum()
    learned = np.add.reduceat(counts, first)
    before = upto[first] - counts[first]
    after = np.repeat(np.maximum(totals, learned) + before, sizes) - upto  # Σ_{r>k} n_r
    a, b = 1.0 + counts, alpha + np.maximum(after, 0.0)
    rest = np.exp(np.add.reduceat(np.log(b / (a + b)), first))
    return np.where(sizes < truncation, rest, 0.0)


def updated_counts(counts: Floats, posterior: Floats, n_word: float, rate: float) -> Floats:
    """Algorithm 1, global step: n_wk ← (1-λ) n_wk + λ n_w γ_k, a natural-gradient step on q(β)."""
    return (1.0 - rate) * counts + rate * n_word * posterior


def expected_log_prior_minus_q(counts: Floats, alpha: float) -> float:
    """Bound, first sum: Σ_k E_q[log p(β_k | alpha) - log q(β_k)] for p = Beta(1, alpha); never positive."""
    a, b = beta_parameters(counts, alpha)
    log_stick = digamma(a) - digamma(a + b)
    log_rest = digamma(b) - digamma(a + b)
    ones = np.ones_like(a)
    prior = (alpha - 1.0) * log_rest - log_beta(ones, alpha * ones)
    q = (a - 1.0) * log_stick + (b - 1.0) * log_rest - log_beta(a, b)
    return float((prior - q).sum())


def is_learned(prior: Floats, counts: Floats, threshold: float = 1e-3) -> NDArray[np.bool_]:
    """Section 3.2: a sense is learned when its prior passes the threshold.

    We also require n_k >= 1: by the prior alone every word rarer than alpha/threshold would count as ambiguous.
    """
    return (prior > threshold) & (counts >= 1.0)


def _last(values: Floats, value: float) -> Floats:
    return np.concatenate([values, np.full((*values.shape[:-1], 1), value)], axis=-1)


def _first(value: float, values: Floats) -> Floats:
    return np.concatenate([np.full((*values.shape[:-1], 1), value), values], axis=-1)
