"""Bounds of the cosines between one vector and all others, from rows of bytes: a quarter of the memory of floats."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import jit

SLACK = np.float32(1e-5)  # above the rounding errors of float32 in the bounds


@jit
def byte_bounds(rows, query, lower, upper):
    """lower[i] ≤ q·b_i ≤ upper[i] for unit vectors; `rows` and `query` are b̂ / scale, scale, |b - b̂| and |b̂|."""
    table, scale, lost, length = rows
    bytes_of_query, scale_of_query, lost_of_query = query
    dots = np.empty(table.shape[0], np.int32)
    # A loop of its own: LLVM makes it a multiply-add of 16-bit pairs, and half as fast when floats follow in it.
    for i in range(table.shape[0]):
        s = np.int32(0)
        for d in range(table.shape[1]):
            s += np.int32(table[i, d]) * np.int32(bytes_of_query[d])
        dots[i] = s
    for i in range(table.shape[0]):
        cosine = np.float32(dots[i]) * (scale[i] * scale_of_query)  # q̂·b̂
        error = lost[i] + lost_of_query * length[i] + SLACK
        lower[i] = cosine - error
        upper[i] = cosine + error
