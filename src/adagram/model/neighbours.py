"""Exact nearest senses by cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.model.checks import finite

if TYPE_CHECKING:
    from adagram.model.senses import SenseTable


OFTEN, ENOUGH = 20.0, 1000  # a count that is not rare, and how many senses must have it


def usual_min_count(model: SenseTable) -> float:
    """The count that a neighbour must have so that rare words are left out, where the model has enough others."""
    return OFTEN if int((model.counts >= OFTEN).sum()) >= ENOUGH else 1.0


def nearest(
    model: SenseTable, queries: NDArray[np.int64], top: int, min_count: float
) -> list[tuple[NDArray[np.int64], Floats]]:
    """For each query row: rows and cosines of the `top` nearest senses of other words with at least min_count."""
    if top <= 0:
        return [(np.empty(0, np.int64), np.empty(0)) for _ in queries]
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    cosines = (vectors @ vectors[queries].T).T / norms  # (n_queries, n_senses)
    cosines /= norms[queries][:, None]
    finite(cosines)
    cosines[:, model.counts < min_count] = -np.inf
    words = np.searchsorted(model.offsets, queries, side="right") - 1
    results = []
    for word, row in zip(words, cosines, strict=True):
        row[
            model.offsets[word] : model.offsets[word + 1]
        ] = -np.inf  # the word's own senses are no neighbours
        n = min(top, int(np.isfinite(row).sum()))
        best = np.argpartition(row, -n)[-n:] if n else np.empty(0, np.int64)
        best = best[np.lexsort((best, -row[best]))]
        results.append((best, row[best].astype(np.float64)))
    return results
