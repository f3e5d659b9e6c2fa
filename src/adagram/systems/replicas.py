"""Copies of a system, one for each thread, so that what a thread does depends on nobody's speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from adagram.arrays import I32
from adagram.kernels.arrays import Block, Span
from adagram.systems.adagram import AdaGram
from adagram.systems.base import CURVATURE, Scratch
from adagram.systems.births import Birth, Lineage
from adagram.systems.tree import TreeSystem

SENSE_CURVATURE = (
    1.0  # as CURVATURE of output rows: how far one update of rate 1 takes a sense to its best place
)

# More copies than two add up along the few directions that all sense vectors share: the row goes too far, contexts are
# a surprise, and senses are born that one thread does not bear. So they are averaged more.
MORE_COPIES = 0.1  # CURVATURE of more than two copies

HOT_ROWS = 4096  # nodes, and words, that are merged after every piece

Bands = tuple[
    int, int, int, int
]  # the first row and the one after the last, the band and the number of bands


class Moved(NamedTuple):
    """How far copies have gone since they were equal."""

    n_tokens: float  # of each copy
    rate: float  # of learning


class Replicas:
    """Copies of a system that are trained apart, and then made equal again.

    `shared` is what they were when they were equal last.
    """

    def __init__(self, shared: TreeSystem, n: int) -> None:
        self.shared = shared
        self.copies = [
            type(shared)(shared.config, shared.vocabulary, shared.totals, shared.owned, shared.past)
            for _ in range(n)
        ]
        self._words: I32 = np.zeros((n, len(shared.owned)), np.int32)  # tokens of each word met by each copy
        self._nodes = np.zeros((n, shared.output.n_rows), np.uint8)  # whether it met the node
        self._nodes[:, :HOT_ROWS] = 1
        self.scratches: list[Scratch] = []
        self.take()

    def take(self) -> None:
        """Make all copies as the shared system is now."""
        for copy in self.copies:
            copy.take_state(self.shared.state())
        self.scratches = [copy.scratch(0) for copy in self.copies]
        self._lineage = Lineage(self.shared.senses) if isinstance(self.shared, AdaGram) else None

    def train(self, number: int, span: Span) -> None:
        """Train one copy on a span."""
        from adagram.kernels.replicas import note_span

        copy, scratch, left = self.copies[number], self.scratches[number], span
        while (reached := copy.train(left, scratch)) < span.last:
            left = left._replace(first=reached)
            if not copy.make_room(scratch):
                copy.grow()
        note_span(span, self.shared.tree, self._words[number], self._nodes[number])

    def births(self, number: int) -> list[Birth]:
        """The senses of this copy that the shared system lacks."""
        copy, work = self.copies[number], self.scratches[number].work
        if self._lineage is None or not isinstance(copy, AdaGram) or not isinstance(work, Block):
            return []
        return self._lineage.births(copy.senses, work)

    def join(self, births: Sequence[list[Birth]]) -> None:
        """Give all copies the senses that one of them bore."""
        if self._lineage is not None:
            senses = [copy.senses for copy in self.copies if isinstance(copy, AdaGram)]
            works = [scratch.work for scratch in self.scratches if isinstance(scratch.work, Block)]
            self._lineage.merge(senses, works, births, self.shared.config)

    def merge(self, part: int, n_parts: int, moved: Moved, is_hot: bool) -> None:
        """Make rows equal, every n-th band of them; hot rows, or the others, which need it less often."""
        (first, last), (first_word, last_word) = (
            _range(met.shape[1], is_hot) for met in (self._nodes, self._words)
        )
        self._merge_nodes((first, last, part, n_parts), moved)
        self._merge_senses((first_word, last_word, part, n_parts), moved.rate)

    def forget(self, number: int, is_hot: bool) -> None:
        """What a copy met, once it was merged."""
        self._words[number, slice(*_range(self._words.shape[1], is_hot))] = 0
        if not is_hot:  # hot nodes are in nearly every piece: they stay marked
            self._nodes[number, slice(*_range(self._nodes.shape[1], is_hot))] = 0

    def _merge_nodes(self, which: Bands, moved: Moved) -> None:
        from adagram.kernels.replicas import merge_nodes

        curvature = MORE_COPIES if len(self.copies) > 2 else CURVATURE
        output, pull = self.shared.output, float(curvature * moved.rate * moved.n_tokens)
        copies = tuple(copy.output.rows for copy in self.copies)
        merge_nodes(output.rows, copies, self._nodes, which, pull, output.visits)

    def _merge_senses(self, which: Bands, rate: float) -> None:
        from adagram.kernels.replicas import merge_senses

        senses = [copy.linked_senses() for copy in self.copies]
        vectors = tuple(each.vectors for each in senses)
        counts, pending = tuple(each.counts for each in senses), tuple(each.pending for each in senses)
        merge_senses(
            *(self.shared.linked_senses(), (vectors, counts, pending), self._words, which),
            *(float(rate), SENSE_CURVATURE, self.shared.stride),
        )


def _range(n: int, is_hot: bool) -> tuple[int, int]:
    hot = min(n, HOT_ROWS)
    return (0, hot) if is_hot else (hot, n)
