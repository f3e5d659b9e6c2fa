"""How far several workers go before their output rows are merged."""

from __future__ import annotations

from collections.abc import Iterator

ROUND = 131_072  # tokens for each worker; fewer in small corpora, which learn faster
ROUNDS = 8  # an epoch has at least so many, if they have SMALLEST tokens
SMALLEST = 256


def rounds(n_tokens: int, start: int, total: int, n_workers: int) -> Iterator[tuple[int, int]]:
    """First and last place of each round from place `start`; a run stopped after a round goes on the same."""
    size = n_workers * min(ROUND, max(SMALLEST, n_tokens // (ROUNDS * n_workers)))
    while start < total:
        stop = min(total, start + size)
        yield start, stop
        start = stop
