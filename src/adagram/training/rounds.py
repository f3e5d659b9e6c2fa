"""How far several workers go before their output rows are merged."""

from __future__ import annotations

from collections.abc import Iterator

from adagram.kernels.arrays import STRETCH

ROUND = 524_288  # tokens of all workers; fewer in small corpora, which learn faster
FEWEST = 131_072  # of them for each worker
ROUNDS = 8  # an epoch has at least so many, if they have SMALLEST tokens
SMALLEST = STRETCH  # for each worker
SHORT = 131_072  # tokens of all workers between two merges of the hot rows, which most windows change
SHORTEST = 16_384  # of them for each worker: calls take time too


def rounds(n_tokens: int, start: int, total: int, n_workers: int) -> Iterator[tuple[int, int]]:
    """First and last place of each round from place `start`; a run stopped after a round goes on the same."""
    size = min(
        max(ROUND, n_workers * FEWEST), max(n_workers * SMALLEST, n_tokens // ROUNDS // STRETCH * STRETCH)
    )
    return _cut(start, total, size)


def short_rounds(start: int, stop: int, n_workers: int) -> Iterator[tuple[int, int]]:
    """A round cut into those after which the hot rows are merged; after the last one all rows are."""
    return _cut(start, stop, max(SHORT, n_workers * SHORTEST))


def _cut(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    while start < stop:
        end = min(stop, start + size)
        yield start, end
        start = end
