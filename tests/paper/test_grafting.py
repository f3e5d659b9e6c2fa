"""Words grafted into a tree: nothing old moves, and what an old word loses is what the words beside it get."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from adagram.paper.softmax import Huffman, beside, graft, huffman, joint_depths
from adagram.paper.stick_breaking import log_sigmoid

COUNTS = st.lists(st.integers(1, 10_000), min_size=2, max_size=60)
NEW = st.lists(st.integers(1, 10_000), max_size=80)


def joined(old: list[int], new: list[int]) -> tuple[Huffman, np.ndarray]:
    old = sorted(old, reverse=True)
    return huffman(np.array(old)), np.array([*old, *new])


def probabilities(tree: Huffman, products: np.ndarray) -> np.ndarray:
    """p(w) of every word, where the context has these products with the rows of the nodes."""
    found = []
    for w in range(tree.n_words):
        nodes, turns = tree.path(w)
        found.append(np.exp(log_sigmoid(turns * products[nodes]).sum()))
    return np.array(found)


@given(COUNTS, NEW)
def test_old_paths_stay_a_prefix_and_grow_by_one_step_at_most(old: list[int], new: list[int]) -> None:
    tree, counts = joined(old, new)
    grown = graft(tree, counts)
    for w in range(tree.n_words):
        for before, after in zip(tree.path(w), grown.path(w), strict=True):
            assert_array_equal(after[: len(before)], before)
            assert len(after) <= len(before) + 1


@given(COUNTS, NEW, st.integers(0, 2**31))
def test_an_old_word_loses_exactly_what_the_words_beside_it_get(old: list[int], new: list[int], seed: int) -> None:
    """In every context, whatever the new rows are; all other old words keep their probability."""
    tree, counts = joined(old, new)
    products = np.random.default_rng(seed).normal(0.0, 3.0, len(counts))
    before, after = probabilities(tree, products), probabilities(graft(tree, counts), products)
    groups = beside(tree, counts)
    for x in range(tree.n_words):
        given_away = after[groups.get(x, [])].sum()
        assert_allclose(before[x] - after[x], given_away, rtol=1e-9, atol=1e-15)
    assert_allclose(after.sum(), 1.0)


@given(COUNTS, NEW)
def test_with_zero_rows_an_old_word_keeps_half_or_all(old: list[int], new: list[int]) -> None:
    tree, counts = joined(old, new)
    products = np.zeros(len(counts))
    products[: tree.n_words - 1] = np.random.default_rng(0).normal(0.0, 3.0, tree.n_words - 1)
    before, after = probabilities(tree, products), probabilities(graft(tree, counts), products)
    share = np.ones(tree.n_words)
    share[list(beside(tree, counts))] = 0.5
    assert_allclose(after[: tree.n_words], before * share)


def zipf(n: int, top: float) -> np.ndarray:
    return np.maximum((top / np.arange(1, n + 1)).astype(np.int64), 5)


def mean_excess(tree: Huffman, counts: np.ndarray, limits: np.ndarray) -> float:
    """How much deeper than these limits new words are, on average over their uses."""
    n_old = tree.n_words
    depths = np.diff(graft(tree, counts).offsets)[n_old:]
    return float(np.average(depths - limits, weights=counts[n_old:]))


def has_room(leaves: np.ndarray, wanted: np.ndarray) -> bool:
    """Whether, down to every depth, the old leaves leave the room that new words want there."""
    depths = range(1, int(wanted.max()) + 1)
    return all((0.5 ** leaves[leaves <= d]).sum() >= (0.5 ** wanted[wanted <= d]).sum() for d in depths)


@pytest.mark.parametrize(("n_old", "n_new", "top"), [(5_000, 500, 2e3), (3_000, 6_000, 2e4), (400, 50, 1e3)])
def test_new_words_are_within_a_step_of_the_joint_tree(n_old: int, n_new: int, top: float) -> None:
    """On average over new tokens, also where there are more new words than old ones."""
    old, new = zipf(n_old, 1e6), zipf(n_new, top)
    counts = np.concatenate([old, new])
    assert mean_excess(huffman(old), counts, joint_depths(counts)[n_old:] + 1) <= 0.0


EXTREME = st.lists(st.integers(0, 18).map(lambda e: 2**e), min_size=2, max_size=60)  # trees up to 18 levels deep


@given(EXTREME, EXTREME)
def test_how_deep_new_words_are_in_trees_of_any_shape(old: list[int], new: list[int]) -> None:
    tree, counts = joined(old, new)
    leaves, wanted = np.diff(tree.offsets) + 1, joint_depths(counts)[tree.n_words :] + 1
    assert mean_excess(tree, counts, np.maximum(wanted, leaves.max())) <= 1e-9
    if has_room(leaves, wanted):
        assert mean_excess(tree, counts, wanted) <= 1e-9


def test_a_single_new_word_can_be_more_than_a_step_deeper() -> None:
    counts = np.array([128, 128, 8, 30, 15, 18, 39])
    deeper = np.diff(graft(huffman(counts[:3]), counts).offsets)[3:] - joint_depths(counts)[3:]
    assert deeper.tolist() == [1, 1, 2, 0]


def test_words_that_are_more_frequent_than_all_old_ones_go_beside_the_highest() -> None:
    """No old leaf is high enough then: they get the next best place."""
    tree = graft(huffman(np.full(8, 1)), np.array([1] * 8 + [1_000, 1]))
    assert [len(tree.path(w)[0]) for w in (8, 9)] == [4, 4]


def test_no_new_words_leave_the_tree_as_it_is() -> None:
    tree = huffman(np.array([5, 3, 1]))
    same = graft(tree, np.array([50, 3, 10]))
    assert_array_equal(same.steps, tree.steps)
    assert_array_equal(same.offsets, tree.offsets)
