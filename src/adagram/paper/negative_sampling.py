"""The noise distribution of negative sampling (Mikolov et al. 2013)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats

POWER = 0.75


def noise_distribution(counts: NDArray[np.int64]) -> Floats:
    """Mikolov et al. 2013, section 2.2: P(w) ∝ count(w)^(3/4)."""
    weights = counts.astype(np.float64) ** POWER
    return np.asarray(weights / weights.sum())


def alias_table(probabilities: Floats) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return the tables of Walker's alias method: draw a word uniformly, keep it with its chance, else use its alias.

    >>> chances, aliases = alias_table(np.array([0.5, 0.25, 0.25]))
    >>> chances.tolist(), aliases.tolist()
    ([1.0, 0.75, 0.75], [0, 0, 0])
    """
    n = len(probabilities)
    left = probabilities * n  # probability left of each word, in units of a slot
    chances, aliases = np.ones(n, np.float32), np.arange(n, dtype=np.int32)
    small, large = np.flatnonzero(left < 1.0).tolist(), np.flatnonzero(left >= 1.0).tolist()
    while small and large:
        s, r = small.pop(), large[-1]
        chances[s], aliases[s] = left[s], r
        left[r] -= 1.0 - left[s]
        if left[r] < 1.0:
            small.append(large.pop())
    return chances, aliases
