from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from adagram.paper.stick_breaking import (
    beta_parameters,
    expected_log_pi,
    expected_log_prior_minus_q,
    expected_pi,
    is_learned,
    log_sigmoid,
    prior_of_unlearned,
    softmax,
    updated_counts,
)

COUNTS = np.array([12.0, 3.5, 0.0, 1.2, 0.0])
counts_of_words = st.lists(st.floats(0, 1e7), min_size=2, max_size=30).map(np.array)


def sample_sticks(counts: np.ndarray, alpha: float, n: int, seed: int) -> np.ndarray:
    a, b = beta_parameters(counts, alpha)
    return pieces(np.random.default_rng(seed).beta(a, b, size=(n, len(a))))


def pieces(sticks: np.ndarray) -> np.ndarray:
    """π_k = β_k Π_{r<k} (1 - β_r), and the last takes what is left."""
    rest = np.cumprod(1 - sticks, axis=1)
    ones = np.ones((len(sticks), 1))
    return np.hstack([sticks, ones]) * np.hstack([ones, rest])


@given(counts_of_words, st.floats(1e-3, 100))
def test_beta_parameters_are_those_of_the_posterior_of_the_sticks(counts, alpha):
    """Eq. (6), by Bayes: Π Beta(β_k; 1, α) Π π_k^n_k is Π Beta(β_k; a_k, b_k) but for a constant, whatever β is."""
    sticks = np.random.default_rng(0).uniform(0.05, 0.95, size=(20, len(counts) - 1))
    joint = stats.beta.logpdf(sticks, 1.0, alpha).sum(axis=1) + np.log(pieces(sticks)) @ counts
    q = stats.beta.logpdf(sticks, *beta_parameters(counts, alpha)).sum(axis=1)
    assert np.ptp(joint - q) <= 1e-9 * (1.0 + np.abs(joint).max())


def test_expected_log_pi_is_the_mean_of_log_pi():
    sampled = sample_sticks(COUNTS, 0.7, n=200_000, seed=0)
    assert_allclose(expected_log_pi(COUNTS, 0.7), np.log(sampled).mean(0), rtol=0.02)


def test_expected_pi_is_the_mean_of_pi():
    sampled = sample_sticks(COUNTS, 0.7, n=200_000, seed=1)
    assert_allclose(expected_pi(COUNTS, 0.7), sampled.mean(0), atol=2e-3)


@given(counts_of_words, st.floats(1e-3, 100))
def test_expected_pi_sums_to_one(counts, alpha):
    assert expected_pi(counts, alpha).sum() == pytest.approx(1.0)


@given(counts_of_words, st.floats(1e-3, 100))
def test_jensen_log_of_mean_is_above_mean_of_log(counts, alpha):
    assert np.all(np.log(np.maximum(expected_pi(counts, alpha), 1e-300)) >= expected_log_pi(counts, alpha) - 1e-9)


def test_what_is_left_for_unlearned_sticks():
    """Of three words: one has three learned senses of at most eight, one a single sense, one all it can have."""
    learned = [[12.0, 3.5, 1.2], [4.0], [3.0, 2.0, 1.0, 5.0, 2.0, 2.0, 1.0, 9.0]]
    totals = np.array([17.5, 4.0, 25.0])
    offsets = np.cumsum([0, *map(len, learned)])
    found = prior_of_unlearned(np.concatenate(learned), offsets, totals, alpha=0.7, truncation=8)
    for counts, total, rest in zip(learned, totals, found, strict=True):
        sticks = [*counts, total - sum(counts), *[0.0] * 7][:8]
        assert rest == pytest.approx(expected_pi(np.array(sticks), 0.7)[len(counts) :].sum())


def test_many_words_at_once_equal_one_by_one():
    table = np.random.default_rng(0).gamma(1.0, 5.0, size=(7, 4))
    for function in (expected_pi, expected_log_pi):
        assert_allclose(function(table, 0.1), [function(row, 0.1) for row in table])


@given(counts_of_words, st.floats(1e-3, 100))
def test_prior_minus_q_is_a_negative_divergence(counts, alpha):
    assert expected_log_prior_minus_q(counts, alpha) <= 1e-6 * (1 + counts.sum())


def test_prior_minus_q_against_sampling():
    alpha, counts = 0.5, np.array([4.0, 2.0, 1.0])
    a, b = beta_parameters(counts, alpha)
    draws = np.random.default_rng(2).beta(a, b, size=(400_000, 2))
    sampled = (stats.beta.logpdf(draws, 1, alpha) - stats.beta.logpdf(draws, a, b)).sum(1).mean()
    assert expected_log_prior_minus_q(counts, alpha) == pytest.approx(sampled, abs=0.02)


def test_without_data_q_is_the_prior():
    assert expected_log_prior_minus_q(np.zeros(5), 0.3) == pytest.approx(0.0, abs=1e-9)


@given(st.floats(0, 1), st.lists(st.floats(0.01, 10), min_size=3, max_size=3))
def test_count_updates_keep_the_total_of_a_word(rate, weights):
    posterior = np.array(weights) / np.sum(weights)
    counts = np.array([7.0, 3.0, 0.0])
    assert updated_counts(counts, posterior, 10.0, rate).sum() == pytest.approx(10.0)


def test_learned_needs_prior_and_count():
    prior, counts = np.array([0.9, 0.05, 0.05, 5e-4]), np.array([20.0, 2.0, 0.4, 1.5])
    assert is_learned(prior, counts).tolist() == [True, True, False, False]


def test_special_functions_are_scipys():
    x = np.linspace(-900, 900, 101)
    assert_allclose(log_sigmoid(x), scipy.special.log_expit(x))
    assert_allclose(softmax(np.array([1000.0, 1001.0])), scipy.special.softmax([0.0, 1.0]))
