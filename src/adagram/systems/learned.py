"""From the live senses of a finished run to the learned senses of a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.types import F32, I64, Arrays, Floats


def model_of_senses(
    vectors: F32,
    offsets: I64,
    counts: Floats,
    priors: Floats,
    keep: NDArray[np.bool_],
    rows: I64 | None = None,  # of each sense in `vectors`, where not all are there in order
) -> Arrays:
    """Keep the learned senses, at least the likeliest of every word, and let their priors sum to one per word."""
    n_words = len(offsets) - 1
    words = np.repeat(np.arange(n_words), np.diff(offsets))
    keep = with_likeliest(offsets, priors, keep)
    sizes = np.bincount(words[keep], minlength=n_words)
    mass = np.bincount(words[keep], priors[keep], minlength=n_words)
    kept = vectors[np.flatnonzero(keep) if rows is None else rows[keep]]
    return {
        "vectors": kept,
        "norms": np.sqrt(np.einsum("ij,ij->i", kept, kept, dtype=np.float64)).astype(np.float32),
        "offsets": np.append(0, sizes.cumsum()).astype(np.int64),
        "counts": counts[keep].astype(np.float64),
        "priors": priors[keep] / mass[words[keep]],
    }


def with_likeliest(offsets: I64, priors: Floats, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The senses to keep and, for every word, its likeliest one."""
    n_words = len(offsets) - 1
    words = np.repeat(np.arange(n_words), np.diff(offsets))
    best = np.maximum.reduceat(priors, offsets[:-1])
    first_best = np.full(n_words, len(priors))
    is_best = np.flatnonzero(priors == best[words])
    np.minimum.at(first_best, words[is_best], is_best)
    keep = keep.copy()
    keep[first_best] = True
    return keep


def model_of_single_senses(vectors: F32, totals: Floats) -> Arrays:
    """One sense per word, with prior one."""
    n = len(totals)
    return model_of_senses(vectors, np.arange(n + 1), totals, np.ones(n), np.ones(n, dtype=bool))
