"""Change of meaning between two periods: senses against clusters of uses, and words ranked by their change.

A data set is a folder with uses.tsv (gold clusters, period) and change.tsv (gold change per word).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.change import jensen_shannon
from adagram.errors import InputError
from adagram.evaluation.clustering import adjusted_rand_index
from adagram.evaluation.lines import bad_line, parse_number, table_rows
from adagram.evaluation.report import Cell, Evaluation, Resampling, Score, mean_of, scored
from adagram.evaluation.similarity import cosine, spearman
from adagram.model import Model, Sides
from adagram.types import Floats

USES, CHANGE = "uses.tsv", "change.tsv"
USE_COLUMNS = ("target", "sense", "left", "right", "period")
CHANGE_COLUMNS = ("target", "change_graded", "change_binary")
PERIODS = ("1", "2")


@dataclass(frozen=True)
class DatedUse:
    target: str
    cluster: str
    left: str
    right: str
    period: int  # 0 or 1


@dataclass(frozen=True)
class GoldChange:
    graded: float
    is_changed: bool


def read_change_set(folder: Path) -> tuple[list[DatedUse], dict[str, GoldChange]]:
    """The uses and the gold change of each word."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give one with {USES} and {CHANGE}")
    uses = []
    for number, row in table_rows(folder / USES, USE_COLUMNS):
        if row["period"] not in PERIODS:
            raise bad_line(folder / USES, number, f"the period should be 1 or 2, found {row['period']!r}")
        period = PERIODS.index(row["period"])
        uses.append(DatedUse(row["target"], row["sense"], row["left"], row["right"], period))
    gold = {}
    for number, row in table_rows(folder / CHANGE, CHANGE_COLUMNS):
        graded = parse_number(row["change_graded"], folder / CHANGE, number, "change_graded")
        binary = parse_number(row["change_binary"], folder / CHANGE, number, "change_binary")
        gold[row["target"]] = GoldChange(graded, binary > 0)
    missing = sorted({use.target for use in uses} - set(gold))
    if missing:
        raise InputError(f"{folder / CHANGE} says nothing about '{missing[0]}', which {USES} has uses of")
    return uses, gold


@dataclass(frozen=True)
class ChangeScore:
    """One word; the baselines are how the number of its uses and its mean context vector changed."""

    word: str
    uses: int
    senses: int
    ari: float
    distance: float  # Jensen-Shannon distance of the mean posteriors of the two periods
    by_frequency: float
    by_vector: float
    gold: GoldChange


def score_words(
    model: Model, uses: Sequence[DatedUse], gold: dict[str, GoldChange]
) -> tuple[list[ChangeScore], list[str]]:
    """The words that the model knows, each with its scores, and the words that it does not know."""
    by_word: dict[str, list[DatedUse]] = {}
    for use in uses:
        by_word.setdefault(use.target, []).append(use)
    known = [word for word in by_word if word in model.vocabulary]
    if not known:
        raise InputError("the model knows none of the words of this data set")
    scores = [_score(model, word, by_word[word], gold[word]) for word in known]
    return scores, [word for word in by_word if word not in model.vocabulary]


def _score(model: Model, word: str, uses: list[DatedUse], gold: GoldChange) -> ChangeScore:
    contexts = [Sides(model.tokenize(use.left), model.tokenize(use.right)) for use in uses]
    posteriors = np.array(model.disambiguate_batch([word] * len(uses), contexts))  # (n, n_senses)
    period = np.array([use.period for use in uses])
    if len(set(period.tolist())) < 2:
        raise InputError(f"'{word}' has uses of one period only; change needs two")
    before, after = posteriors[period == 0], posteriors[period == 1]
    return ChangeScore(
        word,
        len(uses),
        posteriors.shape[1],
        adjusted_rand_index([use.cluster for use in uses], posteriors.argmax(axis=1).tolist()),
        float(jensen_shannon(before.mean(axis=0), after.mean(axis=0))),
        float(abs(np.log(len(after) / len(before)))),
        _vector_change(model, contexts, period),
        gold,
    )


def _vector_change(model: Model, contexts: Sequence[Sides], period: NDArray[np.int64]) -> float:
    """1 - cosine of the two periods' mean context vectors: what a system with one vector per word sees."""
    means = np.zeros((2, model.config.dim))
    for context, p in zip(contexts, period, strict=True):
        words = [word for side in (context.left, context.right) for word in side if word in model.vocabulary]
        for word in words:
            means[p] += model.word_vector(word) / len(words)
    return 1.0 - cosine(means[0], means[1])


def average_precision(found: Floats, is_changed: Floats) -> float:
    """Return the mean precision at the ranks of the words that changed; equal values share their ranks.

    >>> round(average_precision(np.array([0.9, 0.8, 0.1]), np.array([1.0, 0.0, 1.0])), 6)
    0.833333
    """
    precisions = [is_changed[found >= value].mean() for value in found[is_changed > 0]]
    return float(np.mean(precisions)) if precisions else float("nan")


def score_change(scores: Sequence[ChangeScore], unknown: Sequence[str], how: Resampling) -> Evaluation:
    """ARI of the senses; for senses and both baselines Spearman with graded change, average precision for binary."""
    n = len(scores)
    graded = np.array([score.gold.graded for score in scores])
    changed = np.array([float(score.gold.is_changed) for score in scores])
    systems = {
        "senses": np.array([score.distance for score in scores]),
        "frequency change": np.array([score.by_frequency for score in scores]),
        "single-vector cosine": np.array([score.by_vector for score in scores]),
    }
    totals = [scored("ARI", "senses", mean_of([score.ari for score in scores]), n, how)]
    totals += [_correlation(name, found, graded, how) for name, found in systems.items()]
    totals += [_precision(name, found, changed, how) for name, found in systems.items()]
    rows: list[dict[str, Cell]] = [
        {
            "word": score.word,
            "uses": score.uses,
            "senses": score.senses,
            "ARI": score.ari,
            "distance": score.distance,
            "frequency_change": score.by_frequency,
            "vector_change": score.by_vector,
            "gold_graded": score.gold.graded,
            "gold_binary": int(score.gold.is_changed),
        }
        for score in scores
    ]
    remarks = [f"not in the vocabulary, left out: {', '.join(unknown)}"] if unknown else []
    return Evaluation(totals, rows, remarks)


def _correlation(system: str, found: Floats, graded: Floats, how: Resampling) -> Score:
    return scored("Spearman", system, lambda draw: spearman(found[draw], graded[draw]), len(found), how)


def _precision(system: str, found: Floats, changed: Floats, how: Resampling) -> Score:
    """A resample without a changed word has no precision; it counts as that of all words."""
    whole = average_precision(found, changed)

    def statistic(draw: NDArray[np.intp]) -> float:
        return average_precision(found[draw], changed[draw]) if changed[draw].any() else whole

    return scored("average precision", system, statistic, len(found), how)
