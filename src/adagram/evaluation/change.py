"""Change of meaning between two periods: senses against clusters of uses, and words ranked by their change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from adagram.errors import InputError
from adagram.evaluation.bootstrap import interval
from adagram.evaluation.change_sets import DatedUse, GoldChange
from adagram.evaluation.clustering import adjusted_rand_index
from adagram.maths.divergence import jensen_shannon
from adagram.maths.special import Floats
from adagram.model import Model, Sides

Score = Callable[[Floats, Floats], float]  # of the changes that were found, against gold


@dataclass(frozen=True)
class WordScore:
    """One word; the baselines are how its frequency and its mean context vector changed."""

    word: str
    uses: int
    senses: int
    ari: float
    distance: float  # Jensen-Shannon distance of the mean posteriors of the two periods
    by_frequency: float
    by_vector: float
    gold: GoldChange


@dataclass(frozen=True)
class Measure:
    name: str
    value: float
    low: float
    high: float


def score_words(
    model: Model, uses: Sequence[DatedUse], gold: dict[str, GoldChange]
) -> tuple[list[WordScore], list[str]]:
    """The words that the model knows, each with its scores, and the words that it does not know."""
    by_word: dict[str, list[DatedUse]] = {}
    for use in uses:
        by_word.setdefault(use.target, []).append(use)
    known = [word for word in by_word if word in model.vocabulary]
    if not known:
        raise InputError("the model knows none of the words of this data set")
    scores = [_score(model, word, by_word[word], gold[word]) for word in known]
    return scores, [word for word in by_word if word not in model.vocabulary]


def _score(model: Model, word: str, uses: list[DatedUse], gold: GoldChange) -> WordScore:
    contexts = [Sides(model.tokenize(use.left), model.tokenize(use.right)) for use in uses]
    posteriors = np.array(model.disambiguate_batch([word] * len(uses), contexts))  # (n, n_senses)
    period = np.array([use.period for use in uses])
    if len(set(period.tolist())) < 2:
        raise InputError(f"'{word}' has uses of one period only; change needs two")
    before, after = posteriors[period == 0], posteriors[period == 1]
    words = np.array([[len(c.left) + len(c.right)] for c in contexts])[:, 0]
    rates = [(period == p).sum() / max(words[period == p].sum(), 1) for p in (0, 1)]
    return WordScore(
        word,
        len(uses),
        posteriors.shape[1],
        adjusted_rand_index([use.cluster for use in uses], posteriors.argmax(axis=1).tolist()),
        float(jensen_shannon(before.mean(axis=0), after.mean(axis=0))),
        float(abs(np.log(rates[1] / rates[0]))),
        _vector_change(model, contexts, period),
        gold,
    )


def _vector_change(model: Model, contexts: Sequence[Sides], period: np.ndarray) -> float:  # type: ignore[type-arg]
    """1 - cosine of the two periods' mean context vectors: what a system with one vector per word sees."""
    means = np.zeros((2, model.config.dim))
    for context, p in zip(contexts, period, strict=True):
        words = [word for side in (context.left, context.right) for word in side if word in model.vocabulary]
        for word in words:
            means[p] += model.word_vector(word) / len(words)
    norms = np.linalg.norm(means, axis=1)
    return float(1.0 - means[0] @ means[1] / max(float(norms.prod()), 1e-12))


def average_precision(found: Floats, is_changed: Floats) -> float:
    """The mean precision at the ranks of the words that changed; equal values share their ranks.

    >>> average_precision(np.array([0.9, 0.8, 0.1]), np.array([1.0, 0.0, 1.0]))
    0.8333333333333334
    """
    positives = is_changed.sum()
    if positives == 0:
        return float("nan")
    precisions = [is_changed[found >= value].mean() for value in found[is_changed > 0]]
    return float(np.mean(precisions))


def rank_correlation(found: Floats, gold: Floats) -> float:
    """Spearman's rho, 0 where all values are equal."""
    a, b = _ranks(found), _ranks(gold)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum() / scale) if scale > 0 else 0.0


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts.cumsum() - (counts - 1) / 2.0)[inverse])


def measures(scores: Sequence[WordScore], resamples: int = 1000, seed: int = 0) -> list[Measure]:
    """All measures, each with its 95 % interval over resampled words."""
    ari = np.array([score.ari for score in scores])
    graded = np.array([score.gold.graded for score in scores])
    changed = np.array([float(score.gold.is_changed) for score in scores])
    systems = {
        "senses": np.array([score.distance for score in scores]),
        "frequency change": np.array([score.by_frequency for score in scores]),
        "single-vector cosine": np.array([score.by_vector for score in scores]),
    }

    def measure(name: str, statistic: Callable[[np.ndarray], float]) -> Measure:  # type: ignore[type-arg]
        everything = np.arange(len(scores))

        def safe(draw: np.ndarray) -> float:  # type: ignore[type-arg]
            value = statistic(draw)
            return value if np.isfinite(value) else statistic(everything)

        low, high = interval(safe, len(scores), resamples, seed)
        return Measure(name, statistic(everything), low, high)

    rows = [measure("ARI, senses", lambda draw: float(ari[draw].mean()))]
    for name, values in systems.items():
        rows.append(
            measure(f"Spearman, {name}", lambda d, v=values: rank_correlation(v[d], graded[d]))  # type: ignore[misc]
        )
    for name, values in systems.items():
        rows.append(
            measure(f"average precision, {name}", lambda d, v=values: average_precision(v[d], changed[d]))  # type: ignore[misc]
        )
    return rows
