"""Stick-breaking: expectations under q(β), Eq. (5) to (7).

scipy.special is imported where it is used: opening a model needs none of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats


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
    log_stick, log_rest = _expected_logs(a, b)
    later = np.insert(log_rest.cumsum(axis=-1), 0, 0.0, axis=-1)  # (…, T)
    return np.asarray(np.insert(log_stick, log_stick.shape[-1], 0.0, axis=-1) + later)


def _expected_logs(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """E[log β] = ψ(a) - ψ(a + b) and E[log(1 - β)] = ψ(b) - ψ(a + b) for β ~ Beta(a, b)."""
    from scipy.special import digamma

    return digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)


def expected_pi(counts: Floats, alpha: float) -> Floats:
    """Eq. (7): E[π_k] = E[β_k] Π_{r<k} E[1 - β_r], the predictive prior of each sense."""
    a, b = beta_parameters(counts, alpha)  # (…, T-1)
    stick: Floats = a / (a + b)
    rest: Floats = np.cumprod(1.0 - stick, axis=-1, dtype=np.float64)
    return np.asarray(np.insert(stick, stick.shape[-1], 1.0, axis=-1) * np.insert(rest, 0, 1.0, axis=-1))


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
    from scipy.special import betaln

    a, b = beta_parameters(counts, alpha)
    log_stick, log_rest = _expected_logs(a, b)
    prior = (alpha - 1.0) * log_rest - betaln(1.0, alpha)
    q = (a - 1.0) * log_stick + (b - 1.0) * log_rest - betaln(a, b)
    return float((prior - q).sum())


def is_learned(prior: Floats, counts: Floats, threshold: float = 1e-3) -> NDArray[np.bool_]:
    """Section 3.2: a sense is learned when its prior passes the threshold.

    We also require n_k >= 1: by the prior alone every word rarer than alpha/threshold would count as ambiguous.
    """
    return (prior > threshold) & (counts >= 1.0)
