"""AdaGram, and sense rows that are allocated as senses are created: memory follows live senses."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.arrays import MAX_BIRTHS, Senses, Span, Work, aligned, padded
from adagram.paper.stick_breaking import expected_pi, is_learned
from adagram.systems.base import SENSES, System, TreeSystem, model_of_senses, random_vectors, with_likeliest
from adagram.types import I32, I64, Arrays, Floats

SPARE = 256  # rows that a thread reserves at a time, so that a new sense needs no lock


class SenseRows:
    """The growing arrays of `Senses`; row w is the first sense of word w."""

    def __init__(self, dim: int, totals: Floats, max_births: int = 1) -> None:
        self.width, self.totals, self.used = padded(dim), totals, len(totals)
        self._spare = max(SPARE, max_births)  # as many as one token can need
        self._lock = threading.Lock()
        self._allocate(self.used + max(4 * self._spare, self.used // 8))

    def _allocate(self, capacity: int) -> None:
        self.arrays = Senses(
            vectors=aligned((capacity, self.width)),
            counts=np.zeros(capacity, np.float64),
            next_row=np.full(capacity, -1, np.int32),
            pending=np.zeros(len(self.totals), np.float64),
            totals=self.totals,
        )

    @property
    def capacity(self) -> int:
        return len(self.arrays.counts)

    def take_spares(self, spare: I64) -> bool:
        """Reserve the next free rows for a thread, joined with the rest of its last range if that is adjacent.

        A thread that has enough for a block but not for one token gets what a token can need. Return False if `grow`
        must be called first.
        """
        size = self._spare if spare[1] - spare[0] >= MAX_BIRTHS else SPARE
        with self._lock:
            if self.used + size > self.capacity:
                return False
            if spare[1] != self.used:
                spare[0] = self.used
            self.used += size
            spare[1] = self.used
        return True

    def grow(self) -> None:
        """Allocate a quarter more rows."""
        self._resize(self.capacity + max(8 * self._spare, self.capacity // 4))

    def _resize(self, capacity: int) -> None:
        before = self.state()
        self._allocate(capacity)
        for name, array in self.state().items():
            array[:] = before[name]

    def state(self) -> Arrays:
        """Return the rows in use of all arrays but the totals, which do not change."""
        arrays = self.arrays._asdict().items()
        return {name: array[: self.used] for name, array in arrays if name != "totals"}

    def make(self, n: int) -> None:
        """Have n rows in use."""
        if n + 4 * self._spare > self.capacity:
            self._resize(n + 4 * self._spare)
        self.used = n

    def link(self, words: I64) -> I64:
        """Return a row for each of these senses, word by word; those after the first of a word are new and linked."""
        is_later = np.diff(words, prepend=-1) == 0
        rows = np.where(is_later, self.used + is_later.cumsum() - 1, words)
        self.make(self.used + int(is_later.sum()))
        self.chain(rows, words)
        return rows

    def chain(self, rows: I64, words: I64) -> None:
        """Link the rows of the senses of these words, word by word."""
        self.arrays.next_row[rows] = np.append(np.where(words[1:] == words[:-1], rows[1:], -1), -1)

    def chains(self) -> tuple[I64, I64]:
        """Return the rows of all live senses in stick order; word w has rows[offsets[w]:offsets[w+1]]."""
        rows, sizes = linked_rows(self.arrays.next_row, np.arange(len(self.totals)))
        return rows, np.append(0, sizes.cumsum())


def linked_rows(next_row: I32, firsts: I64, end: int | None = None) -> tuple[I64, I64]:
    """Return the rows of the lists that start at `firsts`, list by list, and their sizes; none from `end` on."""
    places, rows = [np.arange(len(firsts))], [firsts]
    while len(rows[-1]):  # all links at once, one stick per step
        following = next_row[rows[-1]].astype(np.int64)
        is_linked = (following >= 0) & (following < (end or len(next_row)))
        places.append(places[-1][is_linked])
        rows.append(following[is_linked])
    all_places = np.concatenate(places)
    order = np.argsort(all_places, kind="stable")
    return np.concatenate(rows)[order], np.bincount(all_places, minlength=len(firsts))


class Live(NamedTuple):
    """The live senses, word by word in stick order."""

    rows: I64
    offsets: I64  # (n_words + 1,)
    counts: Floats
    priors: Floats
    is_learned: NDArray[np.bool_]


class GrowingSystem(System):
    """A system that creates senses while it trains."""

    senses: SenseRows

    def make_rows(self, n: int) -> None:
        self.senses.make(n)

    def make_room(self, scratch: Work) -> bool:
        return self.senses.take_spares(scratch.spare)

    def grow(self) -> None:
        self.senses.grow()


class AdaGram(GrowingSystem, TreeSystem):
    name = "adagram"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.senses = SenseRows(self.config.dim, self.totals, max_births=self.config.max_senses)
        self.agreement: Floats | None = None  # of near occurrences of each word, once `merge_alike` has run

    def start(self) -> None:
        n = self.n_words
        random_vectors(n, self.config, SENSES, self.senses.arrays.vectors[:n])
        self.senses.arrays.counts[:n] = self.config.initial_count or self.totals
        self.start_output()

    def state(self) -> Arrays:
        return self.senses.state() | self.output.state()

    def linked_senses(self) -> Senses:
        return self.senses.arrays

    def train(self, span: Span, scratch: Work) -> int:
        from adagram.systems._adagram import train_span

        config, n_hot = self.config, self.output.n_hot
        return int(
            train_span(
                *(span, self.tree, self.senses.arrays, self.output.rows, n_hot, scratch),
                *(float(config.alpha), config.max_senses, np.uint64(config.seed)),
            )
        )

    def arrays(self) -> tuple[Arrays, Arrays]:
        live, senses = self.live(), self.senses.arrays
        learned = model_of_senses(senses.vectors, live.offsets, live.counts, live.priors, live.is_learned, live.rows)
        if self.agreement is not None:
            learned["agreement"] = self.agreement
        unlearned = np.flatnonzero(~live.is_learned)
        rest: Arrays = {
            "vectors": senses.vectors[live.rows[unlearned]],
            "counts": live.counts[unlearned],
            "words": np.repeat(np.arange(self.n_words), np.diff(live.offsets))[unlearned],
            "pending": senses.pending,
        }
        return learned | self.tree_arrays(), rest

    def merge(self, groups: Iterable[tuple[int, list[int]]]) -> None:
        """Merge learned senses of a word into the first of them: counts add up, the vector is the mean by counts."""
        live, arrays = self.live(), self.senses.arrays
        learned = live.rows[live.is_learned]
        begins = np.append(0, live.is_learned.cumsum())[live.offsets]  # of each word among the learned
        is_gone = np.zeros(self.senses.capacity, np.bool_)
        for w, group in groups:
            rows = learned[begins[w] + np.array(group)]
            first, others = rows[0], rows[1:]
            arrays.vectors[first] = merged_vector(arrays.vectors[rows], arrays.counts[rows])
            arrays.counts[first] = arrays.counts[rows].sum()
            arrays.counts[others], is_gone[others] = 0.0, True
        left = ~is_gone[live.rows]
        words = np.repeat(np.arange(self.n_words), np.diff(live.offsets))
        self.senses.chain(live.rows[left], words[left])

    def live(self) -> Live:
        rows, offsets = self.senses.chains()
        counts = self.senses.arrays.counts[rows]
        priors = self.priors(offsets, counts)
        keep = with_likeliest(offsets, priors, is_learned(priors, counts))
        return Live(rows, offsets, counts, priors, keep)

    def priors(self, offsets: I64, counts: Floats) -> Floats:
        """Return E[π] of the live senses of all words."""
        sizes = np.diff(offsets)
        priors = np.empty(len(counts))
        for size in np.unique(sizes):  # all words with the same number of live senses at once
            words = np.flatnonzero(sizes == size)
            at = offsets[words][:, None] + np.arange(size)  # (words, size)
            sticks = counts[at]
            if size < self.config.max_senses:  # the unborn sticks have their share
                sticks = np.append(sticks, self.senses.arrays.pending[words][:, None], axis=1)
            priors[at] = expected_pi(sticks, self.config.alpha)[:, :size]
        return priors


def merged_vector(vectors: NDArray[np.float32], counts: Floats) -> NDArray[np.float32]:
    """Return the mean of sense vectors, weighted by their counts n_k."""
    return np.asarray(counts @ vectors / counts.sum(), dtype=np.float32)
