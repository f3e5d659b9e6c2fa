"""One of several replicas of a system: it trains its part of each turn, then all replicas are made equal again.

Every replica has all words. `changes` returns what it changed in a turn, `merge` combines the changes of all, and
`apply` applies the result. Output rows and sense vectors are merged as lanes merge the hot output rows: the sum of the
changes is multiplied by `merge_weight`. Counts follow n ← (1-λ) n + λ x, for which the result of one sequence is known
(`count_weight`).

Stick k of a word starts with the same random vector in every replica, so it is the same sense in all of them: if
several replicas create it, their changes are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.kernels.jit import kernel
from adagram.model.compact import ranges
from adagram.systems._adagram import STREAMS_OF_WORD, draw_row, set_unborn_shares
from adagram.systems.adagram import AdaGram, linked_rows
from adagram.systems.base import TreeSystem, merge_weight
from adagram.training.continued_systems import Continued, PreviousState
from adagram.training.workers import Chunks, SpanMaker, new_system, visits
from adagram.types import F32, I32, I64, ArrayMap, Floats

STICKS = STREAMS_OF_WORD  # a sense's key, word · STICKS + stick, is the random stream of its first vector
SYSTEMS = ("adagram", "skipgram", "skipgram-ns", "mpsg")  # that replicas can train


class Part(NamedTuple):
    """A part of the changes of a replica in a turn, its rows minus the common rows before; or merged, new values."""

    rows: I32
    output: F32  # changes or values of these output rows
    words: I32  # words that were trained
    sizes: I32  # live senses of each
    counts: Floats  # present counts of these senses, word by word
    pending: Floats  # and of the unborn sticks of each word
    keys: I64  # word · STICKS + stick of senses
    vectors: F32  # changes or values of their vectors; the change of a new sense is from the random vector
    steps: Floats = np.empty(0)  # of changes, Σ λ over the uses of each word


class Sticks(NamedTuple):
    """Live senses of some words, word by word."""

    rows: I64
    sizes: I64
    begins: I64  # the first of each word


class Replica:
    """A system of all words with its state after the last turn; a single replica trains as one lane does."""

    def __init__(
        self, corpus: EncodedCorpus, config: TrainConfig, n: int, previous: PreviousState | None = None
    ) -> None:
        check_system(config)
        self.corpus, self.n = corpus, n
        self.config = replace(config, threads=1, lanes=1)
        self.system = new_system(self.config, corpus.vocabulary, previous)
        self._piece = Chunks().piece_of(len(corpus.tokens))
        self._spans = SpanMaker(corpus, self.config, self._piece)
        self.scratch = self.system.scratch()
        self._shares = None  # of stick k in the count of the sticks k, k+1, … when it is created
        if isinstance(self.system, AdaGram):
            self._shares = np.ones(config.max_senses)
            _set_shares(float(config.alpha), self._shares)
        self._start_turns()

    def _start_turns(self) -> None:
        if self.n > 1:
            senses = self.system.linked_senses()
            self._n_rows = self.system.senses.used if isinstance(self.system, AdaGram) else len(senses.vectors)
            self._output = self.system.output.get().copy()
            self._vectors, self._counts = senses.vectors.copy(), senses.counts.copy()
            self._pending = senses.pending.copy()
            self._begin_turn()

    def _begin_turn(self) -> None:
        n_words = len(self.corpus.vocabulary)
        self._steps = np.zeros(n_words)  # Σ λ over the uses of each word
        self._is_trained = np.zeros(n_words, np.bool_)
        self._is_seen = np.zeros(n_words, np.bool_)  # trained, or in a context

    # -- training

    def train(self, start: int, stop: int) -> None:
        """Train on positions start:stop of the run."""
        for piece in visits(len(self.corpus.tokens), self.config, start, stop, self._piece):
            span = self._spans.make(piece)
            if span.first == span.last:  # every token was dropped
                continue
            if self.n > 1:
                rates = self.system.limited(span) if isinstance(self.system, Continued) else span
                own = slice(span.first, span.last)
                self._is_trained[span.tokens[own]] = True
                self._is_seen[span.tokens[: span.right[own].max()]] = True
                self._steps += np.bincount(span.tokens[own], rates.count_rates[own], len(self._steps))
            while (reached := self.system.train(span, self.scratch)) < span.last:
                span = span._replace(first=reached)
                if not self.system.make_room(self.scratch):
                    self.system.grow()

    # -- what was changed

    def changes(self, n_parts: int) -> list[Part]:
        """Return the changes of the turn, in parts by the numbers of rows and words."""
        rows = self._seen_rows()
        output = self.system.output.get()[rows] - self._output[rows]
        words, senses = np.flatnonzero(self._is_trained), self.system.linked_senses()
        sticks = self._sticks(words)
        keys = _keys(words, np.zeros(len(words), np.int64), sticks.sizes)
        vectors = senses.vectors[sticks.rows] - self._before(keys, sticks.rows)
        counts, pending = senses.counts[sticks.rows], senses.pending[words]
        is_row, is_vector = output.any(axis=1), vectors.any(axis=1) | (sticks.rows >= self._n_rows)
        parts = []
        for part in range(n_parts):
            mine, own = is_row & (rows % n_parts == part), words % n_parts == part
            is_own = np.repeat(own, sticks.sizes)
            moved = is_vector & is_own
            parts.append(
                Part(
                    *(rows[mine].astype(np.int32), output[mine]),
                    *(words[own].astype(np.int32), sticks.sizes[own].astype(np.int32)),
                    *(counts[is_own], pending[own], keys[moved], vectors[moved], self._steps[words[own]]),
                )
            )
        return parts

    def _seen_rows(self) -> I64:
        """Return the output rows that this replica can have changed, in rising order."""
        if not isinstance(self.system, TreeSystem):
            return np.arange(self.system.output.n_rows)  # noise words are any words
        tree, words = self.system.tree, np.flatnonzero(self._is_seen)
        is_seen = np.zeros(self.system.output.n_rows, np.bool_)
        steps = ranges(tree.offsets[words], np.diff(tree.offsets)[words])
        is_seen[tree.steps[steps] >> 1] = True
        return np.flatnonzero(is_seen)

    def _sticks(self, words: I64, only_old: bool = False) -> Sticks:
        """Return the senses of these words, or those that they had before the turn."""
        firsts, end = words * self.system.stride, self._n_rows if only_old else None
        rows, sizes = linked_rows(self.system.linked_senses().next_row, firsts, end)
        return Sticks(rows, sizes, sizes.cumsum() - sizes)

    def _before(self, keys: I64, rows: I64) -> F32:
        """Return the vectors of senses in these rows before the turn; new senses have their random vectors."""
        is_new = rows >= self._n_rows
        vectors = self._vectors[np.where(is_new, 0, rows)]
        _draw_vectors(vectors, np.flatnonzero(is_new), keys[is_new], np.uint64(self.config.seed), self.config.dim)
        return vectors

    # -- making one change of many

    def merge(self, given: Sequence[Part]) -> Part:
        """Merge a part of the changes of all replicas, which are made to the same state as this one's."""
        rows, places = _union([changes.rows for changes in given], len(self._output))
        output = self._output[rows] + _sum(places, [changes.output for changes in given], 1.0 + rows.astype(np.float64))
        words, places = _union([changes.words for changes in given], len(self._steps))
        n_used, steps, sizes = np.zeros(len(words)), np.zeros(len(words)), np.zeros(len(words), np.int64)
        for changes, at in zip(given, places, strict=True):
            n_used[at] += 1
            steps[at] += changes.steps
            sizes[at] = np.maximum(sizes[at], changes.sizes)
        weights = count_weight(steps / n_used, n_used)
        old, counts, pending = self._merged_counts(given, words, places, sizes, weights)
        keys = np.unique(np.concatenate([changes.keys for changes in given]))
        at, stick = np.searchsorted(words, keys // STICKS), keys % STICKS
        known = np.append(old.rows, self._n_rows)
        before = known[np.where(stick < old.sizes[at], old.begins[at] + stick, len(old.rows))]
        places = [np.searchsorted(keys, changes.keys) for changes in given]
        own = counts[(sizes.cumsum() - sizes)[at] + stick]
        uses = own / np.maximum(self.system.totals[words[at]], 1e-9) * steps[at]
        vectors = self._before(keys, before) + _sum(places, [changes.vectors for changes in given], uses)
        numbers = rows.astype(np.int32), words.astype(np.int32), sizes.astype(np.int32)
        return Part(numbers[0], output, numbers[1], numbers[2], counts, pending, keys, vectors)

    def _merged_counts(
        self, given: Sequence[Part], words: I64, places: Sequence[I64], sizes: I64, weights: Floats
    ) -> tuple[Sticks, Floats, Floats]:
        """Return the senses that the words had; counts of those that they have now, and of their unborn sticks."""
        old, most = self._sticks(words, only_old=True), int(sizes.max(initial=1))
        before = self._table(self._counts[old.rows], self._pending[words], old.sizes, sizes, most)
        total = np.zeros_like(before)
        for changes, at in zip(given, places, strict=True):
            own = changes.counts, changes.pending, changes.sizes.astype(np.int64)
            total[at] += self._table(*own, sizes[at], most) - before[at]
        merged = np.maximum(before + weights[:, None] * total, 0.0)
        return old, merged[:, :most][np.arange(most) < sizes[:, None]], merged[:, most].copy()

    def _table(self, counts: Floats, pending: Floats, have: I64, sizes: I64, most: int) -> Floats:
        """Return counts, (n, most + 1), of words with `have` senses as if they had `sizes`; unborn sticks last."""
        table = np.zeros((len(have), most + 1))
        table[np.repeat(np.arange(len(have)), have), ranges(np.zeros_like(have), have)] = counts
        table[:, most] = pending
        if self._shares is not None:
            for k in range(int(have.min(initial=most)), most):  # as `add_sense` does
                born = np.flatnonzero((k >= have) & (k < sizes))
                table[born, k] = table[born, most] * self._shares[k]
                table[born, most] = np.maximum(0.0, table[born, most] - table[born, k])
        return table

    def apply(self, merged: Sequence[Part]) -> None:
        """Set the merged rows: after this all replicas are equal, in every bit."""
        output = self.system.output.get()
        for part in merged:
            output[part.rows] = self._output[part.rows] = part.output
        if isinstance(self.system, AdaGram):
            self._add_senses(self.system, merged)
        senses = self.system.linked_senses()
        for part in merged:
            words = part.words.astype(np.int64)
            sticks = self._sticks(words)
            rows = sticks.rows[sticks.begins[np.searchsorted(words, part.keys // STICKS)] + part.keys % STICKS]
            senses.vectors[rows] = self._vectors[rows] = part.vectors
            senses.counts[sticks.rows] = self._counts[sticks.rows] = part.counts
            senses.pending[words] = self._pending[words] = part.pending
        self._begin_turn()

    def _add_senses(self, system: AdaGram, merged: Sequence[Part]) -> None:
        """Replace the new senses of this replica by those of all: each has the same row everywhere."""
        born = []
        for part in merged:
            words = part.words.astype(np.int64)
            old = self._sticks(words, only_old=True)
            system.senses.arrays.next_row[old.rows[old.begins + old.sizes - 1]] = -1
            born.append(_keys(words, old.sizes, part.sizes - old.sizes))
        keys = np.sort(np.concatenate(born))
        rows = self._n_rows + np.arange(len(keys))
        while system.senses.capacity < self._n_rows + len(keys):
            system.senses.grow()
        if (more := system.senses.capacity - len(self._counts)) > 0:
            self._vectors = np.append(self._vectors, np.zeros((more, self._vectors.shape[1]), np.float32), axis=0)
            self._counts = np.append(self._counts, np.zeros(more))
        senses = system.senses.arrays
        is_next = np.diff(keys // STICKS, prepend=-1) == 0  # another new sense of the same word
        last = self._sticks(keys[~is_next] // STICKS)
        senses.next_row[rows] = -1
        senses.next_row[last.rows[last.begins + last.sizes - 1]] = rows[~is_next]
        senses.next_row[rows[is_next] - 1] = rows[is_next]
        self._vectors[rows] = self._before(keys, rows)
        senses.vectors[rows] = self._vectors[rows]
        self._n_rows = system.senses.used = self._n_rows + len(keys)
        self.scratch.spare[:] = self._n_rows  # the rest of its range is free again

    # -- files

    def restore(self, state: ArrayMap) -> None:
        self.system.restore(state)
        self.scratch = self.system.scratch()
        self._start_turns()


@kernel
def _draw_vectors(vectors: F32, places: I64, keys: I64, seed: np.uint64, dim: int) -> None:
    """Draw the initial vectors of senses with these keys, which are the same in all replicas."""
    for i in range(len(places)):
        draw_row(vectors, places[i], seed, keys[i], dim)


@kernel
def _set_shares(alpha: float, shares: Floats) -> None:
    set_unborn_shares(alpha, shares)


def count_weight(steps: Floats, n: Any) -> Floats:
    """Return the share of the summed changes of counts by n replicas to apply; `steps` is the Σ λ of each.

    A replica alone goes the share c = 1 - exp(-steps) of the way from a count to its mean. One after the other, n would
    go 1 - (1-c)^n of it; their sum goes n·c.

    >>> count_weight(np.array([0.0, 0.1, 100.0]), 4).round(3)
    array([1.   , 0.866, 0.25 ])
    """
    steps = np.maximum(steps, 1e-9)
    return np.asarray(np.expm1(-n * steps) / (n * np.expm1(-steps)))


def check_system(config: TrainConfig) -> None:
    if config.algorithm not in SYSTEMS:
        raise InputError(
            f"{config.algorithm} trains on one machine only; on Ray {', '.join(SYSTEMS)} do: leave --ray out"
        )


def _sum(places: Sequence[I64], changes: Sequence[F32], uses: Floats) -> F32:
    """Return the merged changes of rows."""
    n, width = len(uses), changes[0].shape[1]
    total, squares, n_changed = np.zeros((n, width), np.float32), np.zeros(n), np.zeros(n)
    for at, each in zip(places, changes, strict=True):
        total[at] += each
        squares[at] += np.einsum("ij,ij->i", each, each)
        n_changed[at] += 1
    return total * merge_weight(uses, np.einsum("ij,ij->i", total, total), squares, n_changed)[:, None]


def _union(parts: Sequence[NDArray[Any]], n: int) -> tuple[I64, list[I64]]:
    """Return all numbers below n that are in some part, rising, and the index of each part's among them."""
    is_there = np.zeros(n, np.bool_)
    for part in parts:
        is_there[part] = True
    place = is_there.cumsum() - 1
    return np.flatnonzero(is_there), [place[part] for part in parts]


def _keys(words: I64, first: I64, sizes: I64) -> I64:
    """Return the keys of the sticks first, first + 1, … of each word."""
    return ranges(words * STICKS + first, sizes)
