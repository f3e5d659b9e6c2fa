"""One of several workers that train a model together: it owns the senses of its words and trains where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.kernels.arrays import F32, Span
from adagram.systems.base import Arrays, System
from adagram.systems.registry import system_class
from adagram.training.division import divide_words, loads
from adagram.training.merge import Merger, Rows
from adagram.training.spans import SpanMaker, pieces
from adagram.training.subsampling import keep_probability

PIECE = 4096  # tokens made ready for the kernel at a time
MERGERS = 16  # at most so many parts merge output rows: with more, the rows of a message would be few


class Part:
    """Worker `number` of `n_parts`. All of them scan the same text; each position is trained by its word's owner.

    A part works on its own copy of the output rows; `changed` gives away what it changed and `take` puts merged rows in
    place. It also keeps the merged values of its share of these rows (`merger`). A single part changes nothing and
    merges nothing: it is the one-thread trainer.
    """

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig, number: int, n_parts: int) -> None:
        self.corpus, self.config = corpus, replace(config, threads=1)
        self.number, self.n_parts = number, n_parts
        keep = keep_probability(corpus.vocabulary.counts, config.subsample)
        totals = corpus.vocabulary.counts * keep
        owned = divide_words(loads(totals, config), n_parts)[number]
        self.system: System = system_class(config.algorithm)(self.config, corpus.vocabulary, totals, owned)
        self.system.start()
        homes = np.full(len(totals), -1, np.int32)
        homes[owned] = np.arange(len(owned))
        self._spans = SpanMaker(corpus, self.config, keep, PIECE, homes if n_parts > 1 else None)
        self._worker = self.system.worker(0)
        self._present = np.zeros(len(totals), dtype=np.bool_)  # context words since the last merge
        self.n_mergers = min(n_parts, MERGERS)
        self.merger = self._new_merger()

    def _new_merger(self) -> Merger | None:
        if self.n_parts == 1 or self.number >= self.n_mergers:
            return None
        return Merger(self.system.output.get(), self.number, self.n_mergers)

    # -- training

    def train(self, start: int, stop: int) -> None:
        """Train on places start:stop of the run."""
        from adagram.kernels.windows import mark_contexts

        for piece in pieces(len(self.corpus.tokens), start, stop, PIECE):
            span = self._spans.make(piece)
            if span.first == span.last:  # every token was dropped
                continue
            if self.n_parts > 1:
                mark_contexts(span, self._present)
            self._train(span)

    def _train(self, span: Span) -> None:
        while (reached := self.system.train(span, self._worker)) < span.last:
            span = span._replace(first=reached)
            if not self.system.make_room(self._worker):
                self.system.grow()

    def take_tally(self) -> dict[str, float]:
        return self._worker.take_tally()

    # -- output rows

    def changed(self) -> list[Rows]:
        """For each merger the rows that this part may have changed since the last merge."""
        numbers = self.system.output_rows_of(self._present)
        self._present[:] = False
        return [self._rows(numbers[numbers % self.n_mergers == j]) for j in range(self.n_mergers)]

    def _rows(self, numbers: NDArray[np.int64]) -> Rows:
        return Rows(numbers.astype(np.int32), self.system.output.get()[numbers])

    def take(self, merged: Iterable[Rows]) -> None:
        output = self.system.output.get()
        for rows in merged:
            output[rows.numbers] = rows.values

    # -- files

    def state(self) -> Arrays:
        """All that this part must keep, at the end of a round: its senses and its share of the merged rows."""
        state = self.system.state()
        return state | {"output": self._output_share(state["output"])}

    def restore(self, states: Sequence[Arrays]) -> None:
        """Go back to the end of a round; of the other parts' states only the output rows are read."""
        output = self.system.output.get()
        for number in range(self.n_mergers):
            output[number :: self.n_mergers] = states[number]["output"]
        self.system.restore(dict(states[self.number]) | {"output": output})
        self._worker = self.system.worker(0)
        self._present[:] = False
        self.merger = self._new_merger()

    def model_arrays(self) -> Arrays:
        """This part's share of the model: the senses of its words, `words` being their ids, and its output rows."""
        arrays = self.system.model_arrays()
        if self.number > 0:  # the tree is the same for all
            arrays = {name: array for name, array in arrays.items() if name not in ("steps", "paths")}
        return arrays | {"words": self.system.owned, "output": self._output_share(arrays["output"])}

    def _output_share(self, output: F32) -> F32:
        return output[self.number :: self.n_mergers] if self.number < self.n_mergers else output[:0]
