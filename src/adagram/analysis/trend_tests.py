"""Tests of many series at once for a trend: Mann-Kendall with Theil-Sen slopes, and least squares.

Series are rows; NaN marks an epoch without a value, which is left out of its series. Neighbouring epochs are alike:
both tests count n* values instead of n, the effective length of an autocorrelated series (Bayley and Hammersley 1946;
Hamed and Rao 1998 for Mann-Kendall; Santer et al. 2000 for least squares).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats

MAX_RHO = 0.95
_PAIRS_AT_ONCE = 1 << 21  # slopes of pairs held at a time: 16 MB for each of a few copies


class Trend(NamedTuple):
    """One entry per series; p is NaN if a series has fewer than three values."""

    slope: Floats  # change of the value per unit of time
    p: Floats


def mann_kendall(times: Floats, series: Floats) -> Trend:
    """Mann-Kendall test with the Theil-Sen slope; the variance is corrected for ties and autocorrelation."""
    from scipy.special import stdtr

    fit = _fit(times, series)
    n, n_free = fit.n, effective_length(fit)
    S = _concordance(series)
    # Var S = (n(n-1)(2n+5) - Σ_ties t(t-1)(2t+5)) / 18 · n/n*, with a continuity correction of one towards zero
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (n * (n - 1) * (2 * n + 5) - _ties(series)) / 18.0 * n / n_free
        z = np.where(variance > 0, (S - np.sign(S)) / np.sqrt(variance), 0.0)
    return Trend(theil_sen(times, series), np.where(n >= 3, 2.0 * stdtr(n_free, -np.abs(z)), np.nan))


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
    """Ordinary least squares: the slope, and Student's test that it is zero with n* - 2 degrees of freedom."""
    from scipy.special import stdtr

    fit = _fit(times, series)
    free = np.maximum(effective_length(fit) - 2.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt((fit.residuals**2).sum(axis=1) / free / fit.spread)
        statistic = np.where(error > 0, fit.slope / error, np.where(fit.slope == 0, 0.0, np.inf))
        p = np.where(fit.n >= 3, 2.0 * stdtr(free, -np.abs(statistic)), np.nan)
    return Trend(np.where(fit.n >= 2, fit.slope, np.nan), p)


class _Fit(NamedTuple):
    n: Floats  # known values of each series
    spread: Floats  # Σ (t - t̄)²
    slope: Floats
    residuals: Floats  # (n_series, n_epochs), 0 if the value is not known
    known: NDArray[np.bool_]


def _fit(times: Floats, series: Floats) -> _Fit:
    """Fit a line to each series by least squares."""
    known = np.isfinite(series)
    n = known.sum(axis=1).astype(np.float64)
    t, y = np.where(known, times, 0.0), np.where(known, series, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(known, t - (t.sum(axis=1) / n)[:, None], 0.0)
        y = np.where(known, y - (y.sum(axis=1) / n)[:, None], 0.0)
        spread = (t * t).sum(axis=1)
        slope = (t * y).sum(axis=1) / spread
        residuals = np.where(known, y - slope[:, None] * t, 0.0)
    residuals[(residuals**2).sum(axis=1) <= 1e-20 * (y**2).sum(axis=1)] = 0.0  # a line but for rounding
    return _Fit(n, spread, slope, residuals, known)


def effective_length(fit: _Fit) -> Floats:
    """n* = n (1 - ρ)/(1 + ρ): as many independent values say as much of a trend as n values of an AR(1) series.

    ρ is the correlation of successive residuals, corrected for the bias of -(2 + 4ρ)/n that fitting a line causes.
    """
    residuals, n = fit.residuals, fit.n
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = (fit.known[:, 1:] & fit.known[:, :-1]).sum(axis=1)
        product = (residuals[:, 1:] * residuals[:, :-1]).sum(axis=1) / pairs
        rho = np.nan_to_num(product / ((residuals**2).sum(axis=1) / n), posinf=0.0, neginf=0.0)
        is_flat = ~residuals.any(axis=1)
    rho = np.where(is_flat, 0.0, np.clip((n * rho + 2.0) / np.maximum(n - 4.0, 1.0), 0.0, MAX_RHO))
    return np.asarray(n * (1.0 - rho) / (1.0 + rho))


def benjamini_hochberg(p: Floats) -> Floats:
    """q-values of many tests; NaN (no test) stays NaN."""
    from scipy.stats import false_discovery_control

    q, tested = np.full(len(p), np.nan), np.isfinite(p)
    if tested.any():
        q[tested] = false_discovery_control(p[tested])
    return q
