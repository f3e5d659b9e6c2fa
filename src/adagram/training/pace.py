"""How finely a run on one machine is cut."""

from __future__ import annotations

import os
from dataclasses import dataclass

from adagram.kernels.arrays import STRETCH

REPORT_SECONDS = 1.0


@dataclass(frozen=True)
class Pace:
    """Pieces of text are handed to threads; after a round of them is a safe point for reports and checkpoints."""

    piece: int = 4096  # tokens between two folds of the hot rows; fewer in small corpora, which learn faster
    pieces_per_epoch: int = 64  # a thread gets at least so many, if they have `smallest` tokens
    smallest: int = STRETCH
    pieces_per_round: int = 64  # for each thread: at its end a thread waits for half a piece
    report_seconds: float = REPORT_SECONDS
    block: int = 1_000_000  # words of a stream that are learned at a time: see `adagram.streaming`

    def piece_of(self, n_tokens: int, n_threads: int, parts: int = 1) -> int:
        """Tokens of a piece in a corpus of n_tokens; `parts` of it are at most `piece`."""
        share = min(self.piece // parts, n_tokens // (self.pieces_per_epoch * n_threads))
        return max(min(self.smallest, self.piece), share // STRETCH * STRETCH)


def processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
