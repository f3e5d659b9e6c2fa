"""Output rows shared by several workers: each trains on a copy, and what they changed is merged row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.arrays import F32
from adagram.systems.base import CURVATURE, fold_weights


class Rows(NamedTuple):
    """Some output rows, by rising number."""

    numbers: NDArray[np.int32]
    values: F32  # (len(numbers), width)

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self.values.nbytes


class Trained(NamedTuple):
    """What a worker has trained since its rows were last merged."""

    hot: int  # tokens since the last merge of the hot rows
    cold: int  # tokens since the last merge of the others
    rate: float


class Merger:
    """Keeps the merged values of its output rows: every `n_mergers`-th one, so that each has some of the hot ones."""

    def __init__(
        self, rows: F32, number: int, n_mergers: int, visits: NDArray[np.float64], n_hot: int
    ) -> None:
        self.number, self._n_mergers, self._n_hot = number, n_mergers, n_hot
        self.rows = np.array(rows[number::n_mergers])
        self._visits = visits[number::n_mergers]
        self._places = np.zeros(len(self.rows), np.int64)  # scratch: place of a row among those being merged

    def merge(self, given: Sequence[Rows], trained: Sequence[Trained]) -> Rows:
        """Take the rows as the workers have them; returns all rows that anybody changed, with their new values.

        What the workers changed is added where each moved the row a little, and averaged where each moved it all the
        way: see `fold_weights`.
        """
        from adagram.kernels.merge import add_changes, apply_changes

        found = [rows.numbers // self._n_mergers for rows in given]
        changed = np.zeros(len(self.rows), dtype=bool)
        for at in found:
            changed[at] = True
        union = np.flatnonzero(changed)
        self._places[union] = np.arange(len(union))
        changes = np.zeros((len(union), self.rows.shape[1]), np.float32)
        squares = np.zeros(len(union), np.float32)
        for at, rows in zip(found, given, strict=True):
            add_changes(self.rows, at, rows.values, self._places, changes, squares)
        numbers = union * self._n_mergers + self.number
        apply_changes(self.rows, union, self._weights(numbers, union, trained), changes, squares)
        return Rows(numbers.astype(np.int32), changes)

    def _weights(
        self, numbers: NDArray[np.int64], at: NDArray[np.int64], trained: Sequence[Trained]
    ) -> NDArray[np.float32]:
        n = len(trained)
        hot, cold = (sum(t.hot for t in trained) / n, sum(t.cold for t in trained) / n)
        rate = sum(t.rate for t in trained) / n
        tokens = np.where(numbers < self._n_hot, hot, cold)
        return fold_weights(CURVATURE * rate * tokens * self._visits[at], n)
