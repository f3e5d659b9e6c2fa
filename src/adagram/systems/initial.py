"""The random vectors that every system starts from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from adagram.config import TrainConfig
from adagram.kernels.arrays import padded
from adagram.types import F32, I64

SENSES, OUTPUT, CENTRES = 0, 1, 2  # tables of random vectors
BLOCK = 1 << 18  # random numbers drawn at a time
DRAW = 8  # numbers that come from one step of the generator


def random_vectors(rows: I64, config: TrainConfig, table: int, out: F32 | None = None) -> F32:
    """Section 3.1: the rows with these rising numbers of a table of Uniform(-0.5/D, 0.5/D), padded with zeros.

    A row has the same values whichever others are asked for. `out` is zeros to be filled.
    """
    vectors = np.zeros((len(rows), padded(config.dim)), np.float32) if out is None else out
    n_rows = int(rows[-1]) + 1 if len(rows) else 0
    size = max(DRAW, BLOCK // config.dim // DRAW * DRAW)

    def fill(start: int) -> None:
        first, last = np.searchsorted(rows, (start, start + size))
        bits = np.random.Philox(key=[config.seed, table], counter=start * config.dim // DRAW)
        block = np.random.Generator(bits).random((min(size, n_rows - start), config.dim), dtype=np.float32)
        block -= 0.5
        if last - first < len(block):
            block = block[rows[first:last] - start]
        np.divide(block, config.dim, out=vectors[first:last, : config.dim])

    with ThreadPoolExecutor(config.n_threads) as pool:
        list(pool.map(fill, range(0, n_rows, size)))
    return vectors
