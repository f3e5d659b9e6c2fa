"""Sense rows with a context cluster each, for the systems of Neelakantan et al."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.kernels.arrays import padded
from adagram.maths.stick_breaking import is_learned
from adagram.systems.learned import model_of_senses, with_likeliest
from adagram.systems.senses import SPARE, SenseRows
from adagram.types import F32, I64, ArrayMap, Arrays, Floats


class Clusters(NamedTuple):
    """What a sense has beside its vector, row by row."""

    centres: F32  # (capacity, padded dim) means of a random start and of the contexts of the cluster
    squares: F32  # (capacity, padded dim) of AdaGrad: sums of squared gradients of the vectors; no columns without it


class ClusterRows(SenseRows):
    """`arrays.counts` are the contexts that fell into each cluster."""

    def __init__(self, dim: int, totals: Floats, has_squares: bool) -> None:
        super().__init__(dim, totals)
        widths = padded(dim), padded(dim) if has_squares else 0
        self.clusters = Clusters(*(np.zeros((self.capacity, width), np.float32) for width in widths))

    def reserve(self, n: int) -> I64:
        """The next n rows, before training."""
        if self.used + n + 4 * SPARE > self.capacity:
            self._resize(self.used + n + 4 * SPARE)
        self.used += n
        return np.arange(self.used - n, self.used)

    def _resize(self, capacity: int) -> None:
        super()._resize(capacity)
        old = self.clusters
        self.clusters = Clusters(*(np.zeros((capacity, each.shape[1]), np.float32) for each in old))
        n = min(self.used, len(old.centres))
        for new, each in zip(self.clusters, old, strict=True):
            new[:n] = each[:n]

    def state(self) -> Arrays:
        return super().state() | {name: each[: self.used] for name, each in self.clusters._asdict().items()}

    def restore(self, state: ArrayMap) -> None:
        super().restore(state)
        for name, each in self.clusters._asdict().items():
            each[: self.used] = state[name]

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
        model = model_of_senses(self.arrays.vectors, offsets, counts, priors, keep, rows)
        return model | {"centres": self.clusters.centres[rows[keep]]}
