"""Sense rows handed out as senses are born: memory follows live senses, never words times max_senses."""

from __future__ import annotations

import threading

import numpy as np

from adagram.kernels.arrays import BROOD, Senses, aligned, padded
from adagram.systems.past import Sticks
from adagram.types import I32, I64, ArrayMap, Arrays, Floats

SPARE = 256  # rows a thread takes at a time, so that a birth needs no lock


class SenseRows:
    """The growing arrays of `Senses`; row w is the first sense of word w."""

    def __init__(self, dim: int, totals: Floats, most_births: int = 1) -> None:
        self.totals = totals
        self._spare = max(SPARE, most_births)  # as many as one token can ask for
        self._lock = threading.Lock()
        n = len(totals)
        self.used = n
        self.arrays = _allocate(n + max(4 * self._spare, n // 8), padded(dim), totals)

    @property
    def capacity(self) -> int:
        return len(self.arrays.counts)

    def take_spares(self, spare: I64) -> bool:
        """Give a thread its next range of free rows, with what is left of its last if that is next to it.

        A thread that has enough for a block but not for one token gets what a token can ask for. False when `grow`
        must come first.
        """
        size = self._spare if spare[1] - spare[0] >= BROOD else SPARE
        with self._lock:
            if self.used + size > self.capacity:
                return False
            if spare[1] != self.used:
                spare[0] = self.used
            self.used += size
            spare[1] = self.used
        return True

    def grow(self) -> None:
        """A quarter more rows."""
        self._resize(self.capacity + max(8 * self._spare, self.capacity // 4))

    def _resize(self, capacity: int) -> None:
        old = self.arrays
        self.arrays = _allocate(capacity, old.vectors.shape[1], self.totals)
        n = self.used
        self.arrays.vectors[:n], self.arrays.counts[:n] = old.vectors[:n], old.counts[:n]
        self.arrays.next_row[:n], self.arrays.pending[:] = old.next_row[:n], old.pending
        self.arrays.settled[:] = old.settled

    def state(self) -> Arrays:
        n, arrays = self.used, self.arrays
        return {
            "vectors": arrays.vectors[:n],
            "counts": arrays.counts[:n],
            "next_row": arrays.next_row[:n],
            "pending": arrays.pending,
        }

    def restore(self, state: ArrayMap) -> None:
        n = len(state["counts"])
        if n + 4 * SPARE > self.capacity:
            self._resize(n + 4 * SPARE)
        self.used = n
        self.arrays.vectors[:n], self.arrays.counts[:n] = state["vectors"], state["counts"]
        self.arrays.next_row[:n], self.arrays.pending[:] = state["next_row"], state["pending"]

    def take_sticks(self, known: Sticks, learned: I64) -> None:
        """Vectors, counts and links of words that have senses already, the first of them learned, before training."""
        n, is_first = len(self.totals), known.numbers == 0
        rows = np.where(is_first, known.words, n + np.cumsum(~is_first) - 1)
        used = n + int((~is_first).sum())
        if used + 4 * self._spare > self.capacity:
            self._resize(used + 4 * self._spare)
        self.used = used
        self.arrays.vectors[rows], self.arrays.counts[rows] = known.vectors, known.counts
        self.arrays.pending[: len(known.pending)] = known.pending
        self.arrays.settled[:] = learned
        self.arrays.next_row[rows[:-1][~is_first[1:]]] = rows[1:][~is_first[1:]]

    def unlink(self, first: int, gone: I64) -> None:
        """Take rows, which `first` is not, out of its chain."""
        following, left = self.arrays.next_row, set(gone.tolist())
        row = first
        while row >= 0:
            after = int(following[row])
            while after in left:
                after = int(following[after])
            following[row] = after
            row = after

    def chains(self) -> tuple[I64, I64]:
        """Rows of all live senses, word by word in stick order; word w has rows[offsets[w]:offsets[w+1]]."""
        return chains(self.arrays.next_row, len(self.totals))


def chains(next_row: I32, n_words: int) -> tuple[I64, I64]:
    """Follow all links at once, one stick per step."""
    words, rows = [np.arange(n_words)], [np.arange(n_words)]
    while len(rows[-1]):
        following = next_row[rows[-1]]
        linked = following >= 0
        words.append(words[-1][linked])
        rows.append(following[linked].astype(np.int64))
    all_words, all_rows = np.concatenate(words), np.concatenate(rows)
    order = np.argsort(all_words, kind="stable")
    offsets = np.append(0, np.bincount(all_words, minlength=n_words).cumsum())
    return all_rows[order], offsets.astype(np.int64)


def _allocate(capacity: int, width: int, totals: Floats) -> Senses:
    return Senses(
        vectors=aligned((capacity, width)),
        counts=np.zeros(capacity, np.float64),
        next_row=np.full(capacity, -1, np.int32),
        pending=np.zeros(len(totals), np.float64),
        totals=totals,
        settled=np.zeros(len(totals), np.int32),
    )
