"""The random vectors that every system starts from."""

from __future__ import annotations

import numpy as np

from adagram.arrays import F32, I64
from adagram.config import TrainConfig
from adagram.kernels.arrays import padded

SENSES, OUTPUT, CENTRES = 0, 1, 2  # tables of random vectors
BLOCK = 1 << 18  # random numbers drawn at a time


def random_vectors(rows: I64, config: TrainConfig, table: int) -> F32:
    """Section 3.1: the rows with these rising numbers of a table of Uniform(-0.5/D, 0.5/D), padded with zeros.

    A row has the same values whichever others are asked for.
    """
    draw = np.random.Generator(np.random.Philox(key=[config.seed, table]))
    vectors = np.zeros((len(rows), padded(config.dim)), np.float32)
    n_rows = int(rows[-1]) + 1 if len(rows) else 0
    size = max(2, BLOCK // config.dim // 2 * 2)  # even: two numbers come from one draw
    room = np.empty((min(size, n_rows), config.dim), np.float32)
    for start in range(0, n_rows, size):
        block = room[: n_rows - start]
        draw.random(out=block, dtype=np.float32)
        block -= 0.5
        block /= config.dim
        first, last = np.searchsorted(rows, (start, start + size))
        vectors[first:last, : config.dim] = block[rows[first:last] - start]
    return vectors
