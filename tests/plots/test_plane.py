"""Senses on a plane."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adagram.model import Model
from adagram.model.neighbours import nearest
from adagram.plots.plane import place, principal_plane


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 20), st.integers(2, 12))
def test_points_of_a_plane_keep_their_distances(seed: int, n: int, dim: int) -> None:
    draw = np.random.default_rng(seed)
    axes = np.linalg.qr(draw.standard_normal((dim, dim)))[0][:2]
    flat = draw.standard_normal((n, 2))
    points, explained = principal_plane((flat @ axes + draw.standard_normal(dim)).astype(np.float32))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.testing.assert_allclose(distances, np.linalg.norm(flat[:, None] - flat[None], axis=2), atol=1e-4)
    assert np.isclose(sum(explained), 1.0)


def test_the_first_direction_explains_most() -> None:
    draw = np.random.default_rng(0)
    points, (first, second) = principal_plane(draw.standard_normal((50, 10)).astype(np.float32))
    assert 1 > first > second > 0
    assert points[:, 0].std() > points[:, 1].std()


def test_one_vector_is_in_the_middle() -> None:
    points, explained = principal_plane(np.ones((1, 5), np.float32))
    assert points.tolist() == [[0.0, 0.0]]
    assert explained == (0.0, 0.0)


def test_neighbours_lie_nearer_to_their_own_sense(planted_model: Model) -> None:
    rows = planted_model.rows("planted")
    asked_rows = np.arange(rows.start, rows.stop)
    plane = place(planted_model, asked_rows, nearest(planted_model, asked_rows, 8, 1.0))
    names = planted_model.names(plane.rows)
    assert len(set(names)) == len(names)
    assert plane.n_asked == len(planted_model.senses("planted"))
    asked, around = plane.points[: plane.n_asked], plane.points[plane.n_asked :]
    owner = np.linalg.norm(around[:, None] - asked[None], axis=2).argmin(axis=1)
    assert (owner == plane.owner[plane.n_asked :]).mean() > 0.9
