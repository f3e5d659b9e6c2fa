"""The crew of a deterministic run: threads that train copies of the system, which are made equal in a fixed order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.maths.schedule import learning_rate
from adagram.systems.past import Past
from adagram.systems.replicas import Replicas
from adagram.systems.tree import TreeSystem
from adagram.training.crew import Round, sum_tallies
from adagram.training.interrupt import Stop
from adagram.training.order import visits
from adagram.training.pace import Pace
from adagram.training.spans import Piece
from adagram.training.threads import Threads

STRIDE = 8  # pieces of each thread between two merges of all rows


class ReplicaThreads(Threads):
    """A `Crew` of several threads whose work can be repeated bit for bit.

    Each thread has a copy of the system. The text is cut into strides with some pieces for each thread; after a stride
    all copies are made equal. Where a stride begins depends on nothing but the text and the number of threads.
    """

    def __init__(
        self, corpus: EncodedCorpus, config: TrainConfig, pace: Pace, past: Past | None = None
    ) -> None:
        super().__init__(corpus, config, pace, past)
        # Copies share no rows, so they are made equal more often than threads that do.
        self.piece = pace.piece_of(len(corpus.tokens), config.n_threads, parts=config.n_threads)
        self._stride = STRIDE * self.piece * config.n_threads
        self._total = config.epochs * len(corpus.tokens)
        self.round_tokens = max(1, pace.pieces_per_round // (STRIDE * config.n_threads)) * self._stride

    def start(self) -> None:
        self.system = self.new_system(replace(self.config, threads=1))
        if not isinstance(self.system, TreeSystem):
            raise AssertionError(f"{self.config.algorithm} has no tree")
        self._replicas = Replicas(self.system, self.config.n_threads)
        self._spans = self.span_makers()

    def restore(self, folder: Path) -> None:
        super().restore(folder)
        self._replicas.take()

    def round(self, start: int, stop: int, wish: Stop) -> Round:
        with ThreadPoolExecutor(self.config.n_threads) as pool:
            while start < stop and not wish:
                end = min(stop, start - start % self._stride + self._stride)
                self._train_stride(pool, start, end)
                start = end
        return Round(start, sum_tallies(scratch.take_tally() for scratch in self._replicas.scratches))

    def _train_stride(self, pool: ThreadPoolExecutor, start: int, stop: int) -> None:
        """Hot rows are made equal after every piece, the others at the end."""
        numbers, n_tokens = range(self.config.n_threads), 0.0
        rate = learning_rate(self.config.lr, start, self._total)
        todo = list(visits(len(self.corpus.tokens), self.config, start, stop, self.piece))
        for first in range(0, len(todo), len(numbers)):
            trained = sum(pool.map(self._train, numbers, todo[first : first + len(numbers)])) / len(numbers)
            n_tokens += trained
            self._replicas.merge(pool, trained, rate, is_hot=True)
        self._replicas.merge(pool, n_tokens, rate, is_hot=False)

    def _train(self, number: int, piece: Piece) -> int:
        """Returns how many tokens it trained."""
        spans = self._spans[number]
        span = spans.make(piece)
        self._replicas.train(number, span)
        return (span.last - span.first) // spans.per_token

    def stop(self) -> None:
        del self._replicas, self._spans
