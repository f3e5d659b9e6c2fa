"""Negative sampling (Mikolov et al. 2013): the objective of a window, its gradients, and the noise distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from adagram.paper.stick_breaking import log_sigmoid
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


def objective(
    vector: Floats, output: Floats, context: Sequence[int], noise: Sequence[int], negatives: int
) -> float:
    """Their Eq. (4) for a window: Σ_j [log σ(in·out_j) + k E log σ(-in·out_noise)].

    The expectation over noise words is a mean over the ones given, which all context words share; a noise word that
    equals the context word is left out.
    """
    share = negatives / max(len(noise), 1)
    total = 0.0
    for y in context:
        total += float(log_sigmoid(output[y] @ vector))
        total += share * sum(float(log_sigmoid(-output[n] @ vector)) for n in noise if n != y)
    return total


def gradients(
    vector: Floats, output: Floats, context: Sequence[int], noise: Sequence[int], negatives: int
) -> tuple[Floats, Floats]:
    """Gradients of the objective with respect to in, (D,), and to all rows of out, (V, D)."""
    share = negatives / max(len(noise), 1)
    slopes = np.zeros(len(output))  # of in·out_n
    for y in context:
        slopes[y] += 1.0 - _sigma(output[y] @ vector)
        for n in noise:
            if n != y:
                slopes[n] -= share * _sigma(output[n] @ vector)
    return slopes @ output, slopes[:, None] * vector


def _sigma(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-x)))
