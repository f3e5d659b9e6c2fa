"""The crew on one machine: threads that take pieces of the text and share all rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from adagram.arrays import Arrays
from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.kernels.arrays import Span
from adagram.maths.subsampling import expected_counts, keep_probability
from adagram.model.rest import REST
from adagram.model.storage import ARRAYS, read_arrays, write_arrays
from adagram.systems.base import Scratch, System
from adagram.systems.past import Past
from adagram.systems.registry import system_class
from adagram.training.crew import Round, sum_tallies
from adagram.training.interrupt import Stop
from adagram.training.order import visits
from adagram.training.pace import Pace, processors
from adagram.training.spans import Piece, SpanMaker

STATE = "trainer.safetensors"


class Threads:
    """A `Crew`. With one thread its work can be repeated bit for bit; several see each other's changes as they come."""

    n_workers = None

    def __init__(
        self, corpus: EncodedCorpus, config: TrainConfig, pace: Pace, past: Past | None = None
    ) -> None:
        self.corpus, self.config, self._past = corpus, config, past
        self.n_threads = self.threads_for(config)
        # What the hot rows of a thread have not seen of the others, n - 1 pieces, is as much with any number of them.
        self.piece = pace.piece_of(len(corpus.tokens), self.n_threads, max(1, self.n_threads - 1))
        piece = pace.piece_of(len(corpus.tokens), self.n_threads)
        self.round_tokens = self.n_threads * pace.pieces_per_round * piece
        self.system: System
        self._threads: list[_Thread] = []

    def threads_for(self, config: TrainConfig) -> int:
        """More threads than processors would only take turns."""
        return min(config.n_threads, processors())

    def start(self) -> None:
        self.system = self.new_system(self.n_threads)
        self._threads = [
            _Thread(self.system, self.system.scratch(n), spans) for n, spans in enumerate(self.span_makers())
        ]

    def new_system(self, n_threads: int) -> System:
        """With its initial state, or that of the past, for so many threads that share it."""
        vocabulary, config = self.corpus.vocabulary, replace(self.config, threads=n_threads)
        totals = expected_counts(vocabulary.counts, config.subsample)
        system = system_class(config.algorithm)(config, vocabulary, totals, None, self._past)
        system.start()
        return system

    def span_makers(self) -> list[SpanMaker]:
        """One for each thread."""
        keep = keep_probability(self.corpus.vocabulary.counts, self.config.subsample)
        limits = self.system.limits()
        return [
            SpanMaker(self.corpus, self.config, keep, self.piece, limits=limits)
            for _ in range(self.n_threads)
        ]

    def restore(self, folder: Path) -> None:
        self.system.restore(read_arrays(folder / STATE))

    def round(self, start: int, stop: int, wish: Stop) -> Round:
        n_tokens = len(self.corpus.tokens)
        todo = visits(n_tokens, self.config, start, stop, self.piece)
        ahead = _Dispenser(todo, n_tokens, start, wish)
        with ThreadPoolExecutor(len(self._threads)) as pool:
            while True:
                list(pool.map(lambda thread: thread.work(ahead), self._threads))
                if not any(thread.span for thread in self._threads):
                    break
                self.system.grow()
        for thread in self._threads:
            thread.finish()
        return Round(ahead.reached, sum_tallies(thread.scratch.take_tally() for thread in self._threads))

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
        self._threads = []


class _Dispenser:
    """Hands out pieces in order, so that what was handed out is always a prefix of the run."""

    def __init__(self, pieces: Iterator[Piece], n_tokens: int, start: int, wish: Stop) -> None:
        self._pieces, self._n_tokens, self._wish = pieces, n_tokens, wish
        self._lock = threading.Lock()
        self.reached = start

    def take(self) -> Piece | None:
        with self._lock:
            piece = None if self._wish else next(self._pieces, None)
            if piece is not None:
                self.reached = piece.epoch * self._n_tokens + piece.stop + piece.shift
            return piece


class _Thread:
    """What a thread works with and the span it is on; a span is left over when the system has to grow first."""

    def __init__(self, system: System, scratch: Scratch, spans: SpanMaker) -> None:
        self.system, self.scratch, self.spans = system, scratch, spans
        self.span: Span | None = None
        self._start = 0  # the span's first token, also after a part of it is done

    def work(self, pieces: _Dispenser) -> None:
        while True:
            if self.span is None:
                piece = pieces.take()
                if piece is None:
                    return
                self.span = self.spans.make(piece)
                self._start = self.span.first
                if self._start == self.span.last:  # every token of the piece was dropped
                    self.span = None
                    continue
            reached = self.system.train(self.span, self.scratch)
            if reached < self.span.last:
                self.span = self.span._replace(first=reached)
                if not self.system.make_room(self.scratch):
                    return
            else:
                n_tokens = (self.span.last - self._start) // self.spans.per_token
                self.system.fold(self.scratch, n_tokens, float(self.span.rates[self._start]))
                self.span = None

    def finish(self) -> None:
        """At a safe point every thread takes over what the others folded last."""
        self.system.fold(self.scratch, 0, 0.0)
