"""Senses that are one: theorems about likeness, and groups of planted senses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.model.resolution import EXPECTED_LIFT, log_lift
from adagram.systems.adagram import merged_vector
from adagram.training.merge_senses import alike_groups, likeness, merge_pairs

NORTH, EAST = np.array([1.0, 0.0]), np.array([0.0, 1.0])
EVEN = np.array([[25.0, 25.0], [25.0, 25.0]])
APART = np.array([[50.0, 0.0], [0.0, 50.0]])


def test_senses_that_follow_each_other_by_chance_have_no_lift() -> None:
    shares = np.array([0.5, 0.3, 0.2])
    assert_allclose(log_lift(1e9 * np.outer(shares, shares)), 0.0, atol=1e-7)


def test_lift_is_negative_for_senses_that_keep_apart_and_symmetric() -> None:
    lift = log_lift(np.array([[60.0, 2.0], [4.0, 34.0]]))
    assert lift[0, 1] == lift[1, 0] < 0 < lift[0, 0]


def test_few_pairs_say_little() -> None:
    assert abs(log_lift(APART / 50)[0, 1]) < abs(log_lift(APART)[0, 1])
    assert_allclose(log_lift(np.zeros((2, 2))), np.log(EXPECTED_LIFT))


def test_likeness_is_the_cosine_where_pairs_say_nothing() -> None:
    vectors = np.stack([NORTH, NORTH + EAST])
    assert likeness(vectors, 1e6 * EVEN)[0, 1] == pytest.approx(np.sqrt(0.5), rel=1e-5)


@pytest.mark.parametrize(("pairs", "groups"), [(EVEN, [[0, 1]]), (APART, [[0], [1]])])
def test_of_two_senses_with_like_vectors_those_that_are_used_side_by_side_are_one(
    pairs: np.ndarray, groups: list[list[int]]
) -> None:
    vectors = np.stack([NORTH, NORTH + 0.5 * EAST]).astype(np.float32)
    assert alike_groups(vectors, np.array([3.0, 1.0]), pairs, least=0.5) == groups


def test_groups_take_in_one_sense_after_the_other_and_stay_in_order() -> None:
    vectors = np.stack([EAST, NORTH, EAST, NORTH, EAST]).astype(np.float32)
    pairs = np.full((5, 5), 100.0)
    assert alike_groups(vectors, np.ones(5), pairs, least=0.5) == [[0, 2, 4], [1, 3]]
    assert alike_groups(vectors, np.ones(5), pairs, least=9.0) == [[0], [1], [2], [3], [4]]


def test_the_union_is_the_mean_by_counts() -> None:
    found = merged_vector(np.stack([NORTH, EAST]).astype(np.float32), np.array([3.0, 1.0]))
    assert_allclose(found, [0.75, 0.25])


@pytest.mark.parametrize("transposed", [False, True])
def test_a_group_has_the_pairs_of_its_senses_as_the_first_and_as_the_second(transposed: bool) -> None:
    """Senses 0 and 1 are one; 2 follows (or goes before) 1 by chance, so it joins them if these pairs are theirs."""
    vectors = np.stack([EAST, EAST, NORTH + 0.5 * EAST]).astype(np.float32)
    pairs = np.array([[400.0, 400.0, 0.0], [400.0, 400.0, 900.0], [0.0, 0.0, 400.0]])
    pairs = pairs.T if transposed else pairs
    both = merge_pairs(pairs, [[0, 1]])
    alike = likeness(np.stack([EAST, vectors[2]]), both)[0, 1]
    assert alike_groups(vectors, np.ones(3), pairs, least=alike - 1e-6) == [[0, 1, 2]]
    assert alike_groups(vectors, np.ones(3), pairs, least=alike + 1e-6) == [[0, 1], [2]]


def test_a_group_points_where_most_of_its_uses_do() -> None:
    """The sense of 9 uses in 10 decides whether the third is alike; weighed equally, the union would lie between."""
    vectors = np.stack([EAST, EAST + 0.7 * NORTH, EAST - 0.8 * NORTH]).astype(np.float32)
    far = 1e6 * np.full((3, 3), 1.0)
    counts = np.array([90.0, 10.0, 50.0])
    mean = merged_vector(vectors[:2], counts[:2])
    cosine = likeness(np.stack([mean, vectors[2]]), 1e6 * EVEN)[0, 1]
    assert alike_groups(vectors, counts, far, least=cosine - 0.01) == [[0, 1, 2]]
    assert len(alike_groups(vectors, counts, far, least=cosine + 0.01)) == 2


@pytest.mark.parametrize("least", [-0.5, 0.1, 0.3, 0.9])
def test_senses_are_united_from_the_threshold_on(least: float) -> None:
    for cosine in (least - 0.02, least + 0.02):
        vectors = np.stack([EAST, cosine * EAST + np.sqrt(1 - cosine**2) * NORTH]).astype(np.float32)
        groups = alike_groups(vectors, np.ones(2), 1e9 * EVEN, least)
        assert (groups == [[0, 1]]) == (cosine > least)
