"""The parallel rule: how changes that several lanes made to their copies of the same rows become one change."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.jit import helper, kernel
from adagram.kernels.simd import load, multiply_add, splat, store

_ZERO = np.float32(0.0)


@kernel
def merge_hot_rows(output, hot, n_trained, steps, first, last):
    """Merge the lanes' copies of the hot output rows first:last.

    With s = steps[row] (rate · curvature · visits of a lane) and n lanes that trained, of N:

        row    ← row + weight(s, n) · Σ_lanes (copy - row)
        copy   ← row + (1 - exp(-s)) · (copy - mean of all copies)

    The row is what several lanes have learned together. A copy keeps the part of its own deviation that it would lose
    within a piece anyway: a row that every window changes follows the text at hand, as it does in one sequence. If all
    copies were set to the row, contexts would surprise less, and fewer senses would be born. Rows are independent, so
    threads may share them out in any way.
    """
    begin, n_hot, n_lanes = hot
    one, minus_all = splat(np.float32(1.0)), splat(np.float32(-n_lanes))
    for row in range(first, last):
        weight = splat(merge_weight(steps[row], n_trained))
        kept = -math.expm1(-steps[row])
        keep, minus_keep_share = splat(np.float32(kept)), splat(np.float32(-kept / n_lanes))
        for d in range(0, output.shape[1], 8):
            total = splat(_ZERO)
            for lane in range(n_lanes):
                total = multiply_add(one, load(output, begin + lane * n_hot + row, d), total)
            old = load(output, row, d)
            new = multiply_add(weight, multiply_add(minus_all, old, total), old)
            store(output, row, d, new)
            base = multiply_add(minus_keep_share, total, new)  # new - keep · mean
            for lane in range(n_lanes):
                copy = load(output, begin + lane * n_hot + row, d)
                store(output, begin + lane * n_hot + row, d, multiply_add(keep, copy, base))


@helper
def merge_weight(steps, n):
    """Return the share of the summed changes of n lanes that a row takes.

    A lane alone goes the share c = 1 - exp(-steps) of the way to the optimum of the row. One after the other, n lanes
    would go 1 - (1-c)^n of it; their sum goes n·c. For rows that few windows change (c near 0) that is the same: the
    changes add up. For rows that every window changes (c near 1) it overshoots n times: the changes are averaged.
    """
    if steps < 1e-9:
        return np.float32(1.0)
    return np.float32(math.expm1(-n * steps) / (n * math.expm1(-steps)))
