"""Planted meanings: from a date on, words of the UN speeches are used for another word as well."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adagram.model import Model
from adagram.model.context import Sides

N_PLANTED, USES = 30, 200
MIN_USES, MAX_USES = 600, 6000  # uses of a word before
AROUND = 50  # words of text on each side, of which a model takes its context
SAMPLE = 60  # uses that are looked at to tell two words apart
APART = 0.9


@dataclass(frozen=True)
class Planted:
    """From a date on, `other` is written as `word` for so many uses."""

    word: str
    other: str
    uses: int


def plant(model: Model, text: Path, dates: Path, since: int, planted: Path, seed: int) -> list[Planted]:
    """Write `planted`, a text in which some words take on the meaning of another one in their last years.

    Pairs are drawn from words of middling frequency, of which the model can tell the uses apart: at least APART of the
    uses of each are better predicted by a sense of that word than by any of the other.
    """
    lines = text.read_text(encoding="utf-8").splitlines()
    years = [int(year) for year in dates.read_text(encoding="utf-8").split()]
    late = " ".join(line for line, year in zip(lines, years, strict=True) if year >= since)
    tokens = [token for token in model.tokenize(late) if token in model.vocabulary]
    ids = model.vocabulary.ids(tokens)
    counts, index = Counter(tokens), model.vocabulary.index
    words = [
        word
        for word in model.vocabulary.words
        if MIN_USES <= model.vocabulary.counts[index[word]] <= MAX_USES and word.isalpha() and len(word) > 3
    ]
    others = [word for word in words if counts[word] >= USES]
    words = [word for word in words if counts[word] >= SAMPLE]
    draw, found = random.Random(seed), []
    used: set[str] = set()
    draw.shuffle(others)
    for other in others:
        word = draw.choice(words)
        if {word, other} & used or word == other or not are_apart(model, ids, word, other):
            continue
        found.append(Planted(word, other, USES))
        used |= {word, other}
        if len(found) == N_PLANTED:
            break
    _write_planted(found, lines, years, since, planted)
    return found


def are_apart(model: Model, ids: np.ndarray, word: str, other: str) -> bool:
    return min(told_apart(model, ids, word, other), told_apart(model, ids, other, word)) >= APART


def told_apart(model: Model, ids: np.ndarray, word: str, other: str) -> float:
    """Of the uses of `word`, the share whose context a sense of it predicts better than any of `other`."""
    places = np.flatnonzero(ids == model.vocabulary.index[word])[:SAMPLE]
    rare = np.asarray(model.vocabulary.counts) < 1e-3 * np.sum(model.vocabulary.counts)
    better = 0
    for place in places:
        around = np.append(ids[max(0, place - 5) : place], ids[place + 1 : place + 6])
        around = around[rare[around]]
        better += best_log_p(model, word, around) > best_log_p(model, other, around)
    return better / max(1, len(places))


def best_log_p(model: Model, word: str, context: np.ndarray) -> float:
    """Of the words of a context, for the sense of the word that predicts them best."""
    w = model.vocabulary.index[word]
    senses = model.arrays["vectors"][model.offsets[w] : model.offsets[w + 1]]
    paths, all_steps = model.arrays["paths"], model.arrays["steps"]
    steps = np.concatenate([all_steps[paths[c] : paths[c + 1]] for c in context] or [np.empty(0, np.int32)])
    signs = np.where(steps & 1, 1.0, -1.0)
    products = senses @ model.arrays["output"][steps >> 1].T
    return float((-np.logaddexp(0.0, -products * signs)).sum(axis=1).max())


def _write_planted(found: list[Planted], lines: list[str], years: list[int], since: int, path: Path) -> None:
    left, names = {pair.other: pair.uses for pair in found}, {pair.other: pair.word for pair in found}
    if path.exists():
        return
    made = []
    for line, year in zip(lines, years, strict=True):
        tokens = line.split()
        for i, token in enumerate(tokens if year >= since else []):
            bare = token.strip(".,;:!?\"'()").lower()
            if bare in left:
                tokens[i] = names[bare] if left[bare] > 0 else ""
                left[bare] -= 1
        made.append(" ".join(tokens))
    path.write_text("\n".join(made) + "\n", encoding="utf-8")


def planted_senses(old: Model, new: Model, pair: Planted, text: str) -> dict[str, Any]:
    """Which senses held-out uses of both meanings get: the new meaning should get one that was not there."""
    n_old = len(old.senses(pair.word, top=1))
    tokens = [token for token in new.tokenize(text) if token in new.vocabulary]
    shares = {}
    for name, is_new in ((pair.word, False), (pair.other, True)):
        places = [i for i, token in enumerate(tokens) if token == name][:200]
        contexts = [Sides(tokens[max(0, i - AROUND) : i], tokens[i + 1 : i + 1 + AROUND]) for i in places]
        found = new.disambiguate_batch([pair.word] * len(contexts), contexts)
        numbers = np.array([int(posterior.argmax()) for posterior in found])
        shares[is_new] = float(((numbers >= n_old) == is_new).mean()) if len(numbers) else float("nan")
    born = [f"{s.name} {s.prior:.3f}" for s in new.senses(pair.word, top=1)[n_old:]]
    return {
        "planted": pair.word,
        "as": pair.other,
        "senses before": n_old,
        "born": born,
        "uses of the new meaning with a new sense": round(shares[True], 3),
        "uses of the old meaning with its old sense": round(shares[False], 3),
    }


def summary(found: list[dict[str, Any]]) -> dict[str, int]:
    """Of words with a planted meaning, or of the same words in the text without it (the control).

    The control should have no new senses, except for meanings that the text itself has brought.
    """
    return {
        "pairs": len(found),
        "with a sense of their own": sum(f["uses of the new meaning with a new sense"] > 0.5 for f in found),
        "with new senses": sum(len(f["born"]) > 0 for f in found),
        "with two or more": sum(len(f["born"]) > 1 for f in found),
    }
