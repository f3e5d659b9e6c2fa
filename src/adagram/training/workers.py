"""Workers of a run: how the text is cut into pieces, and the threads of this process that train on them."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.arrays import BLOCK_SPAN, Span
from adagram.model.storage import ARRAYS, REST, read_arrays, write_arrays
from adagram.paper.schedule import expected_counts, keep_probability, learning_rate
from adagram.systems.base import System, system_class, take_tally
from adagram.training._workers import LINE, arrive, bound_windows, cut_at_ends, is_complete, keep_tokens
from adagram.training.continued_systems import CONTINUED, PreviousState
from adagram.training.progress import Stop, sum_tallies
from adagram.types import I32, I64, ArrayMap, Arrays

LOG = logging.getLogger("adagram")
REPORT_SECONDS = 1.0
_KEEP, _SHRINK, _ORDER = 1, 2, 3  # random streams


@dataclass(frozen=True)
class Chunks:
    """Lanes share a piece of text and are merged after it; a round ends at a safe point for reports and checkpoints."""

    piece: int = 4096  # tokens of a piece, if there is one lane
    lane_tokens: int = 1024  # tokens of each lane in a piece, if there are several
    pieces_per_epoch: int = 64  # at least, if they have `smallest` tokens
    smallest: int = BLOCK_SPAN
    pieces_per_round: int = 64
    report_seconds: float = REPORT_SECONDS
    block: int = 1_000_000  # words of a stream that are learned at a time: see `adagram.training.stream`

    def piece_of(self, n_tokens: int, n_lanes: int = 1) -> int:
        """Return the tokens of a piece in a corpus of n_tokens."""
        max_piece = self.piece if n_lanes == 1 else self.lane_tokens * n_lanes
        share = min(max_piece, n_tokens // self.pieces_per_epoch)
        return max(min(self.smallest, self.piece), share // BLOCK_SPAN * BLOCK_SPAN)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Piece:
    """Tokens start:stop of the corpus in one epoch, visited `shift` positions later than they stand there."""

    epoch: int
    start: int
    stop: int
    shift: int = 0


class SpanMaker:
    """Turn pieces into spans, in its own buffers: a span is valid until the next one is made."""

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig, size: int) -> None:
        self.corpus, self.config = corpus, config
        self._keep = keep_probability(corpus.vocabulary.counts, config.subsample)
        self._total = config.epochs * len(corpus.tokens)
        room = size + 2 * config.window
        self._tokens = np.empty(room, np.int32)
        self._positions = np.empty(room, np.int64)
        self._left, self._right = np.empty(room, np.int32), np.empty(room, np.int32)
        self._shifts = np.zeros(room, np.int32)

    def make(self, piece: Piece) -> Span:
        config, tokens, positions = self.config, self._tokens, self._positions
        corpus = self.corpus.tokens
        key = stream_key(config.seed, piece.epoch, _KEEP)
        n, first, last = keep_tokens(corpus, piece.start, piece.stop, config.window, self._keep, key, tokens, positions)
        key = stream_key(config.seed, piece.epoch, _SHRINK)
        bound_windows(n, config.window, config.shrink_windows, key, positions, self._left, self._right)
        if config.respect_boundaries and n:
            cut_at_ends(n, positions, self.corpus.ends, self._left, self._right)
        done = piece.epoch * len(corpus) + piece.shift + positions[:n]
        rates = learning_rate(config.lr, done, self._total).astype(np.float32)
        return Span(tokens, self._left, self._right, rates, rates, int(first), int(last), done, self._shifts)


class Lanes:
    """A span cut into lanes. Threads take `shares` of them."""

    def __init__(self, span: Span, shifts: I32, n_shares: int) -> None:
        n_lanes = len(shifts)
        bounds = span.first + (span.last - span.first) * np.arange(n_lanes + 1) // n_lanes
        sizes = np.diff(bounds)
        span.shifts[span.first : span.last] = np.repeat(shifts, sizes)
        self.n_trained = int(np.count_nonzero(sizes))  # lanes to merge
        ends = bounds[n_lanes * np.arange(n_shares + 1) // n_shares].tolist()
        # next() is atomic: each share is taken by one thread.
        self.shares = iter([span._replace(first=first, last=last) for first, last in pairwise(ends)])


def pieces(n_tokens: int, start: int, stop: int, size: int) -> Iterator[Piece]:
    """Cut positions start:stop of the run at every multiple of `size` and at the ends of epochs."""
    while start < stop:
        epoch, at = divmod(start, n_tokens)
        end = min(n_tokens, at + size - start % size, stop - epoch * n_tokens)
        yield Piece(epoch, at, end)
        start = epoch * n_tokens + end


@lru_cache(maxsize=8)
def stream_key(seed: int, epoch: int, stream: int) -> np.uint64:
    """Return a key for `random_bits` that differs by seed, epoch and use."""
    return np.uint64(np.random.SeedSequence([seed, epoch, stream]).generate_state(1, np.uint64)[0])


def visits(n_tokens: int, config: TrainConfig, start: int, stop: int, size: int) -> Iterator[Piece]:
    """Yield the text at positions start:stop of the run, in pieces of up to `size` tokens.

    With `shuffle` the blocks of a pass are permuted. They start at multiples of their length in the run, so pieces are
    not shorter than without; the rest at the two ends of the text stays there. The order depends only on the seed, the
    pass and the length of the text, so a run can be resumed anywhere.
    """
    for piece in pieces(n_tokens, start, stop, size):
        if config.shuffle:
            yield from _moved(piece, n_tokens, config.seed)
        else:
            yield piece


def _moved(piece: Piece, n_tokens: int, seed: int) -> Iterator[Piece]:
    """Yield the text that is visited at the positions of a piece."""
    block = Chunks().piece_of(n_tokens)
    begin = -piece.epoch * n_tokens % block  # of the first whole block
    order = block_order(seed, piece.epoch, max(0, (n_tokens - begin) // block))
    at = piece.start
    while at < piece.stop:
        number = (at - begin) // block
        end = min(piece.stop, begin + (number + 1) * block)
        shift = (number - int(order[number])) * block if 0 <= number < len(order) else 0
        yield Piece(piece.epoch, at - shift, end - shift, shift)
        at = end


@lru_cache(maxsize=2)
def block_order(seed: int, epoch: int, n_blocks: int) -> I64:
    """Return which block of the text each block of a pass is."""
    return np.random.default_rng([seed, epoch, _ORDER]).permutation(n_blocks)


class Round(NamedTuple):
    """The result of a round."""

    reached: int  # position in the run; before the end of the round only if the user asked to stop
    tally: dict[str, float]  # sums over its tokens, by the names of `adagram.kernels.arrays.TALLY`


class Workers(Protocol):
    """Threads of this process, or workers of a cluster. Files are written into folders that exist."""

    @property
    def round_tokens(self) -> int:
        """Tokens between two safe points."""

    def start(self) -> None:
        """Set the initial state."""

    def restore(self, folder: Path) -> None:
        """Read the state that `write_state` wrote."""

    def round(self, start: int, stop: int, stop_requested: Stop) -> Round:
        """Train on positions start:stop of the run, which are counted over all epochs."""

    def about(self) -> dict[str, int]:
        """Return the number of threads or workers that trained, for config.json."""

    def write_state(self, folder: Path) -> None:
        """Write all that is needed to resume."""

    def write_arrays(self, folder: Path) -> tuple[ArrayMap, ArrayMap]:
        """Write the arrays of the model, and those that continuing it needs; return both."""


SPINS = 300_000  # about a millisecond
PAUSE = 2e-5  # seconds of sleep between two checks after that


class BarrierCancelled(Exception):
    """Another thread has failed and will not arrive."""


class Barrier:
    """Block each of n threads until all have called `wait`."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._arrived: I64 = np.zeros(LINE * n, np.int64)  # a cache line for each thread
        self._is_cancelled = False

    def wait(self, thread: int) -> None:
        if self._n == 1:
            return
        arrive(self._arrived, thread)
        spins = SPINS
        while not is_complete(self._arrived, thread, spins):
            if self._is_cancelled:
                raise BarrierCancelled
            spins = 1
            time.sleep(PAUSE)

    def cancel(self) -> None:
        """Release all threads that wait, with BarrierCancelled."""
        self._is_cancelled = True


STATE = "trainer.safetensors"
SHARES = 2  # of the lanes, for each thread


class Threads:
    """`Workers` that are threads of this process; they train lanes of text.

    With one thread a run can be repeated bit for bit. Several threads update rows that are not hot without locks, so
    runs differ by rounding and by the order of rare collisions.
    """

    def __init__(
        self, corpus: EncodedCorpus, config: TrainConfig, chunks: Chunks, previous: PreviousState | None = None
    ) -> None:
        self.corpus, self.config, self._previous = corpus, config, previous
        self.n_lanes = config.lanes or 1
        if config.threads and config.threads > processors():
            LOG.warning("threads is %d, but there are %d processors: so many run", config.threads, processors())
        self.n_threads = min(config.n_threads, processors(), self.n_lanes)
        self.piece = chunks.piece_of(len(corpus.tokens), self.n_lanes)
        self.round_tokens = chunks.pieces_per_round * self.piece
        self.system: System

    def start(self) -> None:
        self.system = new_system(self.config, self.corpus.vocabulary, self._previous)
        self.scratches = [self.system.scratch() for _ in range(self.n_threads)]
        self.makers = [SpanMaker(self.corpus, self.config, self.piece) for _ in self.scratches]

    def restore(self, folder: Path) -> None:
        self.system.restore(read_arrays(folder / STATE))

    def round(self, start: int, stop: int, stop_requested: Stop) -> Round:
        pieces = visits(len(self.corpus.tokens), self.config, start, stop, self.piece)
        this = _Round(self, pieces, start, stop_requested)
        with ThreadPoolExecutor(self.n_threads) as pool:
            list(pool.map(this.work, range(self.n_threads)))
        return Round(this.reached, sum_tallies(take_tally(scratch) for scratch in self.scratches))

    def about(self) -> dict[str, int]:
        return {"threads": self.n_threads}

    def write_state(self, folder: Path) -> None:
        write_arrays(folder / STATE, self.system.state())

    def write_arrays(self, folder: Path) -> tuple[ArrayMap, ArrayMap]:
        return write_model_arrays(self.system, folder)


def write_model_arrays(system: System, folder: Path) -> tuple[Arrays, Arrays]:
    """Write the arrays of the model, and those that continuing it needs; return both."""
    (arrays, rest), checksum = system.arrays(), system.vocabulary.checksum
    write_arrays(folder / ARRAYS, arrays, checksum)
    if rest:
        write_arrays(folder / REST, rest, checksum)
    return arrays, rest


def new_system(config: TrainConfig, vocabulary: Vocabulary, previous: PreviousState | None) -> System:
    """Return a system in its initial state."""
    arguments = config, vocabulary, expected_counts(vocabulary.counts, config.subsample)
    name = config.algorithm
    system = CONTINUED[name](*arguments, previous) if previous else system_class(name)(*arguments)
    system.start()
    return system


class _Round:
    """A round; all threads run `work`. What the lanes train at the same time stands side by side in the text."""

    def __init__(self, threads: Threads, pieces: Iterator[Piece], start: int, stop_requested: Stop) -> None:
        self._threads, self._pieces, self._stop_requested = threads, pieces, stop_requested
        self._barrier = Barrier(threads.n_threads)
        # Several shares for each thread, so that one that is held up does not hold up the others.
        self._n_shares = 1 if threads.n_threads == 1 else min(threads.n_lanes, SHARES * threads.n_threads)
        self._needs_room = False
        self.reached = start
        self._pieces_taken = self._take()
        self._lanes: dict[int, Lanes] = {}  # of each piece that was taken

    def _take(self) -> list[Piece]:
        """Return a piece for each thread to prepare; none after the last, or when the user has asked to stop."""
        pieces = [] if self._stop_requested else list(islice(self._pieces, self._threads.n_threads))
        if pieces:
            last = pieces[-1]
            self.reached = last.epoch * len(self._threads.corpus.tokens) + last.stop + last.shift
        return pieces

    def work(self, thread: int) -> None:
        """Prepare, train and merge as one of the threads, to the end of the round."""
        try:
            while pieces := self._pieces_taken:
                if thread < len(pieces):
                    span, shifts = self._threads.makers[thread].make(pieces[thread]), self._threads.system.output.shifts
                    self._lanes[thread] = Lanes(span, shifts, self._n_shares)
                self._barrier.wait(thread)
                if thread == 0:
                    self._pieces_taken = self._take()  # the others read it after the next barrier
                for number in range(len(pieces)):
                    self._train(thread, self._lanes[number])
        except BarrierCancelled:
            return  # the thread that cancelled it raises
        except BaseException:
            self._barrier.cancel()
            raise

    def _train(self, thread: int, lanes: Lanes) -> None:
        """Train lanes until all are done, and merge them."""
        system, work = self._threads.system, self._train_shares(thread, lanes)
        while True:
            if next(work, None) is not None:
                self._needs_room = True
            self._barrier.wait(thread)
            if not self._needs_room:
                break
            self._barrier.wait(thread)
            if thread == 0:
                system.grow()
                self._needs_room = False
            self._barrier.wait(thread)
        if thread == 0:
            system.output.merge(lanes.n_trained)
        self._barrier.wait(thread)

    def _train_shares(self, thread: int, lanes: Lanes) -> Iterator[Span]:
        """Train shares that no thread has taken; yield what is left of one for which there is no room."""
        system, scratch = self._threads.system, self._threads.scratches[thread]
        for span in lanes.shares:
            while span.first < span.last:
                span = span._replace(first=system.train(span, scratch))
                if span.first < span.last and not system.make_room(scratch):
                    yield span
