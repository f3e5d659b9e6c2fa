"""Tests of many series at once for a trend: Mann-Kendall with Theil-Sen slopes, and least squares.

Series are rows; NaN marks an epoch without a value, which is left out of its series.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.types import Floats

_PAIRS_AT_ONCE = 1 << 21  # slopes of pairs held at a time: 16 MB for each of a few copies


class Trend(NamedTuple):
    """One entry per series; p is NaN if a series has fewer than three values."""

    slope: Floats  # change of the value per unit of time
    p: Floats


def mann_kendall(times: Floats, series: Floats) -> Trend:
    """Mann-Kendall test with the variance corrected for ties, and the Theil-Sen slope."""
    from scipy.special import ndtr

    n = np.isfinite(series).sum(axis=1).astype(np.float64)
    S = _concordance(series)
    # Var S = (n(n-1)(2n+5) - Σ_ties t(t-1)(2t+5)) / 18, with a continuity correction of one towards zero
    variance = (n * (n - 1) * (2 * n + 5) - _ties(series)) / 18.0
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(variance > 0, (S - np.sign(S)) / np.sqrt(variance), 0.0)
    return Trend(theil_sen(times, series), np.where(n >= 3, 2.0 * ndtr(-np.abs(z)), np.nan))


def _concordance(series: Floats) -> Floats:
    """S = Σ_{i<j} sign(x_j - x_i)"""
    S = np.zeros(len(series))
    for lag in range(1, series.shape[1]):
        S += np.nan_to_num(np.sign(series[:, lag:] - series[:, :-lag])).sum(axis=1)
    return S


def _ties(series: Floats) -> Floats:
    """Σ t(t-1)(2t+5) over the groups of t equal values of each series"""
    total = np.zeros(len(series))
    ordered = np.sort(series, axis=1)  # NaN last, and NaN equals nothing
    for i in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
        t = np.unique(ordered[i][np.isfinite(ordered[i])], return_counts=True)[1].astype(np.float64)
        total[i] = (t * (t - 1) * (2 * t + 5)).sum()
    return total


def theil_sen(times: Floats, series: Floats) -> Floats:
    """The median of the slopes of all pairs of values; NaN without a pair."""
    first, second = np.triu_indices(len(times), 1)
    medians = np.full(len(series), np.nan)
    step = max(1, _PAIRS_AT_ONCE // max(len(first), 1))
    for start in range(0, len(series) if len(first) else 0, step):
        part = series[start : start + step]
        slopes = np.sort((part[:, second] - part[:, first]) / (times[second] - times[first]), axis=1)
        n, rows = np.isfinite(slopes).sum(axis=1), np.arange(len(part))  # NaN is sorted last
        medians[start : start + step] = (slopes[rows, (n - 1) // 2] + slopes[rows, n // 2]) / 2.0
    return medians


def least_squares(times: Floats, series: Floats) -> Trend:
    """Ordinary least squares: the slope, and Student's test that it is zero."""
    from scipy.special import stdtr

    known = np.isfinite(series)
    n = known.sum(axis=1).astype(np.float64)
    t, y = np.where(known, times, 0.0), np.where(known, series, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(known, t - (t.sum(axis=1) / n)[:, None], 0.0)
        y = np.where(known, y - (y.sum(axis=1) / n)[:, None], 0.0)
        spread = (t * t).sum(axis=1)
        slope = (t * y).sum(axis=1) / spread
        residual = (y - slope[:, None] * t) * known
        error = np.sqrt((residual**2).sum(axis=1) / (n - 2) / spread)
        statistic = np.where(error > 0, slope / error, np.where(slope == 0, 0.0, np.inf))
        p = np.where(n >= 3, 2.0 * stdtr(n - 2, -np.abs(statistic)), np.nan)
    return Trend(np.where(n >= 2, slope, np.nan), p)


def benjamini_hochberg(p: Floats) -> Floats:
    """q-values of many tests; NaN (no test) stays NaN."""
    from scipy.stats import false_discovery_control

    q, tested = np.full(len(p), np.nan), np.isfinite(p)
    if tested.any():
        q[tested] = false_discovery_control(p[tested])
    return q
