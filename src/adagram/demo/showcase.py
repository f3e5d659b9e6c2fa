"""What the demo shows of a model: ambiguous words that everyone knows, and new sentences with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.demo.sentences import SENTENCES
from adagram.model import Model
from adagram.model.neighbours import FREQUENT, MIN_SHARE, MIN_USES, rank_words
from adagram.model.sheet import Entry
from adagram.text.stop_words import ENGLISH

NEIGHBOURS = 4
_LOOKED_AT = 4  # words for each that is shown
_LONG = 140  # letters of an example
_STEM = 4  # letters that words of one family have in common


@dataclass(frozen=True)
class Shown:
    """A sense as a reader wants it; label and example come from the sense sheet."""

    sense: str
    prior: float
    label: str
    neighbours: list[str]
    example: str


@dataclass(frozen=True)
class Answer:
    """The likeliest sense of a word in a new sentence."""

    word: str
    sentence: str
    meant: str  # a word for the meaning that it has there
    sense: str
    probability: float
    is_right: bool  # the sense is nearer to what is meant than to the word's other meaning


def showcase(model: Model, n_words: int) -> dict[str, list[Shown]]:
    """The most clearly ambiguous words; all senses have an example if there is a sheet."""
    found: dict[str, list[Shown]] = {}
    for ranked in rank_words(model, _LOOKED_AT * n_words):
        senses = shown_senses(model, ranked.word)
        if model.sheet is None or all(sense.label and sense.example for sense in senses):
            found[ranked.word] = senses
        if len(found) == n_words:
            break
    return found


def shown_senses(model: Model, word: str) -> list[Shown]:
    """The senses of a word that are used enough to be shown, by falling prior."""
    found: list[Shown] = []
    senses = model.senses(word, top=20, min_count=MIN_USES)
    for sense in sorted(senses, key=lambda sense: -sense.prior):
        if sense.prior < MIN_SHARE and found:
            break
        entry = model.sheet.learned(sense.name) if model.sheet else None
        names = [neighbour.name.rpartition("#")[0] for neighbour in sense.neighbours]
        near = clean_neighbours(model, word, names)
        label = ", ".join(part for part in sense.label.split(", ") if part not in ENGLISH)
        found.append(Shown(sense.name, sense.prior, label, near, _readable(entry) if entry else ""))
    return found


def _readable(entry: Entry) -> str:
    """The first example that is not long, or the shortest."""
    texts = [example.text for example in entry.examples]
    return next((text for text in texts if len(text) <= _LONG), min(texts, key=len, default=""))


def clean_neighbours(model: Model, word: str, names: list[str]) -> list[str]:
    """The first few that tell a reader something: no word twice, none of the word's own family, no function words."""
    frequent = min(FREQUENT, len(model.vocabulary) // 20)
    stem = word[: max(_STEM, len(word) - 2)]
    telling = [n for n in dict.fromkeys(names) if model.vocabulary.id(n) >= frequent and n.isalpha()]
    return [n for n in telling if not n.startswith(stem) and not word.startswith(n)][:NEIGHBOURS]


def new_sentences(model: Model, words: Iterable[str]) -> list[Answer]:
    """What the model makes of both sentences of every word that has some."""
    found: list[Answer] = []
    for word in words:
        pair = SENTENCES.get(word, ())
        for (sentence, meant), (_, other) in zip(pair, reversed(pair), strict=True):
            posterior = model.disambiguate(word, sentence)
            sense = posterior.best
            found.append(
                Answer(
                    word,
                    sentence,
                    meant,
                    sense,
                    float(posterior.max()),
                    is_nearer(model, sense, meant, other),
                )
            )
    return found


def is_nearer(model: Model, sense: str, word: str, other: str) -> bool:
    """Whether the vector of a sense points more to a word than to another; words that are not known are far."""
    mine, others = (
        _cosine(model.vector(sense), model.word_vector(w)) if w in model else -1.0 for w in (word, other)
    )
    return mine > others


def _cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-12))
