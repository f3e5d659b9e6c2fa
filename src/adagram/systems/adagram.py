"""AdaGram: senses of a word are sticks of a Dirichlet process, born when a context asks for one (Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.arrays import Senses, Span
from adagram.maths.merging import merged_vector
from adagram.maths.stick_breaking import expected_pi, is_learned
from adagram.maths.subsampling import keep_probability
from adagram.systems.base import Scratch
from adagram.systems.initial import SENSES, random_vectors
from adagram.systems.learned import model_of_senses, with_likeliest
from adagram.systems.past import (
    FREQUENT,
    MANY,
    MIN_USES,
    PSEUDO_COUNT,
    Past,
    add_candidates,
    growth,
    scaled,
)
from adagram.systems.senses import SenseRows
from adagram.systems.strange import Strange, strange_uses
from adagram.systems.tree import TreeSystem
from adagram.types import I64, ArrayMap, Arrays, Floats


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
        self.agreement: Floats | None = None  # of near occurrences of each word, where they were looked at

    def start(self) -> None:
        n = len(self.owned)
        random_vectors(self.owned, self.config, SENSES, self.senses.arrays.vectors[:n])
        self.senses.arrays.counts[:n] = self.config.initial_count or self.totals
        if self.past is not None:
            known = self.past.sticks_of(self.owned)
            grown = growth(known, self.totals)
            known = known._replace(counts=scaled(known, self.totals), pending=known.pending * grown)
            learned = self.past.learned_of(self.owned)
            found, config = self._candidates(self.past), self.config
            words, count = np.searchsorted(self.owned, found.words), PSEUDO_COUNT * config.alpha
            known = add_candidates(known, learned, words, found.vectors, count, config.max_senses)
            self.senses.take_sticks(known, learned)
        self.start_output()

    def _candidates(self, past: Past) -> Strange:
        """Owned words that get a candidate sense: old, not too frequent, with enough new uses that no sense fits."""
        old, new = self._uses(past)
        kept = new * keep_probability(self.vocabulary.counts, self.config.subsample)
        is_rare = old + new < np.maximum(FREQUENT * (old + new).sum(), MANY)
        can_have = np.asarray((old > 0) & (kept >= MIN_USES) & is_rare & past.seeks)[self.owned]
        return strange_uses(past, self.vocabulary, self.config, self.owned[can_have])

    def state(self) -> Arrays:
        return self.senses.state() | self.output.state()

    def take_state(self, arrays: ArrayMap) -> None:
        self.senses.restore(arrays)
        self.output.restore(arrays)

    def linked_senses(self) -> Senses:
        return self.senses.arrays

    def scratch(self) -> Scratch:
        return Scratch(self.tree_block(self.config.max_senses))

    def train(self, span: Span, scratch: Scratch, lane: int = 0) -> int:
        from adagram.kernels.adagram import train_span

        config, hot = self.config, self.output.hot(lane)
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
        vectors = self.senses.arrays.vectors
        model = model_of_senses(vectors, live.offsets, live.counts, live.priors, live.is_learned, live.rows)
        known = {} if self.agreement is None else {"agreement": self.agreement}
        return model | self.tree_arrays() | known

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
        sizes = np.diff(offsets)
        counts, is_kept = self.senses.arrays.counts[rows], np.zeros(len(rows), bool)
        if self.past is not None:
            counts, is_kept = self._without_candidates(self.past, counts, sizes)
        priors = np.empty(len(rows))
        for size in np.unique(sizes):  # all words with the same number of live senses at once
            words = np.flatnonzero(sizes == size)
            at = offsets[words][:, None] + np.arange(size)  # (words, size)
            sticks = counts[at]
            if size < self.config.max_senses:  # the sticks that have no vector yet take their share
                sticks = np.append(sticks, self.senses.arrays.pending[words][:, None], axis=1)
            priors[at] = expected_pi(sticks, self.config.alpha)[:, :size]
        keep = is_kept | is_learned(priors, counts)
        return Live(rows, offsets, counts, priors, with_likeliest(offsets, priors, keep))

    def _without_candidates(self, past: Past, counts: Floats, sizes: I64) -> tuple[Floats, NDArray[np.bool_]]:
        """Counts, zero for senses of known words that have not won MIN_USES; and which senses are old: all are kept."""
        number = np.arange(len(counts)) - np.repeat(sizes.cumsum() - sizes, sizes)
        is_old = number < np.repeat(past.learned_of(self.owned), sizes)
        has_failed = np.repeat(self.owned < past.n_words, sizes) & ~is_old & (counts < MIN_USES)
        return np.where(has_failed, 0.0, counts), is_old
