"""Exact nearest senses by cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.model.arguments import MIN_COUNT, TOP, checked
from adagram.model.checks import finite
from adagram.types import Floats

if TYPE_CHECKING:
    from adagram.model.senses import SenseTable


OFTEN, ENOUGH = 20.0, 1000  # a count that is not rare, and how many senses must have it
_BLOCK = 256  # scores whose maximum is taken together when the best are looked for


def usual_min_count(model: SenseTable) -> float:
    """The count that a neighbour must have so that rare words are left out, where the model has enough others."""
    return OFTEN if int((model.counts >= OFTEN).sum()) >= ENOUGH else 1.0


def nearest(
    model: SenseTable, queries: NDArray[np.int64], top: int, min_count: float
) -> list[tuple[NDArray[np.int64], Floats]]:
    """For each query row: rows and cosines of the `top` nearest senses of other words with at least min_count."""
    top, min_count = checked(top, "top", TOP), checked(min_count, "min_count", MIN_COUNT)
    if top == 0:
        return [(np.empty(0, np.int64), np.empty(0)) for _ in queries]
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    cosines = vectors[queries] @ vectors.T  # (n_queries, n_senses)
    cosines /= norms
    cosines /= norms[queries][:, None]
    finite(cosines)
    cosines[:, np.flatnonzero(model.counts < min_count)] = -np.inf
    words = np.searchsorted(model.offsets, queries, side="right") - 1
    results = []
    for word, row in zip(words, cosines, strict=True):
        # The word's own senses are no neighbours.
        row[model.offsets[word] : model.offsets[word + 1]] = -np.inf
        best = np.flatnonzero((row >= nth_largest(row, top)) & (row > -np.inf))
        best = best[np.lexsort((best, -row[best]))[:top]]
        results.append((best, row[best].astype(np.float64)))
    return results


def nth_largest(scores: NDArray[np.float32], top: int) -> float:
    """The top-th largest score, or -inf when there are fewer.

    The `top` largest scores lie in the `top` blocks with the largest maxima, so only those are partitioned.
    """
    if top >= len(scores):
        return -np.inf
    blocks = len(scores) // _BLOCK
    rest = scores[blocks * _BLOCK :]
    if blocks <= top:
        return float(np.partition(scores, -top)[-top])
    table = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK)
    best = np.argpartition(table.max(axis=1), -top)[-top:]
    return float(np.partition(np.append(table[best], rest), -top)[-top])
