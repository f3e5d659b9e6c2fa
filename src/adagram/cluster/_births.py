"""Random vectors and counts of new senses, which are the same in all replicas."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import kernel
from adagram.systems._adagram import STREAMS_OF_WORD, draw_row, set_unborn_shares
from adagram.types import Floats

STICKS = STREAMS_OF_WORD  # a sense's key, word · STICKS + stick, is the random stream of its first vector


@kernel
def draw_vectors(vectors, places, keys, seed, dim):
    """Draw the initial vectors of senses with these keys."""
    for i in range(len(places)):
        draw_row(vectors, places[i], seed, keys[i], dim)


@kernel
def _set_shares(alpha, shares):
    set_unborn_shares(alpha, shares)


def unborn_shares(alpha: float, max_senses: int) -> Floats:
    """Return the share of stick k of the count of the sticks k, k+1, … when it is created."""
    shares = np.ones(max_senses)
    _set_shares(float(alpha), shares)
    return shares
