"""Change of meaning between two periods: senses against clusters of uses, and words ranked by their change.

A data set is a folder with uses.tsv (gold clusters, period) and change.tsv (gold change per word).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.change import jensen_shannon
from adagram.errors import InputError
from adagram.evaluation.clustering import adjusted_rand_index
from adagram.evaluation.lines import bad_line, parse_number, table_rows
from adagram.evaluation.report import Cell, Evaluation, Resampling, mean_of, scored
from adagram.evaluation.similarity import cosine, spearman
from adagram.model import Model, Sides
from adagram.types import Floats

USES, CHANGE = "uses.tsv", "change.tsv"
USE_COLUMNS = ("target", "sense", "left", "right", "period")
CHANGE_COLUMNS = ("target", "change_graded", "change_binary")
PERIODS = ("1", "2")


@dataclass(frozen=True)
class DatedUse:
    cluster: str
    left: str
    right: str
    period: int  # 0 or 1


Uses = dict[str, list[DatedUse]]  # of each word
Gold = dict[str, dict[str, Cell]]  # of each word: how much it changed, and 1 if it did


def read_change_set(folder: Path) -> tuple[Uses, Gold]:
    """The uses and the gold change of each word."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give one with {USES} and {CHANGE}")
    uses: Uses = {}
    for number, row in table_rows(folder / USES, USE_COLUMNS):
        if row["period"] not in PERIODS:
            raise bad_line(folder / USES, number, f"the period should be 1 or 2, found {row['period']!r}")
        period = PERIODS.index(row["period"])
        uses.setdefault(row["target"], []).append(DatedUse(row["sense"], row["left"], row["right"], period))
    gold: Gold = {}
    for number, row in table_rows(folder / CHANGE, CHANGE_COLUMNS):
        graded = parse_number(row["change_graded"], folder / CHANGE, number, "change_graded")
        binary = parse_number(row["change_binary"], folder / CHANGE, number, "change_binary")
        gold[row["target"]] = {"gold_graded": graded, "gold_binary": int(binary > 0)}
    if missing := sorted(set(uses) - set(gold)):
        raise InputError(f"{folder / CHANGE} says nothing about '{missing[0]}', which {USES} has uses of")
    return uses, gold


def score_words(model: Model, uses: Uses, gold: Gold) -> tuple[list[dict[str, Cell]], list[str]]:
    """A row for each word that the model knows, and the words that it does not know."""
    rows = [_row(model, word, uses[word]) | gold[word] for word in uses if word in model.vocabulary]
    if not rows:
        raise InputError("the model knows none of the words of this data set")
    return rows, [word for word in uses if word not in model.vocabulary]


def _row(model: Model, word: str, uses: list[DatedUse]) -> dict[str, Cell]:
    contexts = [Sides(model.tokenize(use.left), model.tokenize(use.right)) for use in uses]
    posteriors = np.array(model.disambiguate_batch([word] * len(uses), contexts))  # (n, n_senses)
    period = np.array([use.period for use in uses])
    before, after = posteriors[period == 0], posteriors[period == 1]
    if not len(before) or not len(after):
        raise InputError(f"'{word}' has uses of one period only; change needs two")
    return {
        "word": word,
        "uses": len(uses),
        "senses": posteriors.shape[1],
        "ARI": adjusted_rand_index([use.cluster for use in uses], posteriors.argmax(axis=1).tolist()),
        "distance": float(jensen_shannon(before.mean(axis=0), after.mean(axis=0))),
        "frequency_change": float(abs(np.log(len(after) / len(before)))),
        "vector_change": _vector_change(model, contexts, period),
    }


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


SYSTEMS = {  # the senses and two baselines, each with its column
    "senses": "distance",
    "frequency change": "frequency_change",
    "single-vector cosine": "vector_change",
}


def score_change(rows: list[dict[str, Cell]], unknown: Sequence[str], how: Resampling) -> Evaluation:
    """ARI of the senses; for senses and both baselines Spearman with graded change, average precision for binary."""

    def column(name: str) -> Floats:
        return np.array([row[name] for row in rows], dtype=np.float64)

    def correlation(found: Floats, items: NDArray[np.intp]) -> float:
        return spearman(found[items], graded[items])

    def precision(found: Floats, items: NDArray[np.intp]) -> float:
        """A resample without a changed word has no precision; it counts as that of all words."""
        drawn = items if changed[items].any() else slice(None)
        return average_precision(found[drawn], changed[drawn])

    graded, changed = column("gold_graded"), column("gold_binary")
    totals = [scored("ARI", "senses", mean_of(column("ARI")), len(rows), how)]
    for metric, statistic in (("Spearman", correlation), ("average precision", precision)):
        for system, name in SYSTEMS.items():
            totals.append(scored(metric, system, partial(statistic, column(name)), len(rows), how))
    remarks = [f"not in the vocabulary, left out: {', '.join(unknown)}"] if unknown else []
    return Evaluation(totals, rows, remarks)
