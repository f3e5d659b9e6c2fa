"""Bootstrap confidence intervals: resample the items (words, queries, pairs) and see how the score varies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Statistic = Callable[[NDArray[np.intp]], float]  # the score of the items with these indices


def interval(
    statistic: Statistic, n_items: int, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of `statistic` over samples of `n_items` indices drawn with replacement."""
    if n_items == 0 or resamples == 0:
        return float("nan"), float("nan")
    draws = np.random.default_rng(seed).integers(0, n_items, size=(resamples, n_items))
    values = np.array([statistic(draw) for draw in draws])
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
