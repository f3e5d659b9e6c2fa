"""Trend tests, tails and measures against scipy, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.spatial.distance import jensenshannon

from adagram.analysis.change import jensen_shannon
from adagram.analysis.trend_tests import (
    benjamini_hochberg,
    least_squares,
    mann_kendall,
    theil_sen,
)
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


@pytest.mark.parametrize("series", [SERIES, GAPS])
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
def test_mann_kendall_counts_as_kendalls_tau_does(series):
    """Without the continuity correction, z of S is that of scipy's Kendall tau-b in its normal limit."""
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
        assert p[i] == pytest.approx(2 * stats.norm.sf(z), rel=1e-6)


def test_a_rising_series_rises_and_two_values_are_no_test():
    rising = mann_kendall(np.arange(12.0), np.arange(12.0)[None] * 0.5)
    assert rising.slope[0] == 0.5
    assert rising.p[0] < 1e-4
    assert np.isnan(mann_kendall(np.arange(2.0), np.array([[0.0, 1.0]])).p[0])
    assert np.isnan(least_squares(np.arange(2.0), np.array([[0.0, 1.0]])).p[0])


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
