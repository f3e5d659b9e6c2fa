"""Merging two senses of a word: what the union is, and what the word's bound loses by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats


def log_evidence(log_p: Floats, priors: Floats) -> Floats:
    """Σ_k E[π_k] p(context | k) in logs, (n_contexts,): each term of the word's bound at its best q(z)."""
    weighted = log_p + np.log(priors)
    top = weighted.max(axis=1)
    return np.asarray(top + np.log(np.exp(weighted - top[:, None]).sum(axis=1)))


def shares(log_p: Floats, priors: Floats) -> Floats:
    """Eq. (8) averaged over contexts: the share of the word's contexts that falls to each sense, (n_senses,)."""
    weighted = log_p + np.log(priors)
    return np.asarray(np.exp(weighted - log_evidence(log_p, priors)[:, None]).mean(axis=0))


def merged_vector(vectors: NDArray[np.float32], counts: Floats) -> NDArray[np.float32]:
    """The mean of sense vectors, weighted by their counts n_k."""
    return np.asarray(counts @ vectors / counts.sum(), dtype=np.float32)


def merge_loss(log_p: Floats, priors: Floats, pair: tuple[int, int], log_p_of_union: Floats) -> float:
    """Nats that the bound loses for each context of the smaller of two senses when their union replaces them.

    Dividing by the smaller sense's share makes the loss independent of how much text there was: the plain bound grows
    with every occurrence, and on enough text the smallest difference would pay for a sense of its own.
    """
    first, second = pair
    joined = log_p.copy()
    joined[:, first] = log_p_of_union
    kept = np.delete(np.arange(len(priors)), second)
    union_priors = priors.copy()
    union_priors[first] += priors[second]
    before = log_evidence(log_p, priors)
    after = log_evidence(joined[:, kept], union_priors[kept])
    smaller = max(float(shares(log_p, priors)[[first, second]].min()), 1.0 / len(log_p))
    return float((before - after).mean()) / smaller
