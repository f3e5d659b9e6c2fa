from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.paper.softmax import huffman, log_p_word

falling_counts = st.lists(st.integers(1, 10**6), min_size=2, max_size=60).map(
    lambda counts: np.sort(np.array(counts))[::-1]
)


def least_cost(counts: list[int]) -> int:
    """Σ count · path length of an optimal tree, by the textbook heap."""
    heap, cost = list(counts), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        both = heapq.heappop(heap) + heapq.heappop(heap)
        cost += both
        heapq.heappush(heap, both)
    return cost


@given(falling_counts)
def test_paths_are_as_short_as_possible(counts):
    lengths = np.diff(huffman(counts).offsets)
    assert int((counts * lengths).sum()) == least_cost(counts.tolist())


@given(falling_counts)
def test_paths_are_different_and_prefix_free(counts):
    tree = huffman(counts)
    codes = ["".join("L" if t > 0 else "R" for t in tree.path(w)[1]) for w in range(len(counts))]
    assert not any(a != b and codes[b].startswith(codes[a]) for a in range(len(codes)) for b in range(len(codes)))


@given(falling_counts)
def test_low_node_ids_are_the_most_visited(counts):
    tree = huffman(counts)
    visits = np.bincount(tree.steps >> 1, np.repeat(counts, np.diff(tree.offsets)), minlength=len(counts) - 1)
    assert tree.path(0)[0][0] == 0
    assert np.all(np.diff(visits) <= 0)


@given(falling_counts, st.integers(0, 2**32 - 1))
def test_probabilities_of_all_words_sum_to_one(counts, seed):
    draw = np.random.default_rng(seed)
    tree = huffman(counts)
    vector, output = draw.normal(size=5), draw.normal(size=(len(counts), 5))
    total = sum(np.exp(log_p_word(vector, output, tree, v)) for v in range(len(counts)))
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize("counts", [[], [3], [1, 2]])
def test_refuses_what_has_no_tree(counts):
    with pytest.raises(ValueError, match=r"two words|falling order"):
        huffman(np.array(counts, dtype=np.int64))
