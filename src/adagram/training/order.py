"""In which order a run visits the text: as it stands, or its blocks in a random order that differs by pass."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from adagram.config import TrainConfig
from adagram.training.pace import Pace
from adagram.training.spans import Piece, pieces
from adagram.types import I64

_ORDER = 3  # random stream


def visits(n_tokens: int, config: TrainConfig, start: int, stop: int, size: int) -> Iterator[Piece]:
    """What is visited at places start:stop of the run, in pieces of up to `size` tokens.

    With `shuffle` the blocks of a pass change places. They begin at multiples of their length in the run, so that
    pieces are no shorter than without; what is left at the two ends of the text stays there. The order depends on
    nothing but the seed, the pass and the length of the text: a run goes on anywhere.
    """
    for piece in pieces(n_tokens, start, stop, size):
        if config.shuffle:
            yield from _moved(piece, n_tokens, config.seed)
        else:
            yield piece


def _moved(piece: Piece, n_tokens: int, seed: int) -> Iterator[Piece]:
    """The text that is visited at the places of a piece."""
    block = Pace().piece_of(n_tokens)
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
    """Which block of the text each block of a pass is."""
    return np.random.default_rng([seed, epoch, _ORDER]).permutation(n_blocks)
