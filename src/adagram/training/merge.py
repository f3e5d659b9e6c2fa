"""Output rows shared by several workers: each trains on a copy, and what they changed is merged row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.arrays import F32


class Rows(NamedTuple):
    """Some output rows, by rising number."""

    numbers: NDArray[np.int32]
    values: F32  # (len(numbers), width)

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self.values.nbytes


class Merger:
    """Keeps the merged values of its output rows: every `n_mergers`-th one, so that each has as many frequent ones."""

    def __init__(self, rows: F32, number: int, n_mergers: int) -> None:
        self.number, self._n_mergers = number, n_mergers
        self.rows = np.array(rows[number::n_mergers])
        self._places = np.zeros(len(self.rows), np.int64)  # scratch: place of a row among those being merged

    def merge(self, given: Sequence[Rows]) -> Rows:
        """Take the rows as the workers have them; returns all rows that anybody changed, with their new values.

        A row moves by w Σ_i Δ_i, where Δ_i is what worker i changed and w = Σ|Δ_i|² / |Σ Δ_i|², at most 1. Changes in
        different directions (w = 1) were made for the words of different workers and are added. Changes in the same
        direction (w = 1/n) were made by each worker for all, and are averaged.
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
        apply_changes(self.rows, union, changes, squares)
        return Rows((union * self._n_mergers + self.number).astype(np.int32), changes)
