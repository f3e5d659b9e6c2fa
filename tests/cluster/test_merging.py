"""Output rows that several workers changed."""

from __future__ import annotations

import numpy as np
import pytest

from adagram.cluster.merge import Changed, Merger, Rows, curvature_of

WIDTH = 8


def spread(seed: int, n: int = 50) -> np.ndarray:
    """Sense vectors of a worker, each used once, that lie more in some directions than in others."""
    draw = np.random.default_rng(seed)
    return (draw.normal(size=(n, WIDTH)) * draw.uniform(0.2, 2, WIDTH) + draw.normal(size=WIDTH)).astype("f4")


def merged(base: np.ndarray, rows: list[np.ndarray], steps: float, reach: float = 1.0) -> np.ndarray:
    """One row, `base`, that worker i changed to rows[i] with so many steps; worker i has the vectors spread(i)."""
    merger = Merger(base[None], 0, 1, reach)
    given = []
    for number, row in enumerate(rows):
        changed = Rows(np.zeros(1, np.int32), row[None].astype(np.float32))
        curvature = curvature_of(spread(number), np.ones(50))
        given.append(Changed(changed, np.array([steps], np.float32), curvature))
    return merger.merge(given).values[0]


@pytest.mark.parametrize("n_steps", [1, 30, 1000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("n_workers", "reach"), [(2, 1.0), (2, 2.0), (4, 4.0), (6, 4.0)])
def test_merging_is_as_if_the_workers_had_taken_turns(n_steps, n_workers, reach):
    """Against workers that each pull a row to a best place of their own, one small step at a time."""
    draw = np.random.default_rng(n_workers)
    base = draw.normal(size=WIDTH).astype(np.float32)
    pulls = [curvature_of(spread(i), np.ones(50)).matrix.astype(np.float64) for i in range(n_workers)]
    best = draw.normal(size=(n_workers, WIDTH))
    rate = 1e-3
    alone = [base.astype(np.float64) for _ in range(n_workers)]
    in_turns = base.astype(np.float64)
    for _ in range(n_steps):
        for i, (pull, place) in enumerate(zip(pulls, best, strict=True)):
            alone[i] = alone[i] + rate * reach * pull @ (place - alone[i])
            in_turns = in_turns + rate * pull @ (place - in_turns)
    found = merged(base, alone, rate * reach * n_steps, reach)
    assert np.linalg.norm(found - in_turns) < 0.06 * np.linalg.norm(in_turns - base)


def test_a_few_steps_of_each_worker_are_added_and_divided_by_the_reach():
    base, changes = np.zeros(WIDTH, np.float32), np.random.default_rng(0).normal(size=(3, WIDTH))
    np.testing.assert_allclose(merged(base, list(changes), 1e-6), changes.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(merged(base, list(changes), 1e-6, 3.0), changes.mean(axis=0), rtol=1e-5)


def test_what_is_not_a_number_is_left_for_training_to_report():
    vectors = spread(0)
    vectors[3] = np.nan
    assert not curvature_of(vectors, np.ones(50)).values.any()
    assert not curvature_of(vectors[:0], np.ones(0)).values.any()
