"""What births of senses in several replicas have in common: their random vectors and their shares of counts."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import kernel
from adagram.systems._adagram import STREAMS_OF_WORD, draw_row, set_unborn_shares
from adagram.types import Floats

STICKS = STREAMS_OF_WORD  # a sense's key, word · STICKS + stick, is the random stream of its first vector


@kernel
def draw_vectors(vectors, places, keys, seed, dim):
    """Draw the vectors that senses with these keys are born with."""
    for i in range(len(places)):
        draw_row(vectors, places[i], seed, keys[i], dim)


@kernel
def _set_shares(alpha, shares):
    set_unborn_shares(alpha, shares)


def unborn_shares(alpha: float, max_senses: int) -> Floats:
    """Return which share of the count of the sticks k, k+1, … goes to stick k at its birth."""
    shares = np.ones(max_senses)
    _set_shares(float(alpha), shares)
    return shares
