"""Similarity of word pairs, in context (SCWS) and out of it, against human ratings, by rank correlation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adagram.errors import InputError
from adagram.evaluation.pair_sets import RatedPair
from adagram.evaluation.protocol import ContextRule, Posterior, SenseModel, find_word
from adagram.evaluation.report import Evaluation, Resampling, Statistic, exact, scored, shortlist
from adagram.model import Model
from adagram.model.neighbours import blended_vectors

AVG_SIM_C = (
    "AvgSimC is the expected cosine of the two senses. AvgSimC/K1K2 divides it by the numbers of senses of both words, "
    "as the paper's formula does: the same order where all words have equally many senses, another where they do not"
)


class VectorModel(SenseModel, Protocol):
    """A sense model whose senses and words have vectors."""

    def vector(self, sense: str) -> NDArray[np.float32]: ...
    def word_vector(self, word: str) -> NDArray[np.float32]: ...


def score_scws(
    model: VectorModel, pairs: Sequence[RatedPair], rule: ContextRule, how: Resampling | None = None
) -> Evaluation:
    """Spearman's ρ × 100 of five similarities on the pairs whose words are known."""
    words, known = _known(model, pairs)
    sides = [side for pair in known for side in (pair.first, pair.second)]
    contexts = [rule.sides(model, side.left, side.right) for side in sides]
    posteriors = rule.posteriors(model, [words[side.word] for side in sides], contexts)
    rows = []
    for pair, p, q in zip(known, posteriors[0::2], posteriors[1::2], strict=True):
        v, w = words[pair.first.word], words[pair.second.word]
        rows.append({**_row(pair), **_sense_similarities(model, v, w, p, q)})
    evaluation = _correlations(rows, pairs, how, words)
    evaluation.remarks.append(AVG_SIM_C)
    return evaluation


def score_similarity(
    model: VectorModel, pairs: Sequence[RatedPair], how: Resampling | None = None
) -> Evaluation:
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
    """The similarities of a pair; AVG_SIM_C says why AvgSimC is there twice."""
    cosines = _cosines(model, v, w)  # (senses of v, senses of w)
    expected = float(p @ cosines @ q)
    return {
        "AvgSimC": expected,
        "AvgSimC/K1K2": expected / cosines.size,
        "MaxSimC": float(cosines[int(np.argmax(p)), int(np.argmax(q))]),
        "AvgSim": float(cosines.mean()),
        "globalSim": cosine(model.word_vector(v), model.word_vector(w)),
    }


def _cosines(model: VectorModel, v: str, w: str) -> NDArray[np.float64]:
    return _unit_rows(model, v) @ _unit_rows(model, w).T


def _unit_rows(model: VectorModel, word: str) -> NDArray[np.float64]:
    """Return the unit vectors of a word's senses, in the light of the word if it is a model of ours."""
    if isinstance(model, Model):
        of_word = model.rows(word)
        return blended_vectors(model, np.arange(of_word.start, of_word.stop)).astype(np.float64)
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
) -> Evaluation:
    ratings = np.array([row["rating"] for row in rows], dtype=np.float64)
    report = Evaluation(per_item=rows)
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


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of their ranks.

    >>> ranks([10, 30, 20, 30]).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    array = np.asarray(values, dtype=np.float64)
    _, group, sizes = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)  # the highest rank in each group of equal values
    mean_rank: NDArray[np.float64] = (last - (sizes - 1) / 2)[group]
    return mean_rank


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson correlation of the ranks; 0 when one side does not vary or there are fewer than two pairs."""
    x, y = ranks(a), ranks(b)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values against {len(y)}")
    if len(x) < 2:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm > 0 else 0.0


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """Cosine of the angle between two vectors; 0 if one of them is zero."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm > 0 else 0.0
