"""Output rows that many threads write: each keeps its own copy of the hot ones and folds the differences back."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.jit import helper, jit


@jit
def fold_rows(output, private, base, pull, visits, n_threads):
    """shared += weight · (private - base), then private = base = shared, for the first len(base) output rows."""
    for r in range(len(base)):
        weight = fold_weight(pull * visits[r], n_threads)
        for d in range(output.shape[1]):
            value = output[r, d] + weight * (output[private + r, d] - base[r, d])
            output[r, d] = value
            output[private + r, d] = value
            base[r, d] = value


@helper
def fold_weight(steps, n_threads):
    """How much of its change a thread may add to a row that it moved by `steps` (updates · rate · curvature).

    Each thread alone goes the share c = 1 - exp(-steps) of the way to where the row is best. One after the other, n
    threads would go 1 - (1-c)^n of it; the sum of their changes goes n·c, which is too far for rows that every window
    moves (c near 1: the threads must be averaged) and right for rows that few do (c near 0: they must be added).
    """
    if steps < 1e-9:
        return np.float32(1.0)
    return np.float32(math.expm1(-n_threads * steps) / (n_threads * math.expm1(-steps)))
