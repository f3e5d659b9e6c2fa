"""Analogies by vector offset (3CosAdd): is d the word nearest to b - a + c?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines
from adagram.evaluation.report import Evaluation, Resampling, exact, mean_of, scored
from adagram.model import Model

BATCH = 512


@dataclass(frozen=True)
class Analogy:
    """`a` is to `b` as `c` is to `d`."""

    section: str
    a: str
    b: str
    c: str
    d: str


def read_analogies(path: Path) -> list[Analogy]:
    """Read questions-words.txt: `: section` lines and lines of four words."""
    questions = []
    section = "all"
    for number, line in numbered_lines(path):
        words = line.split()
        if line.startswith(":"):
            section = line[1:].strip().replace(" ", "-") or "all"
        elif len(words) == 4:
            questions.append(Analogy(section, *words))
        elif words:
            raise bad_line(path, number, f"expected four words or ': section', found {line[:60]!r}")
    if not questions:
        raise InputError(f"{path} holds no questions")
    return questions


def score_analogies(
    model: Model,
    questions: Sequence[Analogy],
    most_frequent: int = 30_000,
    how: Resampling | None = None,
) -> Evaluation:
    """Accuracy per section and in all, among the most frequent words (the word2vec program's habit)."""
    words = model.vocabulary.words[:most_frequent]
    index = {word: i for i, word in enumerate(words)}
    known, ids = _known(model, questions, index)
    unit = np.array([model.word_vector(word) for word in words], dtype=np.float32)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)  # (words, dim)
    is_right = np.concatenate([_answers(unit, ids[i : i + BATCH]) for i in range(0, len(ids), BATCH)])
    report = Evaluation()
    sections = list(dict.fromkeys(question.section for question in known))
    for section in ["all", *(s for s in sections if s != "all")]:
        chosen = [n for n, question in enumerate(known) if section in ("all", question.section)]
        total = scored("accuracy", section, mean_of(is_right[chosen]), len(chosen), how or Resampling())
        report.scores.append(total)
    report.scores.append(exact("coverage", "all", len(known) / len(questions), len(questions)))
    skipped = len(questions) - len(known)
    report.scores.append(exact("skipped-questions", "all", skipped, len(questions)))
    report.remarks = [
        f"{len(questions)} questions, {len(known)} with all words among the {len(words)} most frequent"
    ]
    return report


def _known(
    model: Model, questions: Sequence[Analogy], index: dict[str, int]
) -> tuple[list[Analogy], NDArray[np.intp]]:
    found: dict[str, int] = {}
    known, ids = [], []
    for question in questions:
        four = (question.a, question.b, question.c, question.d)
        for word in four:
            if word not in found:
                tokens = model.tokenize(word)
                found[word] = index.get(tokens[0], -1) if len(tokens) == 1 else -1
        if all(found[word] >= 0 for word in four):
            known.append(question)
            ids.append([found[word] for word in four])
    if not known:
        raise InputError(f"none of the {len(questions)} questions has all its words in the vocabulary")
    return known, np.array(ids, dtype=np.intp)


def _answers(unit: NDArray[np.float32], ids: NDArray[np.intp]) -> NDArray[np.float64]:
    """1 if the word nearest to b - a + c, other than these three, is d, else 0."""
    a, b, c, d = ids.T
    cosines = (unit[b] - unit[a] + unit[c]) @ unit.T  # (questions, words)
    rows = np.arange(len(ids))
    for given in (a, b, c):
        cosines[rows, given] = -np.inf
    right: NDArray[np.float64] = (cosines.argmax(axis=1) == d).astype(np.float64)
    return right
