"""What the context of a word is: which words, with which weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from adagram.config import TrainConfig
from adagram.corpus.tokenize import TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.model.context import Context, Words
from adagram.paper.schedule import keep_probability

COUNTS = np.array([500_000, 90_000, 20_000, 3_000, 400, 100], dtype=np.int64)
VOCABULARY = Vocabulary([f"w{i}" for i in range(len(COUNTS))], COUNTS)
KEEP = keep_probability(COUNTS, 1e-3)  # of the six words: .04, .09, .21, .66, 1, 1
SIDE = st.lists(st.integers(0, len(COUNTS) - 1), max_size=60)


def context(subsample: float = 1e-3, weights: str = "kept", window: int | None = None) -> Context:
    config = TrainConfig.from_preset("paper", subsample=subsample, window=3)
    return Context(Words(VOCABULARY, TokenizerConfig()), config, weights, window)


def ids(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def test_a_word_counts_by_the_probability_that_training_kept_it():
    found = context().bag(ids(0, 3, 5, 5))
    assert_array_equal(found.ids, [0, 3, 5, 5])
    assert_allclose(found.weights, KEEP[[0, 3, 5, 5]])
    assert found.weights[0] < 0.06


def test_a_side_reaches_until_it_weighs_the_window_and_the_word_that_crosses_counts_in_part():
    right = ids(5, 0, 0, 4, 1, 5, 5)  # 1 + .04 + .04 + 1 + .09 = 2.17, then what is left of 3
    found = context().sides(ids(), right)
    assert_array_equal(found.ids, right[:6])
    assert_allclose(found.weights[:5], KEEP[right[:5]])
    assert found.weights[5] == pytest.approx(3.0 - KEEP[right[:5]].sum())
    assert 0.8 < found.weights[5] < 0.9
    assert found.weights.sum() == pytest.approx(3.0)
    left = context().sides(right[::-1], ids())
    assert_array_equal(left.ids, found.ids[::-1])
    assert_allclose(left.weights, found.weights[::-1])


@given(SIDE, SIDE)
def test_no_side_weighs_more_than_the_window_and_none_stops_early(left, right):
    found = context().sides(ids(*left), ids(*right))
    whole = [min(3.0, KEEP[side].sum()) if side else 0.0 for side in (left, right)]
    assert found.weights.sum() == pytest.approx(sum(whole))
    assert (found.weights > 0).all()
    n_left = len(found.ids) - len(context().sides(ids(), ids(*right)).ids)
    assert_array_equal(found.ids, [*left[len(left) - n_left :], *right[: len(found.ids) - n_left]])


@pytest.mark.parametrize("plain", [context(subsample=0.0), context(weights="none")])
@given(SIDE, SIDE)
def test_without_weights_it_is_the_window_of_the_paper(plain, left, right):
    found = plain.sides(ids(*left), ids(*right))
    assert_array_equal(found.ids, [*left[-3:], *right[:3]])
    assert_array_equal(found.weights, np.ones(len(found.ids)))


def test_a_window_of_ones_own():
    found = context(weights="none", window=1).sides(ids(1, 2), ids(3, 4))
    assert_array_equal(found.ids, [2, 3])


def test_what_cannot_be_a_context_is_refused():
    with pytest.raises(InputError, match="context_weights is 'all'; it must be one of kept, none"):
        context(weights="all")
    with pytest.raises(InputError, match="window is 0"):
        context(window=0)
