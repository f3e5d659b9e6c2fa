"""Whether series rise or fall: Mann-Kendall with Theil-Sen, and least squares, for many series at once.

Series are rows; NaN is an epoch without a value and is left out of its series.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.maths.tails import normal_two_sided, student_two_sided
from adagram.types import Floats

_AT_ONCE = 1 << 21  # slopes of pairs held at a time, a few times over: 16 MB each


class Trend(NamedTuple):
    """One entry per series; p is NaN where fewer than three values are left."""

    slope: Floats  # change of the value per unit of time
    p: Floats


def mann_kendall(times: Floats, series: Floats) -> Trend:
    """Mann-Kendall test with the variance corrected for ties, and the Theil-Sen slope."""
    n = np.isfinite(series).sum(axis=1).astype(np.float64)
    S = _concordance(series)
    ties = _ties(series)
    # Var S = (n(n-1)(2n+5) - Σ_ties t(t-1)(2t+5)) / 18, with a continuity correction of one towards zero
    variance = (n * (n - 1) * (2 * n + 5) - ties) / 18.0
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(variance > 0, (S - np.sign(S)) / np.sqrt(variance), 0.0)
    p = np.where(n >= 3, normal_two_sided(z), np.nan)
    return Trend(theil_sen(times, series), p)


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
        row = ordered[i][np.isfinite(ordered[i])]
        t = np.unique(row, return_counts=True)[1].astype(np.float64)
        total[i] = (t * (t - 1) * (2 * t + 5)).sum()
    return total


def theil_sen(times: Floats, series: Floats) -> Floats:
    """The median of the slopes of all pairs of values; NaN without a pair."""
    first, second = np.triu_indices(len(times), 1)
    spans = times[second] - times[first]
    slopes = np.full(len(series), np.nan)
    step = max(1, _AT_ONCE // max(len(spans), 1))
    for start in range(0, len(series), step):
        part = series[start : start + step]
        steepness = (part[:, second] - part[:, first]) / spans  # (n, pairs)
        some = np.isfinite(steepness).any(axis=1)
        whole = np.isfinite(steepness).all(axis=1)
        slopes[start : start + step][whole] = np.median(steepness[whole], axis=1)
        slopes[start : start + step][some & ~whole] = np.nanmedian(steepness[some & ~whole], axis=1)
    return slopes


def least_squares(times: Floats, series: Floats) -> Trend:
    """Ordinary least squares: the slope, and Student's test that it is zero."""
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
    p = np.full(len(series), np.nan)
    enough = n >= 3
    p[enough] = student_two_sided(statistic[enough], n[enough] - 2)
    return Trend(np.where(n >= 2, slope, np.nan), p)
