"""How finely a run on a cluster is cut, and how long workers are waited for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adagram.kernels.arrays import STRETCH
from adagram.training.workers import REPORT_SECONDS


@dataclass(frozen=True)
class ClusterPace:
    """Tokens are those of all workers together, unless it says otherwise."""

    round: int = 524_288  # between two merges of all output rows; fewer in small corpora, which learn faster
    fewest: int = 131_072  # of them for each worker
    rounds_per_epoch: int = 8  # at least so many, if they have `smallest` tokens
    smallest: int = STRETCH  # for each worker
    short: int = 131_072  # between two merges of the hot rows, which most windows change
    shortest: int = 16_384  # of them for each worker: calls take time too
    report_seconds: float = REPORT_SECONDS
    placement_seconds: float = 60.0  # in which all workers must have found a place

    def round_of(self, n_tokens: int, n_workers: int) -> int:
        """Tokens of a round in a corpus of n_tokens."""
        longest = max(self.round, n_workers * self.fewest)
        return min(
            longest, max(n_workers * self.smallest, n_tokens // self.rounds_per_epoch // STRETCH * STRETCH)
        )

    def short_rounds(self, start: int, stop: int, n_workers: int) -> Iterator[tuple[int, int]]:
        """A round cut into those after which the hot rows are merged; after the last one all rows are."""
        size = max(self.short, n_workers * self.shortest)
        for first in range(start, stop, size):
            yield first, min(stop, first + size)
