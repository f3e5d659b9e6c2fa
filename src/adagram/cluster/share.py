"""A worker's share of the words: it owns their senses and trains where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from adagram.cluster.division import divide_words, loads
from adagram.cluster.merge import Changed, Curvature, Merger, Rows, curvature_of
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.kernels.arrays import Span
from adagram.paper.schedule import expected_counts, keep_probability, learning_rate
from adagram.systems.base import HOT_ROWS, System, system_class
from adagram.systems.past import Past
from adagram.training.workers import Pace, SpanMaker, visits
from adagram.types import F32, Arrays

PIECE = Pace.piece  # tokens made ready for the kernel at a time
MERGERS = 16  # at most so many workers merge output rows: with more, the rows of a message would be few
SPARE = "spare"  # the name of an array in the state
LONGEST_REACH = 4  # a longer one makes the steps of the hottest rows coarse


class Share:
    """Of worker `number` of `n_workers`. All of them scan the same text; each position is trained by its word's owner.

    A worker has its own copy of the output rows; `changed` gives away what it changed and `take` puts merged rows in
    place. It also keeps the merged values of some of these rows (`merger`). A single worker merges nothing: it trains
    as one thread does.

    On one machine the output rows of a context have just been moved by the words around; here only by those of them
    that this worker owns. So each stands for `reach` words and moves output rows as much further, and what the workers
    changed is divided by it. Without this far fewer senses are born, because a context that differs is less of a
    surprise.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainConfig,
        number: int,
        n_workers: int,
        past: Past | None = None,  # of the model to go on from
    ) -> None:
        self.corpus, self.config = corpus, replace(config, threads=1, lanes=1)
        self.number, self.n_workers = number, n_workers
        self.total = config.epochs * len(corpus.tokens)
        totals = expected_counts(corpus.vocabulary.counts, config.subsample)
        owned = divide_words(loads(totals, config), n_workers)[number]
        system = system_class(config.algorithm)
        self.system: System = system(self.config, corpus.vocabulary, totals, owned, past)
        self.system.start()
        homes = np.full(len(totals), -1, np.int32)
        homes[owned] = np.arange(len(owned))
        self.reach = float(min(n_workers, LONGEST_REACH))
        keep = keep_probability(corpus.vocabulary.counts, config.subsample)
        here, limits = homes if n_workers > 1 else None, self.system.limits()
        self._spans = SpanMaker(corpus, self.config, keep, PIECE, here, self.reach, limits)
        self._scratch = self.system.scratch()
        self._begin_round()
        self._is_first_round = True  # vectors grow fast
        self.n_mergers = min(n_workers, MERGERS)
        self.merger = self._new_merger()

    def _new_merger(self) -> Merger | None:
        if self.n_workers == 1 or self.number >= self.n_mergers:
            return None
        return Merger(self.system.output.get(), self.number, self.n_mergers, self.reach)

    def _begin_round(self) -> None:
        self._present = np.zeros(len(self.corpus.vocabulary), dtype=np.bool_)  # context words of this round
        self._steps = 0.0  # Σ rate · reach over the tokens of this round
        self._hot_steps = 0.0  # and over those since hot rows were merged
        self._told_curvature = False

    # -- training

    def train(self, start: int, stop: int) -> None:
        """Train on places start:stop of the run."""
        from adagram.kernels.windows import mark_contexts

        before = self._scratch.n_contexts
        for piece in visits(len(self.corpus.tokens), self.config, start, stop, PIECE):
            span = self._spans.make(piece)
            if span.first == span.last:  # every token was dropped
                continue
            if self.n_workers > 1:
                mark_contexts(span, self._present)
            self._train(span)
        rate = learning_rate(self.config.lr, (start + stop) / 2, self.total)
        n_tokens = (self._scratch.n_contexts - before) / (2 * self.config.window)
        steps = rate * self.reach * n_tokens
        self._steps += steps
        self._hot_steps += steps

    def _train(self, span: Span) -> None:
        while (reached := self.system.train(span, self._scratch)) < span.last:
            span = span._replace(first=reached)
            if not self.system.make_room(self._scratch):
                self.system.grow()

    def take_tally(self) -> dict[str, float]:
        return self._scratch.take_tally()

    # -- output rows

    def changed(self, only_hot: bool) -> list[Changed]:
        """For each merger the rows that this worker may have changed since the last merge: hot ones, or all."""
        n_hot = min(HOT_ROWS, self.system.output.n_rows)
        numbers = np.arange(n_hot) if only_hot else self.system.output_rows_of(self._present)
        curvature = None if self._told_curvature else self._curvature()
        steps = np.where(numbers < n_hot, self._hot_steps, self._steps) * self.system.output.visits[numbers]
        values = self.system.output.get()
        given = []
        for merger in range(self.n_mergers):
            mine = numbers % self.n_mergers == merger
            rows = Rows(numbers[mine].astype(np.int32), values[numbers[mine]])
            given.append(Changed(rows, steps[mine].astype(np.float32), curvature))
        self._told_curvature, self._hot_steps = not self._is_first_round, 0.0
        if not only_hot:
            self._is_first_round = False
            self._begin_round()
        return given

    def _curvature(self) -> Curvature:
        return curvature_of(self.system.state()["vectors"], self.system.usage())

    def take(self, merged: Iterable[Rows]) -> None:
        output = self.system.output.get()
        for rows in merged:
            output[rows.numbers] = rows.values

    # -- files

    def state(self) -> Arrays:
        """All that this worker must keep, at the end of a round: its senses and the rows that it merges.

        Also which sense rows were set aside for births: in other rows the same sums would round differently.
        """
        state = self.system.state()
        return state | {"output": self._merged_rows(state["output"]), SPARE: self._scratch.work.spare}

    def restore(self, states: Sequence[Arrays]) -> None:
        """Go back to the end of a round; of the other workers' states only the output rows are read."""
        output = self.system.output.get()
        for number in range(self.n_mergers):
            found, place = states[number].get("output"), output[number :: self.n_mergers]
            if found is None or found.shape != place.shape:
                raise InputError(f"the state of worker {number} is damaged: its output rows do not fit")
            place[:] = found
        own = states[self.number]
        self.system.restore(dict(own) | {"output": output})
        _check_spare(own, len(self.system.owned))
        self._scratch = self.system.scratch()
        self._scratch.work.spare[:] = own[SPARE]
        self._is_first_round = False
        self._begin_round()
        self.merger = self._new_merger()

    def model_arrays(self) -> Arrays:
        """This worker's shard of the model: its words' ids (`words`) and senses, and its output rows."""
        arrays = self.system.model_arrays()
        if self.number > 0:  # the tree is the same for all
            arrays = {name: array for name, array in arrays.items() if name not in ("steps", "paths")}
        return arrays | {"words": self.system.owned, "output": self._merged_rows(arrays["output"])}

    def _merged_rows(self, output: F32) -> F32:
        return output[self.number :: self.n_mergers] if self.number < self.n_mergers else output[:0]


def _check_spare(state: Arrays, n_words: int) -> None:
    """The rows set aside for births must be there, and no sense may have one of them."""
    spare = state.get(SPARE)
    if spare is None or spare.shape != (2,) or spare.dtype != np.int64:
        raise InputError("the state is damaged: it lacks its spare rows")
    start, stop = spare.tolist()
    links = state.get("next_row", np.empty(0, np.int32))
    is_free = start == stop or (n_words <= start < stop <= len(links))
    if not is_free or np.any((links >= start) & (links < stop)):
        raise InputError(f"the state is damaged: the spare rows {start} to {stop} are in use or not there")
