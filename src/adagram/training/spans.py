"""Pieces of the corpus made ready for a kernel: subsampled, windowed, with the learning rate of every token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.kernels.arrays import Span
from adagram.kernels.windows import bound_windows, cut_at_ends, keep_all, keep_tokens, write_pairs
from adagram.maths.schedule import Limits, learning_rate
from adagram.types import I32, Floats

_KEEP, _SHRINK = 1, 2  # random streams


@dataclass(frozen=True)
class Piece:
    """Tokens start:stop of the corpus in one epoch, visited `shift` places later than they stand there."""

    epoch: int
    start: int
    stop: int
    shift: int = 0


class SpanMaker:
    """Turns pieces into spans, in buffers of its own: a span is valid until the next one is made.

    `homes` gives each word its number among those that are trained here, or -1; without it all words are. Where only
    some are, output rows move `reach` times as far for each. `limits` are the highest rates of each word, if any.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainConfig,
        keep: Floats,
        size: int,
        homes: I32 | None = None,
        reach: float = 1.0,
        limits: Limits | None = None,
    ) -> None:
        self.corpus = corpus
        self.config = config
        self.keep = keep if np.any(keep < 1.0) else None
        self._total = config.epochs * len(corpus.tokens)
        room = size + 2 * config.window
        self._homes, self._reach, self._limits = homes, np.float32(reach), limits
        self._tokens = np.empty(room, np.int32)
        self._owned = self._tokens if homes is None else np.empty(room, np.int32)
        self._places = np.empty(room, np.int64)
        self._left = np.empty(room, np.int32)
        self._right = np.empty(room, np.int32)
        self._pairs = pairs_room(size * 2 * config.window, reach) if config.step == "pair" else None
        self.per_token = 1 if self._pairs is None else 4 * config.window  # places in a span

    def make(self, piece: Piece) -> Span:
        config, tokens, places = self.config, self._tokens, self._places
        corpus = self.corpus.tokens
        if self.keep is None:
            n, first, last = keep_all(corpus, piece.start, piece.stop, config.window, tokens, places)
        else:
            key = stream_key(config.seed, piece.epoch, _KEEP)
            n, first, last = keep_tokens(
                corpus, piece.start, piece.stop, config.window, self.keep, key, tokens, places
            )
        key = stream_key(config.seed, piece.epoch, _SHRINK)
        bound_windows(n, config.window, config.shrink_windows, key, places, self._left, self._right)
        if config.respect_boundaries and n:
            cut_at_ends(n, places, self.corpus.ends, self._left, self._right)
        if self._homes is not None:
            self._owned[:n] = self._homes[tokens[:n]]
        done = piece.epoch * len(corpus) + piece.shift + places[:n]
        tops = rates = lambdas = learning_rate(config.lr, done, self._total).astype(np.float32)
        if self._limits is not None:
            most, counts = self._limits.vectors[tokens[:n]], self._limits.counts[tokens[:n]]
            rates = np.minimum(tops, most).astype(np.float32)
            lambdas = np.where(counts < 1.0, counts, tops).astype(np.float32)  # new words: as in a first run
        reach, bounds = self._reach, (int(first), int(last))
        span = Span(tokens, self._owned, self._left, self._right, rates, *bounds, done, reach, tops, lambdas)
        return span if self._pairs is None else self._pairs._replace(last=write_pairs(span, self._pairs))


def pairs_room(n: int, reach: float) -> Span:
    """Room for n pairs of a word and one word of its context."""
    tokens, owned, left, right = (np.empty(2 * n, np.int32) for _ in range(4))
    rates, places = np.empty(2 * n, np.float32), np.empty(2 * n, np.int64)
    return Span(tokens, owned, left, right, rates, 0, 0, places, np.float32(reach), rates, rates)


def pieces(n_tokens: int, start: int, stop: int, size: int) -> Iterator[Piece]:
    """Places `start` to `stop` of the run, cut at every multiple of `size` and at the ends of epochs."""
    while start < stop:
        epoch, at = divmod(start, n_tokens)
        end = min(n_tokens, at + size - start % size, stop - epoch * n_tokens)
        yield Piece(epoch, at, end)
        start = epoch * n_tokens + end


@lru_cache(maxsize=8)
def stream_key(seed: int, epoch: int, stream: int) -> np.uint64:
    """A key for `random_bits` that differs by seed, epoch and use."""
    return np.uint64(np.random.SeedSequence([seed, epoch, stream]).generate_state(1, np.uint64)[0])
