"""Output rows shared by several workers: each trains on a copy, and what they changed is merged row by row.

A worker pulls an output row towards what is best for its own words. To second order, with the row's curvature H_i for
this worker, the change is Δ_i = (1 - exp(-H_i)) (best_i - row), where H_i grows with the steps taken. Had the workers
stepped in turns, each step `reach` times as short, the row would have gone, with H = Σ H_i / reach, by

    φ(H) Σ_i φ(H_i)⁻¹ Δ_i / reach,    φ(x) = (1 - exp(-x)) / x.

Where few steps were taken that is Σ Δ_i / reach. Where many were, it is what suits all: along the directions in which
only one worker's vectors lie its change is taken whole, along those they have in common the mean. A plain sum
overshoots in rows that every window visits; a mean forgets most of what each worker found out for its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from adagram.types import F32, I32, Floats

SLOPE = 0.15  # mean of σ'(x), at most 1/4; with 0.05 four workers' held-out likelihood is worse by 0.01
FEW_STEPS = 0.25  # where steps · curvature is below this, φ is taken as 1
AT_ONCE = 1024  # rows; more would take more memory than they save time
MOST_USED = 8192  # vectors by which a worker's curvature is judged; they stand for most of its tokens


class Rows(NamedTuple):
    """Some output rows, by rising number."""

    numbers: I32
    values: F32  # (len(numbers), width)

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self.values.nbytes


class Curvature(NamedTuple):
    """σ' E[v vᵀ] over the tokens of a worker, in its own axes: how each step pulls an output row."""

    values: F32  # (width,)
    axes: F32  # (width, width), in columns

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.axes.nbytes

    @property
    def matrix(self) -> F32:
        return np.asarray((self.axes * self.values) @ self.axes.T, dtype=np.float32)


class Changed(NamedTuple):
    """Output rows as a worker has them, with the steps it has taken with each since the last merge."""

    rows: Rows
    steps: F32  # (len(rows.numbers),) rate · reach · visits
    curvature: Curvature | None  # None: as before

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.steps.nbytes + (self.curvature.nbytes if self.curvature else 0)


def curvature_of(vectors: F32, usage: Floats) -> Curvature:
    """Of tokens whose vectors are used so often; flat where a vector is not finite, so that training can say so."""
    if len(usage) > MOST_USED:
        most = np.argpartition(usage, -MOST_USED)[-MOST_USED:]
        vectors, usage = vectors[most], usage[most]
    weights = (SLOPE * usage / max(usage.sum(), 1.0)).astype(np.float32)
    return in_axes((vectors * weights[:, None]).T @ vectors)


def in_axes(matrix: F32) -> Curvature:
    if not np.isfinite(matrix).all():
        matrix = np.zeros_like(matrix)
    values, axes = np.linalg.eigh(matrix.astype(np.float64))
    return Curvature(np.maximum(values, 0.0).astype(np.float32), axes.astype(np.float32))


class Merger:
    """Keeps the merged values of its output rows: every `n_mergers`-th one, so that each has as many frequent ones."""

    def __init__(self, rows: F32, number: int, n_mergers: int, reach: float) -> None:
        self.number, self._n_mergers, self._reach = number, n_mergers, np.float32(reach)
        self.rows = np.array(rows[number::n_mergers])
        self._places = np.zeros(len(self.rows), np.int64)  # scratch: place of a row among those being merged
        self._curvatures: list[Curvature] = []
        self._pooled = Curvature(*(np.zeros(shape, np.float32) for shape in (0, (0, 0))))

    def merge(self, given: Sequence[Changed]) -> Rows:
        """Take the rows as the workers have them; returns all rows that anybody changed, with their new values."""
        curvatures = [changed.curvature for changed in given if changed.curvature is not None]
        if curvatures:
            self._curvatures = curvatures
            self._pooled = in_axes(np.sum([each.matrix for each in curvatures], axis=0) / self._reach)
        found = [changed.rows.numbers // self._n_mergers for changed in given]
        is_changed = np.zeros(len(self.rows), dtype=bool)
        for at in found:
            is_changed[at] = True
        union = np.flatnonzero(is_changed)
        self._places[union] = np.arange(len(union))
        total = np.zeros((len(union), self.rows.shape[1]), np.float32)
        steps = np.zeros(len(union), np.float32)  # of the worker that took most
        for at, changed, curvature in zip(found, given, self._curvatures, strict=True):
            for part in _slices(len(at)):
                places = self._places[at[part]]
                change = changed.rows.values[part] - self.rows[at[part]]
                total[places] += _scaled(change, changed.steps[part], curvature, _inverse_phi) / self._reach
                steps[places] = np.maximum(steps[places], changed.steps[part])
        for part in _slices(len(union)):
            self.rows[union[part]] += _scaled(total[part], steps[part], self._pooled, _phi)
            total[part] = self.rows[union[part]]
        return Rows((union * self._n_mergers + self.number).astype(np.int32), total)


def _slices(n: int) -> list[slice]:
    return [slice(start, start + AT_ONCE) for start in range(0, n, AT_ONCE)]


def _scaled(changes: F32, steps: F32, curvature: Curvature, scale: Callable[[F32], F32]) -> F32:
    """Each change times scale(steps · curvature), as a matrix function."""
    many = np.flatnonzero(steps * curvature.values[-1] > FEW_STEPS)  # eigenvalues rise
    if len(many):
        weights = scale(np.outer(steps[many], curvature.values))
        changes[many] = ((changes[many] @ curvature.axes) * weights) @ curvature.axes.T
    return changes


def _phi(x: F32) -> F32:
    x = np.maximum(x, np.float32(1e-6))
    return np.asarray(-np.expm1(-x) / x, dtype=np.float32)


def _inverse_phi(x: F32) -> F32:
    return np.float32(1.0) / _phi(x)
