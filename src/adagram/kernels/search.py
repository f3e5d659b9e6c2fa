"""The kernel of searches for neighbours among vectors that are rounded to int8."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import jit


@jit
def word_bounds(codes, scales, lost, bounds, query, is_wanted, low, high):
    """Bound the greatest product of a query with the rows bounds[w]:bounds[w+1] of each word w.

    A row is scales[i] · codes[i], and `lost[i]` is the greatest error of its product. A word that is not wanted or has
    no rows has -inf.
    """
    for w in range(len(low)):
        low[w] = high[w] = -np.inf
        if not is_wanted[w]:
            continue
        for i in range(bounds[w], bounds[w + 1]):
            dot = np.float32(0.0)
            for d in range(codes.shape[1]):
                dot += np.float32(codes[i, d]) * query[d]
            low[w] = max(low[w], scales[i] * dot - lost[i])
            high[w] = max(high[w], scales[i] * dot + lost[i])
