"""Similarity of word pairs, in context (SCWS) and out of it, against human ratings; analogies for sanity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.evaluation.bootstrap import Statistic
from adagram.evaluation.correlation import cosine, spearman
from adagram.evaluation.pair_sets import RatedPair
from adagram.evaluation.protocol import ContextRule, Posterior, SenseModel, find_word
from adagram.evaluation.report import Report, Resampling, exact, scored, shortlist


class VectorModel(SenseModel, Protocol):
    """A sense model whose senses and words have vectors."""

    def vector(self, sense: str) -> NDArray[np.float32]: ...
    def word_vector(self, word: str) -> NDArray[np.float32]: ...


def score_scws(
    model: VectorModel, pairs: Sequence[RatedPair], rule: ContextRule, how: Resampling | None = None
) -> Report:
    """Spearman's ρ × 100 of AvgSimC, MaxSimC, AvgSim and globalSim on the pairs whose words are known."""
    words, known = _known(model, pairs)
    sides = [side for pair in known for side in (pair.first, pair.second)]
    contexts = [rule.sides(model, side.left, side.right) for side in sides]
    posteriors = rule.posteriors(model, [words[side.word] for side in sides], contexts)
    rows = []
    for pair, p, q in zip(known, posteriors[0::2], posteriors[1::2], strict=True):
        v, w = words[pair.first.word], words[pair.second.word]
        rows.append({**_row(pair), **_sense_similarities(model, v, w, p, q)})
    return _correlations(rows, pairs, how, words)


def score_similarity(model: VectorModel, pairs: Sequence[RatedPair], how: Resampling | None = None) -> Report:
    """Spearman's ρ × 100 of globalSim and of the two closest senses (maxSim), without any context."""
    words, known = _known(model, pairs)
    rows = []
    for pair in known:
        v, w = words[pair.first.word], words[pair.second.word]
        cosines = _cosines(model, v, w)
        global_sim = cosine(model.word_vector(v), model.word_vector(w))
        rows.append({**_row(pair), "globalSim": global_sim, "maxSim": float(cosines.max())})
    return _correlations(rows, pairs, how, words)


def _sense_similarities(model: VectorModel, v: str, w: str, p: Posterior, q: Posterior) -> dict[str, float]:
    """The four similarities of a pair; Huang's 1/K² in AvgSimC is left out, as p and q already sum to 1."""
    cosines = _cosines(model, v, w)  # (senses of v, senses of w)
    return {
        "AvgSimC": float(p @ cosines @ q),
        "MaxSimC": float(cosines[int(np.argmax(p)), int(np.argmax(q))]),
        "AvgSim": float(cosines.mean()),
        "globalSim": cosine(model.word_vector(v), model.word_vector(w)),
    }


def _cosines(model: VectorModel, v: str, w: str) -> NDArray[np.float64]:
    return _unit_rows(model, v) @ _unit_rows(model, w).T


def _unit_rows(model: VectorModel, word: str) -> NDArray[np.float64]:
    rows = np.array([model.vector(sense.name) for sense in model.senses(word, top=0)], dtype=np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float64] = rows / np.where(norms > 0, norms, 1.0)
    return unit


def _known(model: SenseModel, pairs: Sequence[RatedPair]) -> tuple[dict[str, str], list[RatedPair]]:
    """Words of the pairs as the vocabulary has them ("" if it does not), and the pairs it knows."""
    words = {side.word: "" for pair in pairs for side in (pair.first, pair.second)}
    for word in words:
        words[word] = find_word(model, word) or ""
    known = [pair for pair in pairs if words[pair.first.word] and words[pair.second.word]]
    if not known:
        raise InputError(f"none of the {len(pairs)} pairs has both words in the vocabulary")
    return words, known


def _row(pair: RatedPair) -> dict[str, str | int | float]:
    return {"first": pair.first.word, "second": pair.second.word, "rating": pair.rating}


def _correlations(
    rows: list[dict[str, str | int | float]],
    pairs: Sequence[RatedPair],
    how: Resampling | None,
    words: dict[str, str],
) -> Report:
    ratings = np.array([row["rating"] for row in rows], dtype=np.float64)
    report = Report(per_item=rows)
    for metric in [name for name in rows[0] if name not in ("first", "second", "rating")]:
        values = np.array([row[metric] for row in rows], dtype=np.float64)
        report.scores.append(scored(metric, "all", _rho(values, ratings), len(rows), how or Resampling()))
    report.scores.append(exact("coverage", "all", len(rows) / len(pairs), len(pairs)))
    report.scores.append(exact("skipped-pairs", "all", len(pairs) - len(rows), len(pairs)))
    report.remarks = [f"{len(pairs)} pairs, {len(rows)} with both words in the vocabulary"]
    if unknown := [word for word, found in words.items() if not found]:
        report.remarks.append(f"words not in the vocabulary: {shortlist(unknown)}")
    return report


def _rho(values: NDArray[np.float64], ratings: NDArray[np.float64]) -> Statistic:
    def statistic(items: NDArray[np.intp]) -> float:
        return 100.0 * spearman(values[items], ratings[items])

    return statistic
