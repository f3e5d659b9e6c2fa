"""The schedule of the learning rate, and subsampling of frequent words."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import NDArray

from adagram.types import I64, Floats


@overload
def learning_rate(lr: float, done: float, total: int) -> float: ...
@overload
def learning_rate(lr: float, done: I64, total: int) -> Floats: ...
def learning_rate(lr: float, done: float | I64, total: int) -> float | Floats:
    """Algorithm 1: ρ = λ = lr (1 - i/N), after i of the N tokens of a run (all epochs).

    >>> [learning_rate(0.5, done, 100) for done in (0, 50, 100)]
    [0.5, 0.25, 0.0]
    """
    return lr * (1.0 - done / total)


def keep_probability(counts: NDArray[np.int64], subsample: float) -> Floats:
    """word2vec's rule: a word of relative frequency f is kept with probability sqrt(t/f) + t/f, at most one.

    >>> keep_probability(np.array([900, 99, 1]), 0.01).round(3).tolist()
    [0.117, 0.419, 1.0]
    """
    if subsample == 0.0:
        return np.ones(len(counts))
    ratio = subsample / (counts / counts.sum())
    return np.asarray(np.minimum(1.0, np.sqrt(ratio) + ratio))


def thinned(ids: NDArray[np.int32], counts: NDArray[np.int64], subsample: float) -> NDArray[np.int32]:
    """Return a text without the words that subsampling drops; the same ones each time.

    >>> thinned(np.zeros(1000, np.int32), np.array([900, 100]), 0.01).shape
    (98,)
    """
    keep = keep_probability(counts, subsample)
    return ids[np.random.default_rng(0).random(len(ids)) < keep[ids]]


def expected_counts(counts: NDArray[np.int64], subsample: float) -> Floats:
    """Return n_w: the expected occurrences of each word after subsampling, (n_words,)."""
    return counts * keep_probability(counts, subsample)
