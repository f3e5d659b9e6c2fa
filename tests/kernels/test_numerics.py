from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from adagram.kernels import math as numerics
from adagram.kernels import rows
from adagram.kernels import rows as tiles
from adagram.kernels.arrays import make_work, padded
from adagram.kernels.rows import STRIP
from tests_support import called

digamma, exp_of_minus, log_one_plus, random_bits, score_nodes, uniform = map(
    called,
    (
        numerics.digamma,
        numerics.exp_of_minus,
        numerics.log_one_plus,
        numerics.random_bits,
        numerics.score_nodes,
        numerics.uniform,
    ),
)
dot_rows, step_rows, add_row = called(rows.dot_rows), called(rows.step_rows), called(rows.add_row)
dot_strips = [called(part) for part in (tiles.dot_strip, tiles.dot_strip_of_two, tiles.dot_strip_of_three)]
step_strip, move_strip_of_two = called(tiles.step_strip), called(tiles.move_strip_of_two)
move_strip_of_many = called(tiles.move_strip_of_many)


def test_exp_and_log_are_accurate():
    for x in np.linspace(0, 85, 4001, dtype=np.float32):
        exact = np.exp(-float(min(x, 80.0)))
        assert exp_of_minus(x) == pytest.approx(exact, rel=1e-5)
    for e in np.linspace(0, 1, 2001, dtype=np.float32):
        assert log_one_plus(e) == pytest.approx(np.log1p(float(e)), abs=5e-7)


@given(st.floats(0.001, 1e9))
def test_digamma_is_scipys(x):
    assert digamma(x) == pytest.approx(scipy.special.digamma(x), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("x", [0.0, -1e300, -np.inf, np.nan])
def test_digamma_of_what_is_no_count_comes_back_at_once(x):
    assert np.isnan(digamma(x))


def test_scores_and_slopes_are_those_of_the_sigmoid():
    dots = np.array([[-90.0, -5.0, -0.1, 0.0, 0.1, 3.0, 12.0, 90.0]], dtype=np.float32)
    visits = np.array([1, 2, 3, 4, 5, 6, 7, 8], dtype=np.float32)
    lefts = np.array([1, 1, 0, 2, 5, 3, 7, 8], dtype=np.float32)
    scales = np.array([1.0, 1.0, 0.5, 2.0, 0.25, 1.0, 0.1, 1.0], dtype=np.float32)
    slopes = np.zeros_like(dots)
    log_p = score_nodes(dots, 0, visits[None], lefts[None], scales, 0, slopes, 0, 8)
    x = scales * dots[0].astype(float)
    expected = lefts * scipy.special.log_expit(x) + (visits - lefts) * scipy.special.log_expit(-x)
    assert log_p == pytest.approx(expected.sum(), rel=1e-5)
    assert_allclose(slopes[0], scales * (lefts - visits * scipy.special.expit(x)), atol=1e-5)


def test_random_bits_are_uniform_and_keyed():
    draws = np.array([uniform(np.uint64(7), i) for i in range(20_000)])
    assert draws.mean() == pytest.approx(0.5, abs=0.01)
    assert draws.var() == pytest.approx(1 / 12, abs=0.01)
    assert random_bits(np.uint64(7), 3) != random_bits(np.uint64(8), 3)
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 0.03


@pytest.mark.parametrize("dim", [1, 8, 100])
def test_row_operations_are_numpys(dim):
    draw = np.random.default_rng(dim)
    width, n = padded(dim), 16
    vectors, output = draw.normal(size=(3, width)).astype("f4"), draw.normal(size=(40, width)).astype("f4")
    rows = draw.permutation(40)[:n].astype(np.int64)
    steps = draw.normal(size=(2, n)).astype("f4")
    dots, grads = np.zeros((2, n), "f4"), np.zeros((2, width), "f4")
    dot_rows(vectors, 1, output, rows, n, dots, 1)
    assert_allclose(dots[1], output[rows] @ vectors[1], rtol=1e-4, atol=1e-4)
    expected, before = output.copy(), output.copy()
    expected[rows] += steps[1][:, None] * vectors[1]
    step_rows(vectors, 1, grads, output, rows, n, steps, 1)
    assert_allclose(output, expected, rtol=1e-4, atol=1e-4)
    assert_allclose(grads, [0 * grads[0], steps[1] @ before[rows]], rtol=1e-3, atol=1e-4)
    moved = vectors[0] + grads[1]
    add_row(vectors, 0, grads, 1)
    assert_allclose(vectors[0], moved, rtol=1e-5, atol=1e-6)
    assert not grads[1].any()


@pytest.mark.parametrize("dim", [1, 8, 100])
@pytest.mark.parametrize("n_senses", [1, 2, 3])
def test_tiles_are_numpys(dim, n_senses):
    draw = np.random.default_rng(dim)
    width = padded(dim)
    output, before = draw.normal(size=(40, width)).astype("f4"), np.empty((40, width), "f4")
    before[:] = output
    rows = draw.permutation(40)[:STRIP].astype(np.int64)
    block = make_work(40, dim, 3, 2 * STRIP, np.ones(40, np.float32))
    moves = block.moves
    moves.vectors[:3], moves.steps[:3] = (draw.normal(size=(3, width)), draw.normal(size=(3, moves.steps.shape[1])))
    dot = dot_strips[n_senses - 1]
    dot(moves.vectors, 0, output, rows, 0, block.dots, 0)
    vectors, steps = moves.vectors[:n_senses], moves.steps[:n_senses, :STRIP]
    assert_allclose(block.dots[:n_senses, :STRIP], vectors @ output[rows].T, rtol=1e-4, atol=1e-4)
    if n_senses == 1:
        step_strip(moves.vectors, 0, moves.grads, output, rows, moves.steps, 0, 0)
    elif n_senses == 2:
        move_strip_of_two(moves, 0, output, rows, 0)
    else:
        move_strip_of_many(moves, 0, 3, output, rows, 0)
    assert_allclose(moves.grads[:n_senses], steps @ before[rows], rtol=1e-3, atol=1e-4)
    before[rows] += steps.T @ vectors
    assert_allclose(output, before, rtol=1e-4, atol=1e-4)
