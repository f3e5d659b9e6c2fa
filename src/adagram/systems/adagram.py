"""AdaGram: senses of a word are sticks of a Dirichlet process, born when a context asks for one (Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import I64, ArrayMap, Arrays, Floats
from adagram.kernels.arrays import Senses, Span
from adagram.maths.merging import merged_vector
from adagram.maths.stick_breaking import expected_pi, is_learned
from adagram.systems.base import Scratch
from adagram.systems.initial import SENSES, random_vectors
from adagram.systems.learned import model_of_senses, with_likeliest
from adagram.systems.past import FREQUENT, growth, has_grown, scaled, with_next
from adagram.systems.senses import SenseRows
from adagram.systems.tree import TreeSystem


class Live(NamedTuple):
    """The live senses, word by word in stick order."""

    rows: I64
    offsets: I64  # (n_words + 1,)
    counts: Floats
    priors: Floats
    is_learned: NDArray[np.bool_]


class AdaGram(TreeSystem):
    name = "adagram"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.senses = SenseRows(self.config.dim, self.totals, most_births=self.config.max_senses)

    def start(self) -> None:
        n = len(self.owned)
        self.senses.arrays.vectors[:n] = random_vectors(self.owned, self.config, SENSES)
        self.senses.arrays.counts[:n] = self.config.initial_count or self.totals
        if self.past is not None:
            known = self.past.sticks_of(self.owned)
            grown = growth(known, self.totals)
            known = known._replace(counts=scaled(known, self.totals), pending=known.pending * grown)
            met = np.flatnonzero((grown > 1.0) & self._is_specific()[: len(grown)])  # in the new text
            learned = self.past.learned_of(self.owned)
            known = with_next(known, learned, met, self.past.mean_vector, self.totals, self.config.max_senses)
            self.senses.take_sticks(known, learned)
        self.start_output()

    def _is_specific(self) -> NDArray[np.bool_]:
        """Owned words that are rare enough: see FREQUENT."""
        counts = self.vocabulary.counts
        return np.asarray(counts[self.owned] < FREQUENT * counts.sum())

    def state(self) -> Arrays:
        return self.senses.state() | {"output": self.output.get()}

    def take_state(self, arrays: ArrayMap) -> None:
        self.senses.restore(arrays)
        self.output.set(arrays["output"])

    def linked_senses(self) -> Senses:
        return self.senses.arrays

    def scratch(self, thread: int) -> Scratch:
        return Scratch(thread, self.tree_block(self.config.max_senses))

    def train(self, span: Span, scratch: Scratch) -> int:
        from adagram.kernels.adagram import train_span

        config, hot = self.config, self.output.hot(scratch.thread)
        return int(
            train_span(
                *(span, self.tree, self.senses.arrays, self.output.rows, hot, scratch.work),
                *(float(config.alpha), config.max_senses, np.uint64(config.seed)),
            )
        )

    def usage(self) -> Floats:
        return self.senses.arrays.counts[: self.senses.used]

    def make_room(self, scratch: Scratch) -> bool:
        return self.senses.take_spares(scratch.work.spare)

    def grow(self) -> None:
        self.senses.grow()

    def trained_arrays(self) -> Arrays:
        live = self._live()
        senses = self.senses.arrays.vectors[live.rows]
        model = model_of_senses(senses, live.offsets, live.counts, live.priors, live.is_learned)
        return model | self.tree_arrays()

    def unite(self, groups: Iterable[tuple[int, list[int]]]) -> None:
        """Learned senses of a word become the first of them: counts are added, the vector is the mean by counts."""
        live, arrays = self._live(), self.senses.arrays
        learned = live.rows[live.is_learned]
        begins = np.append(0, live.is_learned.cumsum())[live.offsets]  # of each word among the learned
        for w, group in groups:
            rows = learned[begins[w] + np.array(group)]
            first, others = rows[0], rows[1:]
            arrays.vectors[first] = merged_vector(arrays.vectors[rows], arrays.counts[rows])
            arrays.counts[first] = arrays.counts[rows].sum()
            arrays.counts[others] = 0.0
            self.senses.unlink(w, others)

    def rest_arrays(self) -> Arrays:
        live = self._live()
        words = np.repeat(self.owned, np.diff(live.offsets))
        rest = np.flatnonzero(~live.is_learned)
        return {
            "vectors": self.senses.arrays.vectors[live.rows[rest]],
            "counts": live.counts[rest],
            "words": words[rest],
            "pending": self.senses.arrays.pending,
        }

    def _live(self) -> Live:
        rows, offsets = self.senses.chains()
        counts = self.senses.arrays.counts[rows]
        priors = np.empty(len(rows))
        sizes = np.diff(offsets)
        for size in np.unique(sizes):  # all words with the same number of live senses at once
            words = np.flatnonzero(sizes == size)
            at = offsets[words][:, None] + np.arange(size)  # (words, size)
            sticks = counts[at]
            if size < self.config.max_senses:  # the sticks that have no vector yet take their share
                sticks = np.append(sticks, self.senses.arrays.pending[words][:, None], axis=1)
            priors[at] = expected_pi(sticks, self.config.alpha)[:, :size]
        keep = is_learned(priors, counts)
        if self.past is not None:  # a sense that was learned once keeps its number
            learned = self.past.learned_of(self.owned)
            is_old = np.arange(len(rows)) - np.repeat(offsets[:-1], sizes) < np.repeat(learned, sizes)
            old, new = self._uses(self.past)
            shares = np.repeat((old / np.maximum(old + new, 1))[self.owned], sizes)
            totals = np.repeat(self.totals, sizes)
            is_new_word = np.repeat(self.owned >= self.past.n_words, sizes)
            keep = is_old | keep & (is_new_word | has_grown(counts, totals, shares))
        return Live(rows, offsets, counts, priors, with_likeliest(offsets, priors, keep))
