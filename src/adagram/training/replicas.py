"""The crew of a deterministic run: threads that train copies of the system, which are made equal in a fixed order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.maths.schedule import learning_rate
from adagram.systems.births import Birth
from adagram.systems.past import Past
from adagram.systems.replicas import Moved, Replicas
from adagram.systems.tree import TreeSystem
from adagram.training.crew import Round, sum_tallies
from adagram.training.interrupt import Stop
from adagram.training.meeting import Meeting, MeetingCancelled
from adagram.training.order import visits
from adagram.training.pace import Pace, processors
from adagram.training.spans import Piece, SpanMaker
from adagram.training.threads import Threads

STRIDE = 8  # pieces of each thread between two merges of all rows


class ReplicaThreads(Threads):
    """A `Crew` of several threads whose work can be repeated bit for bit.

    Each thread has a copy of the system. The text is cut into strides with some pieces for each thread; after a stride
    all copies are made equal. Where a stride begins depends on nothing but the text and the number of threads. Where
    there are fewer processors than that, a worker trains several copies in turn.
    """

    def __init__(
        self, corpus: EncodedCorpus, config: TrainConfig, pace: Pace, past: Past | None = None
    ) -> None:
        super().__init__(corpus, config, pace, past)
        self._stride = STRIDE * self.piece * self.n_threads
        self._total = config.epochs * len(corpus.tokens)
        self.round_tokens = max(1, pace.pieces_per_round // STRIDE) * self._stride

    def threads_for(self, config: TrainConfig) -> int:
        """Their number is part of what is repeated, on any machine."""
        return config.n_threads

    def start(self) -> None:
        self.system = self.new_system(n_threads=1)
        if not isinstance(self.system, TreeSystem):
            raise AssertionError(f"{self.config.algorithm} has no tree")
        self._replicas = Replicas(self.system, self.n_threads)
        self._spans = self.span_makers()

    def restore(self, folder: Path) -> None:
        super().restore(folder)
        self._replicas.take()

    def round(self, start: int, stop: int, wish: Stop) -> Round:
        n_workers = min(self.n_threads, processors())
        with ThreadPoolExecutor(n_workers) as pool:
            while start < stop and not wish:
                end = min(stop, start - start % self._stride + self._stride)
                rate = learning_rate(self.config.lr, start, self._total)
                todo = list(visits(len(self.corpus.tokens), self.config, start, end, self.piece))
                stride = _Stride(self._replicas, self._spans, n_workers, todo, rate)
                list(pool.map(stride.work, range(n_workers)))
                start = end
        return Round(start, sum_tallies(scratch.take_tally() for scratch in self._replicas.scratches))

    def stop(self) -> None:
        del self._replicas, self._spans


class _Stride:
    """Pieces between two merges of all rows. Each worker trains the same copies and merges the same bands of rows."""

    def __init__(
        self, replicas: Replicas, spans: list[SpanMaker], n_workers: int, todo: list[Piece], rate: float
    ) -> None:
        self._replicas, self._spans, self._n_workers, self._rate = replicas, spans, n_workers, rate
        n_copies = len(spans)
        self._turns = [todo[first : first + n_copies] for first in range(0, len(todo), n_copies)]
        self._n_tokens = np.zeros(n_copies, np.int64)  # that each copy trained in this turn
        self._births: list[list[Birth]] = [[] for _ in spans]
        self._meeting = Meeting(n_workers)

    def work(self, worker: int) -> None:
        """Hot rows are made equal after every turn, the others at the end."""
        own = range(worker, len(self._spans), self._n_workers)
        n_tokens = 0.0
        try:
            for turn in self._turns:
                for number in own:
                    self._train(number, turn[number] if number < len(turn) else None)
                self._meeting.wait(worker)
                trained = float(self._n_tokens.mean())
                n_tokens += trained
                self._merge(worker, trained, is_hot=True)
            self._merge(worker, n_tokens, is_hot=False)
        except MeetingCancelled:
            return  # the one who cancelled it says why
        except BaseException:
            self._meeting.cancel()
            raise

    def _train(self, number: int, piece: Piece | None) -> None:
        self._n_tokens[number] = 0
        if piece is not None:
            spans = self._spans[number]
            span = spans.make(piece)
            self._replicas.train(number, span)
            self._n_tokens[number] = (span.last - span.first) // spans.per_token
        self._births[number] = self._replicas.births(number)

    def _merge(self, worker: int, n_tokens: float, is_hot: bool) -> None:
        """All workers see the same births, for nobody trains before all have merged."""
        if is_hot and any(self._births):
            if worker == 0:
                self._replicas.join(self._births)
            self._meeting.wait(worker)
        self._replicas.merge(worker, self._n_workers, Moved(n_tokens, self._rate), is_hot)
        self._meeting.wait(worker)
        for number in range(worker, len(self._spans), self._n_workers):
            self._replicas.forget(number, is_hot)
