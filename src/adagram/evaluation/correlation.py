"""Spearman's rank correlation and cosine similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of their ranks.

    >>> ranks([10, 30, 20, 30]).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    array = np.asarray(values, dtype=np.float64)
    _, group, sizes = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)  # the highest rank in each group of equal values
    mean_rank: NDArray[np.float64] = (last - (sizes - 1) / 2)[group]
    return mean_rank


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson correlation of the ranks; 0 when one side does not vary or there are fewer than two pairs."""
    x, y = ranks(a), ranks(b)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values against {len(y)}")
    if len(x) < 2:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm > 0 else 0.0


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """Cosine of the angle between two vectors; 0 if one of them is zero."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm > 0 else 0.0
