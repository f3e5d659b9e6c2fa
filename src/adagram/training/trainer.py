"""Runs a system over an encoded corpus: rounds of small pieces handed to threads, with safe points in between."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.kernels.arrays import STRETCH, Span
from adagram.maths.subsampling import keep_probability
from adagram.systems.base import Arrays, System, Worker
from adagram.systems.registry import system_class
from adagram.training.interrupt import Stop, interruptible
from adagram.training.progress import Meter, Progress, Report
from adagram.training.spans import Piece, SpanMaker, pieces

PIECE = 4096  # tokens between two folds of the hot rows; fewer in small corpora, which learn faster
PIECES = 64  # a thread gets at least so many in an epoch, if they have STRETCH tokens
ROUND = 32  # pieces between two safe points, where progress is reported and a checkpoint can be written
REPORT_SECONDS = 1.0
WORST_BOUND = -50.0  # nats per context word; chance is about -log(n_words), so this is divergence


@dataclass
class Position:
    """How far a run has come; with the system's state it is all that a checkpoint needs."""

    words: int = 0  # corpus words passed, over all epochs
    seconds: float = 0.0


class Interrupted(KeyboardInterrupt):
    """The user stopped the run at a safe point."""


class Trainer:
    """`run` trains to the end; `on_safe_point` is called between rounds, and may write a checkpoint."""

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig) -> None:
        check_corpus(corpus)
        self.corpus = corpus
        self.config = config
        self.position = Position()
        self.total = config.epochs * len(corpus.tokens)
        share = len(corpus.tokens) // (PIECES * config.n_threads)
        self._piece = min(PIECE, max(1, share // STRETCH) * STRETCH)
        self._keep = keep_probability(corpus.vocabulary.counts, config.subsample)
        # With subsampling n_w is the expected number of kept occurrences.
        totals = corpus.vocabulary.counts * self._keep
        self.system: System = system_class(config.algorithm)(config, corpus.vocabulary, totals)
        self.system.start()

    def restore(self, arrays: Arrays, position: Position) -> None:
        self.system.restore(arrays)
        self.position = position

    def run(self, report: Report, on_safe_point: Callable[[bool], None]) -> None:
        """Train from the current position; on_safe_point(is_last) is called between rounds, last when stopped."""
        threads = [
            _Thread(self.system, self.system.worker(number), self._span_maker())
            for number in range(self.config.n_threads)
        ]
        meter = Meter(self.position.words, self.total, self.position.seconds)
        with interruptible() as stop, ThreadPoolExecutor(len(threads)) as pool:
            while self.position.words < self.total:
                self._round(threads, pool, stop)
                self.position.seconds = meter.seconds
                for thread in threads:
                    meter.add(thread.worker.take_tally())
                done = self.position.words >= self.total
                if done or stop or meter.since_last >= REPORT_SECONDS:
                    progress = meter.report(self.position.words, self._rate())
                    check_progress(progress, self.config)
                    report(progress)
                if stop and not done:
                    on_safe_point(True)
                    raise Interrupted
                on_safe_point(False)

    def _round(self, threads: list[_Thread], pool: ThreadPoolExecutor, stop: Stop) -> None:
        n_tokens = len(self.corpus.tokens)
        ahead = _Dispenser(pieces(n_tokens, self.position.words, self.total, self._piece), ROUND, stop)
        while True:
            list(pool.map(lambda thread: thread.work(ahead), threads))
            if not any(thread.span for thread in threads):
                break
            self.system.grow()
        for thread in threads:
            thread.finish()
        self.position.words = ahead.reached or self.position.words

    def _span_maker(self) -> SpanMaker:
        return SpanMaker(self.corpus, self.config, self._keep, self._piece)

    def _rate(self) -> float:
        return self.config.lr * (1.0 - self.position.words / self.total)


class _Dispenser:
    """Hands out pieces in order, so that what was handed out is always a prefix of the run."""

    def __init__(self, pieces: Iterator[Piece], limit: int, stop: Stop) -> None:
        self._pieces, self._left, self._stop = pieces, limit, stop
        self._lock = threading.Lock()
        self.reached: int | None = None

    def take(self, n_tokens: int) -> Piece | None:
        with self._lock:
            if self._stop or self._left == 0:
                return None
            piece = next(self._pieces, None)
            if piece is not None:
                self._left -= 1
                self.reached = piece.epoch * n_tokens + piece.stop
            return piece


class _Thread:
    """One worker and the span it is on; a span is left over when the system has to grow first."""

    def __init__(self, system: System, worker: Worker, spans: SpanMaker) -> None:
        self.system, self.worker, self.spans = system, worker, spans
        self.span: Span | None = None
        self._start = 0  # the span's first token, also after a part of it is done

    def work(self, pieces: _Dispenser) -> None:
        while True:
            if self.span is None:
                piece = pieces.take(len(self.spans.corpus.tokens))
                if piece is None:
                    return
                self.span = self.spans.make(piece)
                self._start = self.span.first
                if self._start == self.span.last:  # every token of the piece was dropped
                    self.span = None
                    continue
            reached = self.system.train(self.span, self.worker)
            if reached < self.span.last:
                self.span = self.span._replace(first=reached)
                if not self.system.make_room(self.worker):
                    return
            else:
                n_tokens = (self.span.last - self._start) // self.spans.per_token
                self.system.fold(self.worker, n_tokens, float(self.span.rates[self._start]))
                self.span = None

    def finish(self) -> None:
        """At a safe point every thread takes over what the others folded last."""
        self.system.fold(self.worker, 0, 0.0)


def check_corpus(corpus: EncodedCorpus) -> None:
    n_words = len(corpus.vocabulary)
    if n_words == 0 or len(corpus.tokens) == 0:
        raise InputError("the corpus has no words left to train on; lower min_count or give more text")
    if n_words == 1:
        word = corpus.vocabulary.words[0]
        raise InputError(f"the vocabulary has only the word '{word}'; lower min_count or give more text")
    top = int(np.max(corpus.tokens))
    if top >= n_words:
        raise InputError(f"the encoded corpus has token id {top}, but its vocabulary only {n_words} words")


def check_progress(progress: Progress, config: TrainConfig) -> None:
    if not math.isfinite(progress.bound) or progress.bound < WORST_BOUND:
        raise AdagramError(
            f"training diverged after {progress.words} words: the bound is {progress.bound:.3g} per context word; "
            f"lower lr, which is {config.lr}"
        )
