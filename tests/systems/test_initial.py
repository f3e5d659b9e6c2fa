"""Random vectors: the same whatever else is asked for, and by how many threads."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from adagram.config import TrainConfig
from adagram.systems import base as initial
from adagram.systems.base import OUTPUT, SENSES, random_vectors


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(initial, "BLOCK", 400)


def table(dim: int, n_rows: int, seed: int = 1) -> np.ndarray:
    """What one generator gives without blocks."""
    draw = np.random.Generator(np.random.Philox(key=[seed, SENSES]))
    return (draw.random((n_rows, dim), dtype=np.float32) - np.float32(0.5)) / np.float32(dim)


@pytest.mark.parametrize("dim", [1, 7, 20, 300])
def test_blocks_do_not_show(dim):
    vectors = random_vectors(2500, TrainConfig.from_preset("paper", dim=dim), SENSES)
    assert_array_equal(vectors[:, :dim], table(dim, 2500))
    assert not vectors[:, dim:].any()


def test_a_given_array_is_filled():
    out = np.zeros((60, 16), np.float32)
    assert random_vectors(60, TrainConfig.from_preset("paper", dim=10), SENSES, out) is out
    assert_array_equal(out[:, :10], table(10, 60))


def test_tables_and_seeds_differ():
    vectors, others, reseeded = (
        random_vectors(5, TrainConfig.from_preset("paper", dim=8, seed=seed), number)
        for seed, number in ((1, SENSES), (1, OUTPUT), (2, SENSES))
    )
    assert not (vectors == others).any()
    assert not (vectors == reseeded).any()


def test_no_rows_are_no_vectors():
    assert len(random_vectors(0, TrainConfig.from_preset("paper", dim=8), SENSES)) == 0
