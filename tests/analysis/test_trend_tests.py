"""Trend tests, tails and measures against scipy, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.spatial.distance import jensenshannon

from adagram.analysis import trend_tests
from adagram.analysis.change import interval, jensen_shannon
from adagram.analysis.trend_tests import benjamini_hochberg, least_squares, mann_kendall, theil_sen
from adagram.model.sheet import log_dice, log_likelihood_ratio
from adagram.model.trends import normalise

draw = np.random.default_rng(1)
TIMES = np.array([1990.0, 1991, 1993, 1994, 1995, 1999, 2000, 2001, 2002, 2010])
SERIES = np.concatenate([draw.normal(size=(8, 10)), draw.integers(0, 4, (8, 10)), np.ones((1, 10))])
GAPS = np.where(draw.random(SERIES.shape) < 0.2, np.nan, SERIES)


def test_false_discovery_rate_is_that_of_scipy():
    p = draw.random(50) ** 3
    assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
    assert np.isnan(benjamini_hochberg(np.array([np.nan, 0.5])))[0]


@pytest.fixture
def as_if_independent(monkeypatch):
    """Take the values of a series for independent."""
    monkeypatch.setattr(trend_tests, "effective_length", lambda fit: fit.n)


@pytest.mark.parametrize("series", [SERIES, GAPS])
@pytest.mark.usefixtures("as_if_independent")
def test_least_squares_is_that_of_scipy(series):
    slope, p = least_squares(TIMES, series)
    for i, y in enumerate(series):
        known = np.isfinite(y)
        expected = stats.linregress(TIMES[known], y[known])
        assert slope[i] == pytest.approx(expected.slope, abs=1e-12)
        assert p[i] == pytest.approx(1.0 if np.ptp(y[known]) == 0 else expected.pvalue, rel=1e-8)


@pytest.mark.parametrize("series", [SERIES, GAPS])
def test_theil_sen_is_that_of_scipy(series):
    expected = [stats.theilslopes(y[np.isfinite(y)], TIMES[np.isfinite(y)]).slope for y in series]
    assert_allclose(theil_sen(TIMES, series), expected, atol=1e-12)


@pytest.mark.parametrize("series", [SERIES, GAPS])
@pytest.mark.usefixtures("as_if_independent")
def test_mann_kendall_counts_as_kendalls_tau_does(series):
    """Without the continuity correction, S is that of scipy's Kendall tau-b, here with Student's distribution."""
    p = mann_kendall(TIMES, series).p
    for i, y in enumerate(series):
        known = np.isfinite(y)
        n, values = known.sum(), y[known]
        S = sum(np.sign(b - a) for j, a in enumerate(values) for b in values[j + 1 :])
        tau = stats.kendalltau(np.arange(n), values, method="asymptotic")
        if np.ptp(values) == 0:
            assert p[i] == 1.0
            continue
        z = stats.norm.isf(tau.pvalue / 2) * (abs(S) - 1) / abs(S) if S else 0.0
        assert p[i] == pytest.approx(2 * stats.t.sf(z, n), rel=1e-6)


def test_a_rising_series_rises_and_two_values_are_no_test():
    rising = mann_kendall(np.arange(12.0), np.arange(12.0)[None] * 0.5)
    assert rising.slope[0] == 0.5
    assert rising.p[0] < 1e-3
    assert np.isnan(mann_kendall(np.arange(2.0), np.array([[0.0, 1.0]])).p[0])
    assert np.isnan(least_squares(np.arange(2.0), np.array([[0.0, 1.0]])).p[0])


MORE_SERIES = [(0.3, 40), (0.5, 40), (0.5, 80)]


def autocorrelated(n, rho, n_series, seed):
    """AR(1) series with unit variance and no trend."""
    noise = np.random.default_rng(seed).normal(size=(n_series, n))
    series = noise.copy()
    for i in range(1, n):
        series[:, i] = rho * series[:, i - 1] + np.sqrt(1 - rho**2) * noise[:, i]
    return series


@pytest.mark.parametrize("test", [mann_kendall, least_squares])
@pytest.mark.parametrize(
    ("rho", "n"),
    [(0.0, 40), (0.5, 20), (0.7, 80), *(pytest.param(*case, marks=pytest.mark.slow) for case in MORE_SERIES)],
)
def test_one_series_in_twenty_without_a_trend_has_p_up_to_five_percent(test, rho, n):
    series = autocorrelated(n, rho, 4000, seed=3)
    assert 0.025 < np.mean(test(np.arange(float(n)), series).p <= 0.05) < 0.075
    gaps = np.where(np.random.default_rng(4).random(series.shape) < 0.1, np.nan, series)
    assert 0.02 < np.mean(test(np.arange(float(n)), gaps).p <= 0.05) < 0.075


@pytest.mark.parametrize("test", [mann_kendall, least_squares])
@pytest.mark.parametrize(("n", "rise", "power"), [(20, 8, 0.5), (40, 4, 0.7), (80, 3, 0.9)])
def test_a_clear_trend_is_found_in_autocorrelated_series(test, n, rise, power):
    """The rise over the whole time is in standard deviations of the series around its trend."""
    series = autocorrelated(n, 0.5, 1000, seed=5) + np.linspace(0, rise, n)
    assert np.mean(test(np.arange(float(n)), series).p <= 0.05) > power


def test_normalisations_keep_what_they_promise():
    offsets = np.array([0, 2, 3])
    f = draw.integers(1, 50, (3, 6)).astype(float)
    totals = draw.integers(900, 1100, 6).astype(float)
    by_epoch, by_word = normalise("epoch", f, totals, offsets), normalise("global", f, totals, offsets)
    assert_allclose(by_epoch.mean(axis=1), 1.0)
    assert_allclose(by_epoch[0] / by_epoch[0, 0], f[0] / totals / (f[0, 0] / totals[0]))
    assert_allclose(by_word[:2].sum(), 6.0)
    assert_allclose(by_word[2], by_epoch[2])
    assert_allclose(normalise("relative", f, totals, offsets)[:2].sum(axis=0), 1.0)
    f[:2, 3] = 0.0
    assert np.isnan(normalise("relative", f, totals, offsets)[:2, 3]).all()


def test_log_likelihood_ratio_is_the_g_test_of_scipy():
    expected = stats.chi2_contingency([[30, 70], [20, 880]], correction=False, lambda_="log-likelihood")[0]
    found = log_likelihood_ratio(*(np.array([v], float) for v in (30, 100, 20, 900)))
    assert found[0] == pytest.approx(expected)
    assert log_likelihood_ratio(*(np.array([v], float) for v in (0, 100, 20, 900)))[0] < 0


def test_log_dice_is_fourteen_for_words_that_never_part():
    assert log_dice(np.array([50.0]), np.array([50.0]), np.array([50.0]))[0] == 14.0


def test_jensen_shannon_is_that_of_scipy():
    p, q = draw.dirichlet(np.ones(5), 4), draw.dirichlet(np.ones(5), 4)
    expected = [jensenshannon(a, b, base=2) for a, b in zip(p, q, strict=True)]
    assert_allclose(jensen_shannon(p, q), expected)
    assert jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1.0


@pytest.mark.parametrize(
    ("shares", "n"),
    [
        pytest.param((0.5, 0.5), 200, marks=pytest.mark.slow),
        ((0.9, 0.1), 100),
        pytest.param((0.6, 0.3, 0.1), 400, marks=pytest.mark.slow),
    ],
)
def test_nineteen_intervals_of_twenty_contain_no_change_if_nothing_changes(shares, n):
    assert 0.925 < np.mean([low == 0.0 for low, _ in intervals(shares, shares, n)]) < 0.98


@pytest.mark.parametrize("after", [(0.3, 0.7), pytest.param((0.1, 0.9), marks=pytest.mark.slow)])
def test_intervals_contain_the_change_that_there_is(after):
    before = (0.6, 0.4)
    true = float(jensen_shannon(np.array(before), np.array(after)))
    found = [*intervals(before, after, 200)]
    assert 0.92 < np.mean([low <= true <= high for low, high in found]) < 0.98
    assert np.mean([low > 0 for low, _ in found]) > 0.95


def intervals(before, after, n, n_trials=400, n_resamples=200):
    """Intervals of trials with n uses in either period; a resample weighs each use by a Poisson number.

    So a sense with s uses has a Poisson(s) number of them in a resample.
    """
    draw = np.random.default_rng(7)
    for _ in range(n_trials):
        seen = np.stack([draw.multinomial(n, p) for p in (before, after)])  # (2, n_senses)
        drawn = draw.poisson(seen[:, None], (2, n_resamples, len(before)))
        share = seen / n
        yield interval(share, seen.sum(axis=0) / (2 * n), drawn / drawn.sum(axis=2, keepdims=True) - share[:, None])
