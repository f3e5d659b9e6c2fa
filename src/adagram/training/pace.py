"""How finely a run on one machine is cut."""

from __future__ import annotations

import os
from dataclasses import dataclass

from adagram.kernels.arrays import STRETCH

REPORT_SECONDS = 1.0


@dataclass(frozen=True)
class Pace:
    """A turn is a piece of text for each lane; a round of turns ends at a safe point for reports and checkpoints."""

    piece: int = 4096  # tokens of a piece, if there is one lane
    lane_piece: int = 512  # tokens that a lane trains between two merges
    pieces_per_epoch: int = 64  # at least, if they have `smallest` tokens
    smallest: int = STRETCH
    pieces_per_round: int = 64  # of a round with one lane
    turns: int = 16  # of a round with several lanes
    report_seconds: float = REPORT_SECONDS
    block: int = 1_000_000  # words of a stream that are learned at a time: see `adagram.streaming`

    def piece_of(self, n_tokens: int, n_lanes: int = 1) -> int:
        """Tokens of a piece in a corpus of n_tokens."""
        most = self.piece if n_lanes == 1 else min(self.piece, self.lane_piece)
        share = min(most, n_tokens // (self.pieces_per_epoch * n_lanes))
        return max(min(self.smallest, self.piece), share // STRETCH * STRETCH)

    def round_of(self, n_tokens: int, n_lanes: int) -> int:
        """Tokens of a round."""
        turn = n_lanes * self.piece_of(n_tokens, n_lanes)
        return turn * (
            self.pieces_per_round if n_lanes == 1 else max(self.turns, self.pieces_per_round // n_lanes)
        )


def processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
