"""Results of an evaluation: totals with confidence intervals, scores per item, remarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Cell = str | int | float
Statistic = Callable[[NDArray[np.intp]], float]  # the score of the items with these indices


@dataclass(frozen=True)
class Score:
    """One total: `items` words, queries or pairs went into it; low and high bound its 95 % interval."""

    metric: str
    subset: str
    value: float
    low: float
    high: float
    items: int


@dataclass(frozen=True)
class Resampling:
    """How the confidence intervals are drawn; 0 resamples leave them out."""

    resamples: int = 1000
    seed: int = 0


INTERVALS = Resampling()


@dataclass
class Evaluation:
    """Totals of one data set, the rows they are made of, and remarks."""

    scores: list[Score] = field(default_factory=list)
    per_item: list[dict[str, Cell]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def score(self, metric: str, subset: str = "all") -> Score:
        """The total with this name.

        >>> Evaluation([Score("ARI", "all", 0.1, 0.05, 0.15, 100)]).score("ARI").high
        0.15
        """
        return next(s for s in self.scores if (s.metric, s.subset) == (metric, subset))

    def value(self, metric: str, subset: str = "all") -> float:
        return self.score(metric, subset).value


def interval(statistic: Statistic, n_items: int, resamples: int = 1000, seed: int = 0) -> tuple[float, float]:
    """Bootstrap 95 % interval: percentiles of `statistic` over samples of `n_items` indices with replacement."""
    if n_items == 0 or resamples == 0:
        return float("nan"), float("nan")
    draws = np.random.default_rng(seed).integers(0, n_items, size=(resamples, n_items))
    values = np.array([statistic(draw) for draw in draws])
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def scored(metric: str, subset: str, statistic: Statistic, n_items: int, how: Resampling) -> Score:
    """The statistic of all items with its bootstrap interval."""
    value = statistic(np.arange(n_items)) if n_items else float("nan")
    low, high = interval(statistic, n_items, how.resamples, how.seed)
    return Score(metric, subset, value, low, high, n_items)


def exact(metric: str, subset: str, value: float, items: int) -> Score:
    """A total without a sampling error: coverage, counts."""
    return Score(metric, subset, value, float("nan"), float("nan"), items)


def mean_of(values: ArrayLike, weights: ArrayLike | None = None) -> Statistic:
    """The (weighted) mean as a statistic of item indices."""
    x: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    w = np.ones_like(x) if weights is None else np.asarray(weights, dtype=np.float64)

    def statistic(items: NDArray[np.intp]) -> float:
        return float(w[items] @ x[items] / w[items].sum())

    return statistic


def shortlist(words: Sequence[str], most: int = 10) -> str:
    """How many, and the first few of them, for a remark.

    >>> shortlist(["a", "b", "c"], most=2)
    '3 (a, b, …)'
    """
    shown = [*words[:most], *(["…"] if len(words) > most else [])]
    return f"{len(words)} ({', '.join(shown)})"
