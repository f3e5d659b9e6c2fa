"""The exact nearest senses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.model import Model
from adagram.model.neighbours import nearest, nth_largest


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
    return Model(
        arrays,
        Vocabulary(words, np.ones(len(sizes))),
        {"config": TrainConfig.from_preset("paper", dim=dim).to_dict()},
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 200), st.integers(1, 70), st.integers(1, 30))
def test_neighbours_are_those_of_the_definition(seed: int, n_words: int, dim: int, top: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 4, n_words)
    n = int(sizes.sum())
    vectors, counts = draw.standard_normal((n, dim)) ** 3, draw.integers(0, 3, n)
    model = model_of(vectors, sizes, counts)
    words = np.repeat(np.arange(n_words), sizes)
    for query in draw.integers(0, n, 3).tolist():
        others = np.flatnonzero((words != words[query]) & (counts >= 1))
        cosines = vectors[others] @ vectors[query]
        cosines /= np.linalg.norm(vectors[others], axis=1) * np.linalg.norm(vectors[query])
        rows, found = nearest(model, np.array([query]), top, 1.0)[0]
        np.testing.assert_allclose(found, np.sort(cosines)[::-1][:top], atol=2e-6)
        assert set(rows.tolist()) <= set(others.tolist())


def test_a_zero_vector_has_neighbours_too() -> None:
    vectors = np.vstack([np.zeros((1, 8)), np.eye(8)])
    model = model_of(vectors, np.ones(9, int), np.ones(9))
    rows, cosines = nearest(model, np.array([0]), 3, 1.0)[0]
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
    rows, _ = nearest(model, np.array([0]), top, 1.0)[0]
    assert set(rows.tolist()) <= {2, 3, 4, 5}  # never the word's own senses
    assert len(rows) == min(top, 4)
