"""Text to sense-tagged words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from adagram.corpus.documents import Kind, make_tokenizers
from adagram.model import Model
from adagram.model.arguments import PROBABILITY, checked


@dataclass(frozen=True)
class Tally:
    """What became of the words of a text."""

    words: int = 0
    tagged: int = 0
    unsure: int = 0  # left bare because no sense was probable enough
    unknown: int = 0  # left bare because the model does not know them

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.words + other.words,
            self.tagged + other.tagged,
            self.unsure + other.unsure,
            self.unknown + other.unknown,
        )


class Tagger:
    """Replaces each word that the model knows by its likeliest sense, where that has `min_probability` or more.

    The context of a word is in the same line: see `adagram.model.context`. Threads may share a tagger.
    """

    def __init__(self, model: Model, min_probability: float = 0.0) -> None:
        checked(min_probability, "min_probability", PROBABILITY)
        self._min_probability = min_probability
        self._predictor = model.predictor
        self._index = model.vocabulary.index
        self._tokenizers = make_tokenizers(model.info, self._index)
        self._names = model.names(slice(0, model.n_senses))

    def tag(self, line: str) -> str:
        """One line of text as words with spaces between them, tagged."""
        return self.tag_lines([line])[0][0]

    def tag_lines(self, lines: Iterable[str], kind: Kind = Kind.RAW) -> tuple[list[str], Tally]:
        """Many lines at once: each tagged, and what became of their words."""
        words: list[str] = []
        ends = [0]
        tokenize = self._tokenizers[kind]
        for line in lines:
            words += tokenize(line)
            ends.append(len(words))
        find = self._index.get
        ids = np.array([find(word, -1) for word in words], dtype=np.int32)
        known = ids >= 0
        known_ends = np.append(0, known.cumsum())[ends[1:]]  # line ends among the known words
        rows, probabilities = self._predictor.assign(ids[known], known_ends.astype(np.int64))
        rows[probabilities < self._min_probability] = -1
        tags = np.full(len(words), -1, dtype=np.int64)
        tags[known] = rows
        names = self._names
        tagged = [names[row] if row >= 0 else word for row, word in zip(tags.tolist(), words, strict=True)]
        joined = [" ".join(tagged[a:b]) for a, b in pairwise(ends)]
        unsure = int((rows < 0).sum())
        return joined, Tally(len(words), len(rows) - unsure, unsure, len(words) - len(rows))
