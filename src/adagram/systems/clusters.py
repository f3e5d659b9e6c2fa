"""Sense rows with a context cluster each, for the systems of Neelakantan et al."""

from __future__ import annotations

import numpy as np

from adagram.arrays import F32, I64, ArrayMap, Arrays, Floats
from adagram.kernels.arrays import padded
from adagram.maths.stick_breaking import is_learned
from adagram.systems.learned import model_of_senses, with_likeliest
from adagram.systems.senses import SPARE, SenseRows


class ClusterRows(SenseRows):
    """`arrays.counts` are the contexts that fell into each cluster, and `centres` their means."""

    def __init__(self, dim: int, totals: Floats) -> None:
        super().__init__(dim, totals)
        self.centres: F32 = np.zeros((self.capacity, padded(dim)), np.float32)

    def reserve(self, n: int) -> I64:
        """The next n rows, before training."""
        if self.used + n + 4 * SPARE > self.capacity:
            self._resize(self.used + n + 4 * SPARE)
        self.used += n
        return np.arange(self.used - n, self.used)

    def _resize(self, capacity: int) -> None:
        super()._resize(capacity)
        old = self.centres
        self.centres = np.zeros((capacity, old.shape[1]), np.float32)
        n = min(self.used, len(old))
        self.centres[:n] = old[:n]

    def state(self) -> Arrays:
        return super().state() | {"centres": self.centres[: self.used]}

    def restore(self, state: ArrayMap) -> None:
        super().restore(state)
        self.centres[: self.used] = state["centres"]

    def model_arrays(self) -> Arrays:
        """The learned senses; the prior of a sense is its share of the word's contexts."""
        rows, offsets = self.chains()
        found = self.arrays.counts[rows]
        words = np.repeat(np.arange(len(self.totals)), np.diff(offsets))
        seen = np.bincount(words, found, minlength=len(self.totals))[words]
        is_first = np.zeros(len(rows), dtype=bool)
        is_first[offsets[:-1]] = True
        # Words with a single sense, or not met yet, have counted no contexts: all is with the first sense.
        priors = np.where(seen > 0, found / np.maximum(seen, 1.0), is_first)
        counts = priors * self.totals[words]
        keep = with_likeliest(offsets, priors, is_learned(priors, counts))
        model = model_of_senses(self.arrays.vectors[rows], offsets, counts, priors, keep)
        return model | {"centres": self.centres[rows][keep]}
