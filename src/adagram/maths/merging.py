"""Two senses of a word that may be one: how alike they are, and what their union is.

A meaning tends to last through a passage. Senses that split one meaning follow each other in a text about as often as
chance has it, or more; senses of two meanings do so hardly ever. Vectors that point the same way say it too, and the
two signs together say more than either (docs/senses.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats

LIFT_WEIGHT = 0.5  # of the logarithm of the lift beside the cosine
EXPECTED_LIFT = 0.5  # where no pairs are seen: most senses are not one


def log_lift(pairs: Floats) -> Floats:
    """log of how often senses i and j follow each other over how often they would by chance, (K, K).

    pairs[i, j] is the number of pairs of near occurrences, the first of sense i and the second of sense j. One pair is
    expected more, of which EXPECTED_LIFT is seen: few pairs say little, and in a text of single sentences vectors
    have to be the more alike.
    """
    both = (pairs + pairs.T) / 2
    total = max(float(both.sum()), 1e-12)
    share = both.sum(axis=1) / total
    return np.asarray(np.log((both + EXPECTED_LIFT) / (total * np.outer(share, share) + 1.0)))


def likeness(vectors: NDArray[np.floating], pairs: Floats) -> Floats:
    """Cosine of the vectors plus the weighted log lift, (K, K)."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.asarray(unit @ unit.T + LIFT_WEIGHT * log_lift(pairs))


def merged_vector(vectors: NDArray[np.float32], counts: Floats) -> NDArray[np.float32]:
    """The mean of sense vectors, weighted by their counts n_k."""
    return np.asarray(counts @ vectors / counts.sum(), dtype=np.float32)


def alike_groups(
    vectors: NDArray[np.float32], counts: Floats, pairs: Floats, least: float
) -> list[list[int]]:
    """Senses of a word in groups: the two most alike are united again and again, until none have `least`.

    Each group is in order, and so are the groups by their first senses.
    """
    groups = [[k] for k in range(len(vectors))]
    sums = np.array(
        vectors * counts[:, None], dtype=np.float64
    )  # a direction is enough, so sums do for means
    pairs = np.array(pairs, dtype=np.float64)
    while len(groups) > 1:
        alike = likeness(sums, pairs)
        alike[np.triu_indices(len(groups))] = -np.inf
        second, first = np.unravel_index(int(alike.argmax()), alike.shape)
        if alike[second, first] < least:
            break
        groups[first] = sorted(groups[first] + groups.pop(second))
        sums[first] += sums[second]
        pairs[first] += pairs[second]
        pairs[:, first] += pairs[:, second]
        sums = np.delete(sums, second, axis=0)
        pairs = np.delete(np.delete(pairs, second, axis=0), second, axis=1)
    return groups
