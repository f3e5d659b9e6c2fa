"""Graded scores: worked cases and theorems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.evaluation.clustering import fuzzy_b_cubed, fuzzy_nmi

weights = st.floats(1.0, 5.0)  # scaled weights of at most 0.1 look like absence to the NMI
labellings = st.lists(st.dictionaries(st.sampled_from("abc"), weights, min_size=1), min_size=2, max_size=12).map(
    lambda rows: {f"i{n}": row for n, row in enumerate(rows)}
)


@given(labellings)
def test_a_labelling_agrees_with_itself(labels):
    varied = any(len({row.get(s, 0) > 0 for row in labels.values()}) > 1 for s in "abc")
    if varied:
        assert fuzzy_nmi(labels, labels) == pytest.approx(1.0)
    precision, recall = fuzzy_b_cubed(labels, labels)
    assert precision == pytest.approx(recall)
    shared = all(any(set(row) & set(other) for j, other in labels.items() if j != i) for i, row in labels.items())
    if shared:
        assert precision == pytest.approx(1.0)


@given(labellings, labellings)
def test_nmi_is_symmetric_and_exchanging_sides_exchanges_precision_and_recall(gold, system):
    system = dict(zip(gold, system.values(), strict=False))
    gold = {i: gold[i] for i in system}
    assert fuzzy_nmi(gold, system) == pytest.approx(fuzzy_nmi(system, gold))
    assert fuzzy_b_cubed(gold, system) == pytest.approx(fuzzy_b_cubed(system, gold)[::-1])


@given(labellings, st.floats(0.5, 8.0))
def test_the_scale_of_an_instance_does_not_matter(gold, factor):
    # A power of two scales floating-point weights without rounding, so they stay in their bins.
    factor = 2.0 ** round(factor)
    scaled = {i: {s: w * factor for s, w in row.items()} for i, row in gold.items()}
    system = {i: {"x" if n % 2 else "y": 1.0} for n, i in enumerate(gold)}
    assert fuzzy_nmi(scaled, system) == fuzzy_nmi(gold, system)
    assert fuzzy_b_cubed(scaled, system) == fuzzy_b_cubed(gold, system)


def test_one_cluster_for_everything_has_no_information_but_full_precision():
    gold = {f"i{n}": {"a" if n < 4 else "b": 1.0} for n in range(8)}
    system = {i: {"x": 1.0} for i in gold}
    assert fuzzy_nmi(gold, system) == 0.0
    assert fuzzy_b_cubed(gold, system) == (1.0, pytest.approx(3 / 7))


def test_b_cubed_by_hand():
    gold = {"1": {"a": 1.0}, "2": {"a": 1.0, "b": 0.5}, "3": {"b": 1.0}}
    system = {"1": {"x": 1.0}, "2": {"x": 1.0}, "3": {"x": 0.5, "y": 1.0}}
    # C_gold(1,2) = 1, C_gold(2,3) = 0.5; C_sys(1,2) = 1, C_sys(1,3) = C_sys(2,3) = 0.5.
    assert fuzzy_b_cubed(gold, system) == (pytest.approx(1.0), pytest.approx((0.5 + 1.0 + 0.5) / 3))


def test_a_sense_that_marks_the_opposite_explains_nothing():
    """y is exactly where a is not: as a variable it determines a, but it is not the same sense."""
    gold = {f"i{n}": ({"a": 1.0} if n < 2 else {"b": 1.0}) for n in range(4)}
    only_y = {f"i{n}": ({"z": 1.0} if n < 2 else {"y": 1.0}) for n in range(4)}
    assert fuzzy_nmi(gold, only_y) == pytest.approx(1.0)  # z explains a, y explains b
    assert fuzzy_nmi({i: {"a": 1.0} for i in ("i0", "i1")}, {"i2": {"y": 1.0}, "i3": {"y": 1.0}}) == 0.0


def test_instances_that_only_the_system_labels_count_against_it():
    gold = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    system = {"1": {"x": 1.0}, "2": {"x": 1.0}}
    with_stranger = {**system, "3": {"x": 1.0}}
    assert fuzzy_b_cubed(gold, system) == (1.0, 1.0)
    assert fuzzy_b_cubed(gold, with_stranger) == (1.0, 0.5)


def test_a_sense_listed_with_weight_zero_counts_as_shared():
    """As in the official scorer: y is common to all three, and agrees fully where both weights are 0."""
    gold = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"b": 1.0}}
    system = {"1": {"x": 1.0, "y": 0.0}, "2": {"x": 1.0, "y": 0.0}, "3": {"y": 1.0}}
    # C_sys(1,2) = 2, C_sys(1,3) = C_sys(2,3) = 0, and 3 is one of the others that 1 and 2 are averaged over.
    assert fuzzy_b_cubed(gold, system) == (pytest.approx(2 / 3), pytest.approx((0.25 + 0.25 + 0.0) / 3))
    without = {"1": {"x": 1.0}, "2": {"x": 1.0}, "3": {"y": 1.0}}
    assert fuzzy_b_cubed(gold, without) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
