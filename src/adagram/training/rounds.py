"""When several workers merge their output rows: hot rows after every step, all rows after every round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

STEP = (
    4096  # tokens of a worker between two merges of the hot rows; fewer in small corpora, which learn faster
)
STEPS = 64  # an epoch has at least so many, if they have SMALLEST tokens
SMALLEST = 256
ROUND = 32  # steps between two merges of all rows


class Step(NamedTuple):
    """Places start:stop of the run, and whether all rows are merged after it."""

    start: int
    stop: int
    is_full: bool


def rounds(n_tokens: int, start: int, total: int, n_workers: int) -> Iterator[list[Step]]:
    """The steps of each round from place `start`; where a run was stopped after a round, it goes on the same."""
    size = n_workers * min(STEP, max(SMALLEST, n_tokens // (STEPS * n_workers)))
    while start < total:
        stop = min(total, start + ROUND * size)
        ends = [min(stop, at + size) for at in range(start, stop, size)]
        yield [Step(a, b, b == stop) for a, b in zip([start, *ends], ends, strict=False)]
        start = stop
