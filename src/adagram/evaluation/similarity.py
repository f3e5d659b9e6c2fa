"""Similarity of word pairs, in context (SCWS) and out of it, and analogies by vector offset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines, parse_number
from adagram.evaluation.report import INTERVALS, Cell, Evaluation, Resampling, exact, mean_of, scored, shortlist
from adagram.evaluation.wsi import ContextRule, Posterior, find_word
from adagram.model import Model
from adagram.model.neighbours import blended_vectors
from adagram.types import Floats

Item = TypeVar("Item")
_NUMBER = re.compile(r"\s*[-+]?\.?\d")

AVG_SIM_C = (
    "AvgSimC is the expected cosine of the two senses. AvgSimC/K1K2 divides it by the numbers of senses of both words, "
    "as the paper's formula does: the same order if all words have equally many senses, else another"
)


@dataclass(frozen=True)
class InContext:
    """A word with the text on both sides of it."""

    word: str
    left: str
    right: str


@dataclass(frozen=True)
class RatedPair:
    first: InContext
    second: InContext
    rating: float


def read_scws(path: Path) -> list[RatedPair]:
    """Read ratings.txt: id, word, its part of speech, word, its, two contexts, mean rating, ratings."""
    pairs = []
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if not line:
            continue
        if len(cells) < 8:
            raise bad_line(path, number, f"expected at least 8 tab-separated cells, found {len(cells)}")
        first = _in_context(cells[1], cells[5], path, number)
        second = _in_context(cells[3], cells[6], path, number)
        pairs.append(RatedPair(first, second, parse_number(cells[7], path, number, "the mean rating")))
    return _at_least_one(pairs, path, "pairs")


def _in_context(word: str, text: str, path: Path, number: int) -> InContext:
    left, start, rest = text.partition("<b>")
    _, end, right = rest.partition("</b>")
    if not start or not end:
        raise bad_line(path, number, f"the context of {word} marks no target as <b>{word}</b>")
    return InContext(word, left, right)


def read_similarity(path: Path) -> list[RatedPair]:
    """Read lines of two words and a rating (tabs, commas, semicolons or blanks between); a header may lead."""
    pairs = []
    for number, line in numbered_lines(path):
        separator = next((mark for mark in "\t,;" if mark in line), None)
        cells = [cell.strip() for cell in line.split(separator)]
        is_header = number == 1 and len(cells) > 2 and not _NUMBER.match(cells[2])
        if not line.strip() or line.startswith("#") or is_header:
            continue
        if len(cells) < 3:
            raise bad_line(path, number, f"expected two words and a rating, found {line[:60]!r}")
        rating = parse_number(cells[2], path, number, "the rating")
        pairs.append(RatedPair(InContext(cells[0], "", ""), InContext(cells[1], "", ""), rating))
    return _at_least_one(pairs, path, "pairs")


def _at_least_one(found: list[Item], path: Path, what: str) -> list[Item]:
    if not found:
        raise InputError(f"{path} holds no {what}")
    return found


def score_scws(model: Model, pairs: Sequence[RatedPair], rule: ContextRule, how: Resampling = INTERVALS) -> Evaluation:
    """Spearman's ρ × 100 of five similarities on the pairs whose words are known."""
    words, known = _known(model, pairs)
    sides = [side for pair in known for side in (pair.first, pair.second)]
    contexts = [rule.sides(model, side.left, side.right) for side in sides]
    posteriors = rule.posteriors(model, [words[side.word] for side in sides], contexts)
    rows = [
        _sense_similarities(model, words[pair.first.word], words[pair.second.word], p, q)
        for pair, p, q in zip(known, posteriors[0::2], posteriors[1::2], strict=True)
    ]
    evaluation = _correlations(known, rows, pairs, how, words)
    evaluation.remarks.append(AVG_SIM_C)
    return evaluation


def score_similarity(model: Model, pairs: Sequence[RatedPair], how: Resampling = INTERVALS) -> Evaluation:
    """Spearman's ρ × 100 of globalSim and of the two closest senses (maxSim), without any context."""
    words, known = _known(model, pairs)
    rows = []
    for pair in known:
        v, w = words[pair.first.word], words[pair.second.word]
        global_sim = cosine(model.word_vector(v), model.word_vector(w))
        rows.append({"globalSim": global_sim, "maxSim": float(_cosines(model, v, w).max())})
    return _correlations(known, rows, pairs, how, words)


def _sense_similarities(model: Model, v: str, w: str, p: Posterior, q: Posterior) -> dict[str, float]:
    """The similarities of a pair; AVG_SIM_C explains the two forms of AvgSimC."""
    cosines = _cosines(model, v, w)  # (senses of v, senses of w)
    expected = float(p @ cosines @ q)
    return {
        "AvgSimC": expected,
        "AvgSimC/K1K2": expected / cosines.size,
        "MaxSimC": float(cosines[int(np.argmax(p)), int(np.argmax(q))]),
        "AvgSim": float(cosines.mean()),
        "globalSim": cosine(model.word_vector(v), model.word_vector(w)),
    }


def _cosines(model: Model, v: str, w: str) -> Floats:
    return np.asarray(_unit_rows(model, v) @ _unit_rows(model, w).T)


def _unit_rows(model: Model, word: str) -> Floats:
    """Return the unit vectors of a word's senses, blended with the word."""
    rows = model.rows(word)
    return blended_vectors(model, np.arange(rows.start, rows.stop)).astype(np.float64)


def _known(model: Model, pairs: Sequence[RatedPair]) -> tuple[dict[str, str], list[RatedPair]]:
    """Words of the pairs as the vocabulary has them ("" if it does not), and the pairs it knows."""
    words = {side.word: "" for pair in pairs for side in (pair.first, pair.second)}
    for word in words:
        words[word] = find_word(model, word) or ""
    known = [pair for pair in pairs if words[pair.first.word] and words[pair.second.word]]
    if not known:
        raise InputError(f"none of the {len(pairs)} pairs has both words in the vocabulary")
    return words, known


def _correlations(
    known: list[RatedPair],
    rows: list[dict[str, float]],
    pairs: Sequence[RatedPair],
    how: Resampling,
    words: dict[str, str],
) -> Evaluation:
    ratings = np.array([pair.rating for pair in known], dtype=np.float64)
    report = Evaluation()
    for metric in rows[0]:
        values = np.array([row[metric] for row in rows], dtype=np.float64)
        rho = partial(_rho, values, ratings)
        report.scores.append(scored(metric, "all", rho, len(rows), how))
    report.scores.append(exact("coverage", "all", len(rows) / len(pairs), len(pairs)))
    report.scores.append(exact("skipped-pairs", "all", len(pairs) - len(rows), len(pairs)))
    for pair, row in zip(known, rows, strict=True):
        named: dict[str, Cell] = {"first": pair.first.word, "second": pair.second.word, "rating": pair.rating}
        report.per_item.append({**named, **row})
    report.remarks = [f"{len(pairs)} pairs, {len(rows)} with both words in the vocabulary"]
    if unknown := [word for word, found in words.items() if not found]:
        report.remarks.append(f"words not in the vocabulary: {shortlist(unknown)}")
    return report


def _rho(values: Floats, ratings: Floats, items: NDArray[np.intp]) -> float:
    return 100.0 * spearman(values[items], ratings[items])


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson correlation of the ranks; 0 if one side does not vary or there are fewer than two pairs."""
    from scipy.stats import rankdata

    x, y = rankdata(a), rankdata(b)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values against {len(y)}")
    mean = (len(x) + 1) / 2
    return cosine(x - mean, y - mean)


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """Cosine of the angle between two vectors; 0 if one of them is zero."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm > 0 else 0.0


BATCH = 512


@dataclass(frozen=True)
class Analogy:
    """`a` is to `b` as `c` is to `d`."""

    section: str
    words: tuple[str, ...]  # a, b, c, d


def read_analogies(path: Path) -> list[Analogy]:
    """Read questions-words.txt: `: section` lines and lines of four words."""
    questions = []
    section = "all"
    for number, line in numbered_lines(path):
        words = line.split()
        if line.startswith(":"):
            section = line[1:].strip().replace(" ", "-") or "all"
        elif len(words) == 4:
            questions.append(Analogy(section, tuple(words)))
        elif words:
            raise bad_line(path, number, f"expected four words or ': section', found {line[:60]!r}")
    return _at_least_one(questions, path, "questions")


def score_analogies(
    model: Model, questions: Sequence[Analogy], most_frequent: int = 30_000, how: Resampling = INTERVALS
) -> Evaluation:
    """Accuracy per section and in all, among the most frequent words (the word2vec program's habit)."""
    words = model.vocabulary.words[:most_frequent]
    index = {word: i for i, word in enumerate(words)}
    found = {word: index.get(" ".join(model.tokenize(word)), -1) for q in questions for word in q.words}
    known = [question for question in questions if all(found[word] >= 0 for word in question.words)]
    if not known:
        raise InputError(f"none of the {len(questions)} questions has all its words in the vocabulary")
    ids = np.array([[found[word] for word in question.words] for question in known])
    unit = np.array([model.word_vector(word) for word in words], dtype=np.float32)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)  # (words, dim)
    is_right = np.concatenate([_answers(unit, ids[i : i + BATCH]) for i in range(0, len(ids), BATCH)])
    report = Evaluation()
    sections = list(dict.fromkeys(question.section for question in known))
    for section in ["all", *(s for s in sections if s != "all")]:
        chosen = [n for n, question in enumerate(known) if section in ("all", question.section)]
        total = scored("accuracy", section, mean_of(is_right[chosen]), len(chosen), how)
        report.scores.append(total)
    report.scores.append(exact("coverage", "all", len(known) / len(questions), len(questions)))
    skipped = len(questions) - len(known)
    report.scores.append(exact("skipped-questions", "all", skipped, len(questions)))
    report.remarks = [f"{len(questions)} questions, {len(known)} with all words among the {len(words)} most frequent"]
    return report


def _answers(unit: NDArray[np.float32], ids: NDArray[np.intp]) -> Floats:
    """1 if the word nearest to b - a + c, other than these three, is d, else 0."""
    a, b, c, d = ids.T
    cosines = (unit[b] - unit[a] + unit[c]) @ unit.T  # (questions, words)
    rows = np.arange(len(ids))
    for given in (a, b, c):
        cosines[rows, given] = -np.inf
    right: Floats = (cosines.argmax(axis=1) == d).astype(np.float64)
    return right
