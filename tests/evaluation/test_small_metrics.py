"""Rank correlation, diversification, bootstrap."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from adagram.evaluation.change import average_precision
from adagram.evaluation.report import Resampling, interval
from adagram.evaluation.search import flatten, read_search_set, score_search, subtopic_precision, subtopic_recall
from adagram.evaluation.similarity import cosine, spearman

values = st.lists(st.integers(-5, 5), min_size=3, max_size=30)
clusterings = st.lists(st.lists(st.integers(0, 999), max_size=6), max_size=6)


@given(values, st.randoms(use_true_random=False))
def test_spearman_equals_scipy(a, random):
    b = random.choices(range(4), k=len(a))
    if len(set(a)) > 1 and len(set(b)) > 1:
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
    else:
        assert spearman(a, b) == 0.0


def test_cosine():
    assert cosine([1, 0], [1, 1]) == pytest.approx(math.sqrt(0.5))
    assert cosine([0, 0], [1, 1]) == 0.0


@given(clusterings)
def test_flattening_keeps_every_result_and_the_order_within_clusters(groups):
    clusters = [[f"{c}.{i}" for i in range(len(group))] for c, group in enumerate(groups)]
    flat = flatten(clusters)
    assert sorted(flat) == sorted(result for cluster in clusters for result in cluster)
    layers = [int(result.split(".")[1]) for result in flat]
    assert layers == sorted(layers)


def test_subtopic_scores_by_hand():
    subtopics = {"1": ["a"], "2": ["a"], "3": ["b"], "5": ["c", "d"]}
    ranking = ["1", "2", "3", "4", "5"]
    assert [subtopic_recall(ranking, subtopics, k) for k in (1, 2, 3, 5)] == [0.25, 0.25, 0.5, 1.0]
    assert subtopic_precision(ranking, subtopics, 0.5) == 2 / 3
    assert subtopic_precision(ranking, subtopics, 0.7) == 4 / 5
    assert subtopic_precision(ranking[:2], subtopics, 0.5) == 0.0


@given(st.integers(1, 120), st.integers(1, 100))
@example(25, 28)
def test_subtopic_precision_asks_for_the_least_number_that_is_the_share(n, percent):
    """Every second result has a new subtopic. In floats 0.28 · 25 is more than 7; 7 are 28 % all the same."""
    ranking = [f"other{i // 2}" if i % 2 else str(i // 2) for i in range(2 * n)]
    subtopics = {str(i): [f"topic{i}"] for i in range(n)}
    needed = math.ceil(Fraction(percent, 100) * n)
    assert subtopic_precision(ranking, subtopics, percent / 100) == needed / (2 * needed - 1)


@pytest.mark.parametrize(
    ("found", "changed", "expected"),
    [
        ([3, 2, 1, 0], [1, 0, 1, 0], (1 + 2 / 3) / 2),
        ([1, 1, 0, 0], [1, 0, 0, 0], 1 / 2),  # tied with one that did not change: half of what is listed so far
        ([1, 1, 1, 1], [1, 0, 0, 1], 2 / 4),
        ([2, 1, 1, 0], [1, 0, 1, 1], (1 + 2 / 3 + 3 / 4) / 3),
    ],
)
def test_average_precision_of_tied_words_does_not_depend_on_their_order(found, changed, expected):
    for order in (slice(None), slice(None, None, -1)):
        values = np.array(found, float)[order], np.array(changed, float)[order]
        assert average_precision(*values) == pytest.approx(expected)


def test_the_interval_of_a_mean_has_its_standard_error():
    x = np.random.default_rng(1).normal(size=400)
    low, high = interval(lambda items: float(x[items].mean()), 400, resamples=2000)
    half = 1.96 * x.std() / 20
    assert low == pytest.approx(x.mean() - half, abs=0.01)
    assert high == pytest.approx(x.mean() + half, abs=0.01)
    assert (low, high) == interval(lambda items: float(x[items].mean()), 400, resamples=2000)


@pytest.mark.parametrize(
    ("folder", "recalls", "precisions"),
    [
        ("semeval2013-11", [0.357, 0.509, 0.669, 0.840], [0.476, 0.373, 0.283, 0.266]),
        ("ambient", [0.346, 0.483, 0.640, 0.786], [0.492, 0.379, 0.306, 0.230]),
    ],
)
def test_the_order_of_the_search_engine_has_its_published_scores(data_folder, folder, recalls, precisions):
    queries = read_search_set(data_folder / folder)
    one_cluster = {query.id: [list(query.results)] for query in queries}
    report = score_search(queries, one_cluster, Resampling(resamples=0))
    assert [report.value(f"S-recall@{k}") for k in (5, 10, 20, 40)] == pytest.approx(recalls, abs=6e-4)
    found = [report.value(f"S-precision@{r}") for r in (0.5, 0.6, 0.7, 0.8)]
    assert found == pytest.approx(precisions, abs=6e-4)


def test_trivial_clusterings_of_search_results_have_their_published_scores(data_folder):
    queries = read_search_set(data_folder / "semeval2013-11")
    no_intervals = Resampling(resamples=0)
    one = score_search(queries, {query.id: [list(query.results)] for query in queries}, no_intervals)
    each = score_search(queries, {query.id: [[r] for r in query.results] for query in queries}, no_intervals)
    assert [one.value(m) for m in ("RI", "JI", "F1")] == pytest.approx([0.3990, 0.3990, 0.5442], abs=1e-4)
    assert [each.value(m) for m in ("RI", "F1")] == pytest.approx([0.6010, 1.0], abs=1e-4)
