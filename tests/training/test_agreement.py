"""Whether near occurrences have the same sense: Scott's π of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.training.merge_senses import USUAL, WEIGHT, agreement, merge_pairs
from adagram.types import Floats


def pairs_of(stay: float, n: int = 20_000) -> Floats:
    """Two senses, a third and two thirds of all uses; a sense goes on with this probability, else it is drawn anew."""
    draw = np.random.default_rng(0)
    fresh, stays = draw.random(n) < 1 / 3, draw.random(n) < stay
    last_drawn = np.maximum.accumulate(np.where(stays, 0, np.arange(n)))
    senses = fresh[last_drawn].astype(int)
    pairs = np.zeros((2, 2))
    np.add.at(pairs, (senses[:-1], senses[1:]), 1.0)
    return pairs


def test_the_agreement_of_a_chain_is_the_probability_that_a_sense_goes_on():
    for stay in (0.0, 0.5, 0.9):
        assert agreement(pairs_of(stay)) == pytest.approx(stay, abs=0.03)


def test_agreement_is_scotts_pi_whichever_of_a_pair_comes_first():
    """By hand: .6 are the same; p = (.65, .35), so .545 by chance. Cohen's κ is .130, and changes with the order."""
    pairs = 1e9 * np.array([[45.0, 15.0], [25.0, 15.0]])
    assert agreement(pairs) == pytest.approx((0.60 - 0.545) / (1 - 0.545), abs=1e-6)
    other_order = 1e9 * np.array([[45.0, 40.0], [0.0, 15.0]])
    assert agreement(other_order) == pytest.approx(agreement(pairs))


def test_few_pairs_are_shrunk_to_the_usual_agreement():
    assert agreement(WEIGHT * np.eye(2) / 2) == pytest.approx((1.0 + USUAL) / 2)


def test_senses_that_are_never_decided_do_not_agree():
    share = np.array([0.7, 0.3])
    assert agreement(1e6 * np.outer(share, share)) == pytest.approx(0.0, abs=1e-3)


def test_few_pairs_say_little():
    assert agreement(np.zeros((3, 3))) == USUAL
    few, many = (agreement(n * np.eye(2)) for n in (1.0, 1000.0))
    assert USUAL < few < many < 1.0


def test_uniting_senses_adds_their_pairs():
    pairs = np.arange(16.0).reshape(4, 4)
    left = merge_pairs(pairs, [[1, 3]])
    assert left.shape == (3, 3)
    assert_allclose(left[1, 1], pairs[[1, 1, 3, 3], [1, 3, 1, 3]].sum())
    assert_allclose(left[0], [pairs[0, 0], pairs[0, 1] + pairs[0, 3], pairs[0, 2]])
    assert_allclose(merge_pairs(pairs, []), pairs)
