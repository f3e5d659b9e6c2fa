"""The search in bytes finds what the search in floats finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adagram.config import TrainConfig
from adagram.model import Model
from adagram.model.byte_search import ByteSearch
from adagram.model.neighbours import nearest, nth_largest
from adagram.vocabulary import Vocabulary


def model_of(vectors: np.ndarray, sizes: np.ndarray, counts: np.ndarray) -> Model:
    n, dim = vectors.shape
    arrays = {
        "vectors": vectors.astype(np.float32),
        "norms": np.linalg.norm(vectors, axis=1).astype(np.float32),
        "offsets": np.append(0, sizes.cumsum()).astype(np.int64),
        "counts": counts.astype(np.float64),
        "priors": np.ones(n),
        "output": np.zeros((1, dim), np.float32),
    }
    words = [f"w{i}" for i in range(len(sizes))]
    return Model(arrays, Vocabulary(words, np.ones(len(sizes))), {"config": TrainConfig(dim=dim).to_dict()})


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 400), st.integers(1, 70), st.integers(1, 30), st.floats(0, 3))
def test_same_neighbours_as_the_search_in_floats(
    seed: int, n_words: int, dim: int, top: int, spread: float
) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 4, n_words)
    n = int(sizes.sum())
    # From nearly parallel vectors to vectors with a few large components, which bytes hold badly.
    vectors = draw.standard_normal((n, dim)) ** 3 + spread * draw.standard_normal(dim)
    model = model_of(vectors, sizes, draw.integers(0, 3, n))
    queries = draw.integers(0, n, 3)
    for expected, found in zip(
        nearest(model, queries, top, 1.0), ByteSearch(model).nearest(queries, top), strict=True
    ):
        assert len(found[0]) == len(expected[0])
        np.testing.assert_allclose(found[1], expected[1], atol=2e-6)
        # Where two cosines are equal to the last digits of float32 their order is free.
        unequal = np.abs(found[1] - expected[1]) > 2e-6
        assert not unequal.any()


def test_most_rows_are_never_compared_in_floats() -> None:
    draw = np.random.default_rng(0)
    model = model_of(draw.standard_normal((5000, 64)), np.ones(5000, int), np.ones(5000))
    assert len(ByteSearch(model)._candidates(7, 10, 1.0)) < 250


def test_a_zero_vector_has_neighbours_too() -> None:
    vectors = np.vstack([np.zeros((1, 8)), np.eye(8)])
    model = model_of(vectors, np.ones(9, int), np.ones(9))
    rows, cosines = ByteSearch(model).nearest(np.array([0]), 3)[0]
    assert len(rows) == 3
    assert cosines.tolist() == [0.0, 0.0, 0.0]


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=3000), st.integers(1, 40))
@settings(max_examples=50, deadline=None)
def test_largest(values: list[float], top: int) -> None:
    scores = np.array(values, np.float32)
    expected = -np.inf if top >= len(scores) else np.sort(scores)[-top]
    assert nth_largest(scores, top) == expected


@pytest.mark.parametrize("top", [0, 1, 1000])
def test_any_number_of_neighbours(top: int) -> None:
    model = model_of(np.eye(6), np.array([2, 2, 2]), np.ones(6))
    rows, _ = ByteSearch(model).nearest(np.array([0]), top)[0]
    assert set(rows.tolist()) <= {2, 3, 4, 5}  # never the word's own senses
    assert len(rows) == min(top, 4)
