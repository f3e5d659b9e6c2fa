"""Senses on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.model.neighbours import NEIGHBOUR_WEIGHT, blended_vectors, unit_vectors
from adagram.types import Floats

if TYPE_CHECKING:
    from adagram.model.model import Model


@dataclass(frozen=True)
class SenseMap:
    """Senses of the asked words first, then their neighbours; `owner` is the place of the sense that brought it."""

    rows: NDArray[np.int64]  # (n_points,) sense rows
    points: Floats  # (n_points, 2)
    owner: NDArray[np.int64]  # (n_points,) an asked sense is its own owner
    n_asked: int
    explained: tuple[float, float]  # share of the variance along either axis


def principal_plane(vectors: NDArray[np.float32]) -> tuple[Floats, tuple[float, float]]:
    """Return coordinates on the two main axes (PCA), (n, 2), and the share of the variance that each explains."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    axes = min(2, len(s))
    points = np.zeros((len(vectors), 2))
    points[:, :axes] = u[:, :axes] * s[:axes]
    # An axis has no natural sign; the point furthest from the middle is put on the positive side.
    furthest = points[np.abs(points).argmax(axis=0), [0, 1]]
    points *= np.where(furthest < 0, -1.0, 1.0)
    share = np.append(s**2 / max(float((s**2).sum()), 1e-12), [0.0, 0.0])
    return points, (float(share[0]), float(share[1]))


def place(model: Model, asked: NDArray[np.int64], found: Sequence[tuple[NDArray[np.int64], Floats]]) -> SenseMap:
    """Put senses and their neighbours on a plane; a shared neighbour belongs to the sense it is nearest to."""
    closest: dict[int, tuple[float, int]] = {}
    for owner, (rows, cosines) in enumerate(found):
        for row, cosine in zip(rows.tolist(), cosines.tolist(), strict=True):
            closest[row] = max(closest.get(row, (-np.inf, 0)), (cosine, owner))
    around = [row for row in closest if row not in set(asked.tolist())]
    rows = np.concatenate([asked, np.array(around, dtype=np.int64)])
    owner_of = np.append(np.arange(len(asked)), [closest[row][1] for row in around]).astype(np.int64)
    seen = [
        unit_vectors(model, asked),
        blended_vectors(model, rows[len(asked) :], NEIGHBOUR_WEIGHT),
    ]  # as `nearest` compares them
    points, explained = principal_plane(np.concatenate(seen))
    return SenseMap(rows, points, owner_of, len(asked), explained)
