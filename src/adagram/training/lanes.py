"""Training on the threads of this process: lanes in lock step.

The number of lanes is a setting of the algorithm. In each turn every lane trains one piece of the text on its own copy
of the hot output rows; then the copies are merged (`adagram.kernels.merge`). Threads share out the lanes of a turn, so
their number changes how long a run takes, not what it learns. One lane is Algorithm 1 in sequence.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.kernels.arrays import Span
from adagram.maths.subsampling import expected_counts, keep_probability
from adagram.model.rest import REST
from adagram.model.storage import ARRAYS, read_arrays, write_arrays
from adagram.systems.base import System
from adagram.systems.past import Past
from adagram.systems.registry import system_class
from adagram.training.barrier import Barrier, BarrierCancelled
from adagram.training.crew import Round, sum_tallies
from adagram.training.interrupt import Stop
from adagram.training.order import visits
from adagram.training.pace import Pace, processors
from adagram.training.spans import Piece, SpanMaker
from adagram.types import Arrays

STATE = "trainer.safetensors"
LOG = logging.getLogger("adagram")


class Lanes:
    """A `Crew`: lanes of text, trained by the threads of this process.

    With one thread a run can be repeated bit for bit. Several change rows that are not hot as they come, so runs differ
    by rounding and by the order of rare collisions.
    """

    n_workers = None

    def __init__(
        self, corpus: EncodedCorpus, config: TrainConfig, pace: Pace, past: Past | None = None
    ) -> None:
        self.corpus, self.config, self._past = corpus, config, past
        self.n_lanes = config.lanes or 1
        if config.threads and config.threads > processors():
            LOG.warning(
                "threads is %d, but there are %d processors: so many run", config.threads, processors()
            )
        self.n_threads = min(config.n_threads, processors(), self.n_lanes)
        self.piece = pace.piece_of(len(corpus.tokens), self.n_lanes)
        self.round_tokens = pace.round_of(len(corpus.tokens), self.n_lanes)
        self.system: System

    def start(self) -> None:
        vocabulary, config = self.corpus.vocabulary, self.config
        totals = expected_counts(vocabulary.counts, config.subsample)
        self.system = system_class(config.algorithm)(config, vocabulary, totals, None, self._past)
        self.system.start()
        self.scratches = [self.system.scratch() for _ in range(self.n_threads)]
        keep, limits = keep_probability(vocabulary.counts, config.subsample), self.system.limits()
        self.spans = [
            SpanMaker(self.corpus, config, keep, self.piece, limits=limits) for _ in range(self.n_threads)
        ]

    def restore(self, folder: Path) -> None:
        self.system.restore(read_arrays(folder / STATE))

    def round(self, start: int, stop: int, wish: Stop) -> Round:
        pieces = visits(len(self.corpus.tokens), self.config, start, stop, self.piece)
        turns = _Turns(self, pieces, start, wish)
        with ThreadPoolExecutor(self.n_threads) as pool:
            list(pool.map(turns.work, range(self.n_threads)))
        return Round(turns.reached, sum_tallies(scratch.take_tally() for scratch in self.scratches))

    def about(self) -> dict[str, int]:
        return {"threads": self.n_threads}

    def notes(self) -> dict[str, float]:
        return {}

    def write_state(self, folder: Path) -> None:
        write_arrays(folder / STATE, self.system.state())

    def model_arrays(self) -> Arrays:
        return self.system.model_arrays()

    def rest_arrays(self) -> Arrays:
        return self.system.rest_arrays()

    def write_arrays(self, folder: Path) -> None:
        checksum = self.corpus.vocabulary.checksum
        write_arrays(folder / ARRAYS, self.model_arrays(), checksum)
        if rest := self.rest_arrays():
            write_arrays(folder / REST, rest, checksum)

    def stop(self) -> None:
        self.scratches, self.spans = [], []


class _Turn:
    """A piece of text for each lane, and what the lanes did with it."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.todo = iter(list(enumerate(pieces)))  # next() on it is atomic: each lane is taken by one thread
        self.steps = np.zeros(len(pieces))  # tokens times learning rate of each lane


class _Turns:
    """The turns of a round; all threads run `work`."""

    def __init__(self, lanes: Lanes, pieces: Iterator[Piece], start: int, wish: Stop) -> None:
        self._lanes, self._pieces, self._wish = lanes, pieces, wish
        self._barrier = Barrier(lanes.n_threads)
        self._needs_room = False
        self.reached = start
        self._turn = self._next_turn()

    def _next_turn(self) -> _Turn | None:
        """None after the last one, or when the user has asked to stop."""
        pieces = [] if self._wish else list(islice(self._pieces, self._lanes.n_lanes))
        if not pieces:
            return None
        last = pieces[-1]
        self.reached = last.epoch * len(self._lanes.corpus.tokens) + last.stop + last.shift
        return _Turn(pieces)

    def work(self, thread: int) -> None:
        """Train and merge as one of the threads, to the end of the round."""
        try:
            while (turn := self._turn) is not None:
                self._train(thread, turn)
                if n_trained := int(np.count_nonzero(turn.steps)):
                    steps = float(turn.steps.sum() / n_trained)
                    self._lanes.system.output.merge(n_trained, steps, thread, self._lanes.n_threads)
                self._barrier.wait(thread)
                if thread == 0:
                    self._turn = self._next_turn()
                self._barrier.wait(thread)
        except BarrierCancelled:
            return  # the thread that cancelled it raises
        except BaseException:
            self._barrier.cancel()
            raise

    def _train(self, thread: int, turn: _Turn) -> None:
        """Train lanes until all have trained. A thread without room for births waits until all have stopped."""
        work = self._train_lanes(thread, turn)
        while True:
            if next(work, None) is not None:
                self._needs_room = True
            self._barrier.wait(thread)
            if not self._needs_room:
                return
            self._barrier.wait(thread)
            if thread == 0:
                self._lanes.system.grow()
                self._needs_room = False
            self._barrier.wait(thread)

    def _train_lanes(self, thread: int, turn: _Turn) -> Iterator[Span]:
        """Train lanes that no thread has taken; yield what is left of a span for which there is no room."""
        lanes = self._lanes
        system, scratch, spans = lanes.system, lanes.scratches[thread], lanes.spans[thread]
        for lane, piece in turn.todo:
            span = spans.make(piece)
            if span.first == span.last:  # every token of the piece was dropped
                continue
            turn.steps[lane] = span.rates[span.first] * ((span.last - span.first) // spans.per_token)
            while (reached := system.train(span, scratch, lane)) < span.last:
                span = span._replace(first=reached)
                if not system.make_room(scratch):
                    yield span
