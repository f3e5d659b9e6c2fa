"""Which senses of a word the page shows, in which order, and what it says that they are about."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.model import Model
from adagram.model.neighbours import AROUND, marginal
from adagram.text.stop_words import ENGLISH

GIST = 3  # words that say what a sense is about where an editor has not
ENDING = 3  # letters
GRAMMAR, LARGE = 50, 10_000  # so many most frequent words of a large vocabulary are no content words
CACHED_WORDS = 4_096

Find = Callable[[int, int], tuple[NDArray[np.int64], Floats]]  # the nearest rows of a row, and their cosines


class Shown:
    """The senses of a model as a visitor meets them."""

    def __init__(self, model: Model, find: Find) -> None:
        self.model, self.find = model, find
        self._marginal = lru_cache(maxsize=CACHED_WORDS)(self._find_marginal)

    def by_share(self, word: str) -> list[int]:
        """Rows of all senses of a word, the most frequent first."""
        rows = self.model.rows(word)
        return sorted(range(rows.start, rows.stop), key=lambda row: -float(self.model.priors[row]))

    def rows(self, word: str) -> list[int]:
        """The same without those that lists leave out."""
        return [row for row in self.by_share(word) if not self.is_marginal(row)]

    def is_marginal(self, row: int) -> bool:
        """Whether lists leave a sense out unless all are asked for."""
        word = int(np.searchsorted(self.model.offsets, row, side="right")) - 1
        return bool(self._marginal(word)[row - int(self.model.offsets[word])])

    def _find_marginal(self, word: int) -> NDArray[np.bool_]:
        priors, rows = self.model.priors, slice(*self.model.offsets[word : word + 2].tolist())
        near = [self.find(row, AROUND)[0] for row in range(rows.start, rows.stop)]
        around = np.array([float(priors[found].mean()) if len(found) else 1.0 for found in near])
        return marginal(priors[rows], self.model.counts[rows], around)

    def gist(self, row: int) -> str:
        """What a sense is about: an editor's label, the content words of the sheet's, or its nearest words."""
        curation = self.model.curation
        if curation and row in curation.labels:
            return curation.labels[row]
        words = [word for word in self.model.label(row).split(", ") if self.is_content(word)]
        if len(words) < GIST - 1:
            word, *near = [
                name.rpartition("#")[0] for name in self.model.names([row, *self.find(row, AROUND)[0]])
            ]
            words = [other for other in near if self.is_content(other) and not _is_form(other, word)] or near
        return ", ".join(list(dict.fromkeys(words))[:GIST])

    def is_content(self, word: str | None) -> bool:
        """Whether a word has a meaning of its own, as far as its spelling and frequency tell."""
        if word is None or word in ENGLISH or not any(char.isalpha() for char in word):
            return False
        if len(word) == 1 and word.isascii():
            return False
        index = self.model.vocabulary.index
        return len(index) < LARGE or index.get(word, GRAMMAR) >= GRAMMAR


def _is_form(other: str, word: str) -> bool:
    """Whether a word is another with a short ending (banks, bank's), which says nothing about its senses."""
    return other.startswith(word) and len(other) - len(word) <= ENDING
