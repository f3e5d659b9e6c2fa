"""Clustering scores against scikit-learn, against hand-worked cases, and their theorems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.metrics.cluster import pair_confusion_matrix

from adagram.evaluation.clustering import (
    adjusted_rand_index,
    contingency,
    jaccard_index,
    majority_f1,
    paired_f_score,
    rand_index,
    v_measure,
)

labellings = st.integers(1, 40).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2))


@given(labellings)
def test_ari_and_v_measure_equal_scikit_learn(both):
    gold, system = both
    assert adjusted_rand_index(gold, system) == pytest.approx(metrics.adjusted_rand_score(gold, system), abs=1e-12)
    assert v_measure(gold, system) == pytest.approx(metrics.v_measure_score(gold, system), abs=1e-9)
    assert rand_index(gold, system) == pytest.approx(metrics.rand_score(gold, system), abs=1e-12)


@given(labellings)
def test_paired_f_counts_pairs(both):
    """Every item twice: no cluster has a single item, so the score is that of the pair confusion matrix."""
    gold, system = both[0] * 2, both[1] * 2
    (_, fp), (fn, tp) = pair_confusion_matrix(gold, system)
    precision, recall, _ = paired_f_score(gold, system)
    assert precision == pytest.approx(tp / (tp + fp))
    assert recall == pytest.approx(tp / (tp + fn))
    assert jaccard_index(gold, system) == pytest.approx(tp / (tp + fp + fn))


@given(labellings)
def test_scores_do_not_depend_on_names_or_order(both):
    gold, system = both
    renamed = [f"c{5 - k}" for k in system]
    order = np.random.default_rng(0).permutation(len(gold))
    for score in (jaccard_index, majority_f1, lambda *labels: paired_f_score(*labels)[2]):
        shuffled = score([gold[i] for i in order], [renamed[i] for i in order])
        assert shuffled == pytest.approx(score(gold, system), abs=1e-12)


@given(labellings)
def test_equal_partitions_score_one(both):
    gold = both[0]
    renamed = [f"s{label}" for label in gold]
    for score in (jaccard_index, majority_f1):
        assert score(gold, renamed) == pytest.approx(1.0)
    assert paired_f_score(gold, renamed)[2] == 1.0


def test_paired_f_by_hand():
    # gold aaab: 3 pairs, and b alone; system xxyz: 1 pair, y alone, z alone. Shared: the pair xx, and b = z.
    assert paired_f_score("aaab", "xxyz") == pytest.approx((2 / 3, 2 / 4, 4 / 7))


def test_majority_f1_by_hand():
    # Clusters x = {a, a, b} and y = {b, c}: majorities 2 and 1 of 5.
    assert majority_f1("aabbc", "xxxyy") == 3 / 5


def test_labels_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 gold labels but 3 system labels"):
        contingency("ab", "abc")
