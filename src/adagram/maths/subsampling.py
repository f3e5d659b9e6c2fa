"""How often frequent words are kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats


def keep_probability(counts: NDArray[np.int64], subsample: float) -> Floats:
    """word2vec's rule: a word of relative frequency f is kept with probability sqrt(t/f) + t/f, at most one.

    >>> keep_probability(np.array([900, 99, 1]), 0.01).round(3).tolist()
    [0.117, 0.419, 1.0]
    """
    if subsample == 0.0:
        return np.ones(len(counts))
    ratio = subsample / (counts / counts.sum())
    return np.asarray(np.minimum(1.0, np.sqrt(ratio) + ratio))


def expected_counts(counts: NDArray[np.int64], subsample: float) -> Floats:
    """n_w: the occurrences of each word that training expects to keep in an epoch, (n_words,)."""
    return counts * keep_probability(counts, subsample)
