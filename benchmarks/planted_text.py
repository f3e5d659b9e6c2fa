"""Dated text with planted changes of meaning: pairs of words written as one, in shares that move over the years.

Passages with either word of a pair (a sentence, the one before and the one after it) are taken out of the corpus, the
word is replaced by a new one, and each passage becomes a document of a year that is drawn. The first word's passages
fall on a year with a chance that moves by 0, 20, 30 or 40 points from the first year to the last, up or down; the
second's with what is left. So both meanings keep the same company in all years, and only their mixture changes. Part of
the other text stays beside them as it is. All is sorted by year, as archives are.

The words are of a middle frequency, are no stop words and stand for a topic: their residual IDF is 0.4 or more, that
is, they gather in few documents ("debt", "palestinian"), as a quarter of the words do. Words of a pair are unlike.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adagram.analysis.describe import LENGTHS, split_sentences
from adagram.corpus.languages import ENGLISH
from adagram.model import Model

POINTS = (0, 20, 0, 30, 0, 20, 0, 40)  # of one pair after the other
MIN_USES, MAX_USES = 4_000, 40_000  # uses in the corpus of the words that are joined
PASSAGES = 2_500  # that are taken of a word, if it has them
MIN_RESIDUAL_IDF = 0.4
LONGEST = 60  # words of a sentence that is taken
LIKE = 0.1  # cosine of words that are no pair
Record = dict[str, object]
WORD = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w'’-])")


@dataclass(frozen=True)
class Planted:
    name: str
    words: tuple[str, str]
    start: float  # share of the first word in the first year
    end: float

    @property
    def points(self) -> int:
        return round(100 * (self.end - self.start))

    def chances(self, n_years: int) -> np.ndarray:
        """How likely a sentence of the first and of the second word falls on each year, (2, n_years)."""
        first = np.linspace(self.start, self.end, n_years)
        both = np.stack([first, 1.0 - first])
        return np.asarray(both / both.sum(axis=1, keepdims=True))


def read(path: Path) -> Iterator[Record]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def words_of(text: str) -> list[str]:
    return WORD.findall(text.lower())


class Sentences:
    """The sentences of a corpus, and which of them have one of the words that could be joined."""

    def __init__(self, corpus: Path, by: str, wanted: set[str]) -> None:
        self.texts: list[str] = []
        self.owners: list[int] = []  # documents
        self.years: list[object] = []
        self.having: dict[str, list[int]] = {word: [] for word in wanted}
        self._uses: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        for record in read(corpus):
            in_document: Counter[str] = Counter()
            number = len(self.years)
            for line in str(record["text"]).split("\n"):
                for sentence in split_sentences(line):
                    self._add(words_of(sentence), in_document)
                    self.texts.append(sentence)
                    self.owners.append(number)
            self._uses.update(in_document)
            self._documents.update(in_document.keys())
            self.years.append(record[by])

    def _add(self, words: list[str], in_document: Counter[str]) -> None:
        found = [word for word in words if word in self.having]
        in_document.update(found)
        if LENGTHS[0] <= len(words) <= LONGEST:
            for word in set(found):
                self.having[word].append(len(self.texts))

    def passage(self, s: int) -> list[int]:
        """A sentence with those before and after it in its document."""
        near = range(max(0, s - 1), min(len(self.texts), s + 2))
        return [i for i in near if self.owners[i] == self.owners[s]]

    def residual_idf(self, word: str) -> float:
        """log2 of the documents that a word would be in if its uses fell at random, over those that it is in."""
        n = len(self.years)
        return float(np.log2(n * -np.expm1(-self._uses[word] / n) / self._documents[word])) if self._uses[word] else 0.0


def of_middle_frequency(model: Model) -> dict[str, int]:
    """Words that are no stop words, and their numbers."""
    counts = np.asarray(model.vocabulary.counts)
    numbers = np.flatnonzero((counts >= MIN_USES) & (counts <= MAX_USES)).tolist()
    found = {model.vocabulary.words[w]: w for w in numbers}
    return {word: w for word, w in found.items() if WORD.fullmatch(word) and word not in ENGLISH}


def choose_pairs(model: Model, sentences: Sentences, n: int, seed: int) -> list[Planted]:
    """Words that stand for a topic, in pairs that are not alike."""
    numbers = of_middle_frequency(model)
    able = [word for word in numbers if sentences.residual_idf(word) >= MIN_RESIDUAL_IDF]
    left = np.random.default_rng(seed).permutation(able).tolist()
    planted: list[Planted] = []
    while left and len(planted) < n:
        a = left.pop()
        b = next((b for b in left if _cosine(model, numbers[a], numbers[b]) < LIKE), None)
        if b is None:
            continue
        left.remove(b)
        half = POINTS[len(planted) % len(POINTS)] / 200.0
        direction = 1 if len(planted) // len(POINTS) % 2 else -1
        planted.append(Planted(f"pseudo{a}{b}", (a, b), 0.5 - direction * half, 0.5 + direction * half))
    return planted


def _cosine(model: Model, a: int, b: int) -> float:
    """Of the means over the senses of two words."""
    x, y = (model.vectors[model.offsets[w] : model.offsets[w + 1]].mean(axis=0) for w in (a, b))
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def plant(sentences: Sentences, planted: list[Planted], by: str, every: int, seed: int) -> list[Record]:
    """The passages with pseudo-words and the rest of one document of `every`, by year.

    The field "truth" of a record says which pseudo-word it has, "" for none, and which of its words that was.
    """
    draw = np.random.default_rng(seed + 1)
    years = sorted(set(sentences.years), key=str)
    records: list[Record] = []
    taken: set[int] = set()
    parts = [(p, which, word) for p in planted for which, word in enumerate(p.words)]
    for p, which, word in sorted(parts, key=lambda part: len(sentences.having[part[2]])):  # rare words first
        chances, other = p.chances(len(years))[which], _as_word(p.words[1 - which])
        pool, n = draw.permutation(sentences.having[word]).tolist(), 0
        while pool and n < PASSAGES:
            around = sentences.passage(pool.pop())
            text = " ".join(sentences.texts[s] for s in around)
            if taken.isdisjoint(around) and not other.search(text):
                taken.update(around)
                year = years[draw.choice(len(years), p=chances)]
                text = _as_word(word).sub(p.name, text)
                records.append({by: year, "text": text, "truth": [p.name, which]})
                n += 1
    kept: dict[int, list[str]] = {}
    for s, (text, owner) in enumerate(zip(sentences.texts, sentences.owners, strict=True)):
        if owner % every == 0 and s not in taken:
            kept.setdefault(owner, []).append(text)
    records += [{by: sentences.years[d], "text": " ".join(t), "truth": ["", 0]} for d, t in kept.items()]
    return sorted((records[i] for i in draw.permutation(len(records)).tolist()), key=lambda r: str(r[by]))


def _as_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’-]){word}(?![\w'’-])", re.I)
