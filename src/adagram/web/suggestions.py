"""Words to offer a visitor: completions of what was typed, near spellings, and words worth trying."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from adagram.model import Model
from adagram.model.byte_search import ByteSearch
from adagram.vocabulary import Vocabulary

_NEAR_POOL = 500  # spellings that are compared letter by letter
_LOOKED_AT = 1_500  # words with several senses, after the most frequent words of the language
_COMPARED = 100  # those with the greatest contrast, whose neighbours are looked up
_SHOWN = 12


class Completer:
    """The vocabulary in alphabetical order; ids rise as frequency falls, so the best of a range have the smallest."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        order = sorted(range(len(vocabulary)), key=vocabulary.words.__getitem__)
        self.words = [vocabulary.words[i] for i in order]
        self.ids = np.array(order, dtype=np.int64)

    def complete(self, prefix: str, top: int) -> list[str]:
        """The `top` most frequent words that start with `prefix`."""
        start = bisect_left(self.words, prefix)
        stop = bisect_right(self.words, prefix, lo=start, key=lambda word: word[: len(prefix)])
        ids = self.ids[start:stop]
        if len(ids) > top:
            ids = np.partition(ids, top - 1)[:top]
        return [self.vocabulary.words[i] for i in np.sort(ids).tolist()]

    def near(self, word: str, top: int = 3) -> list[str]:
        """Words one edit away, then similar ones with the same beginning: quick enough for a server."""
        pool: list[str] = []
        for length in (3, 2, 1):
            pool = self.complete(word[:length], _NEAR_POOL)
            if len(pool) >= top:
                break
        return self.vocabulary.near(word, pool, top)


def worth_trying(model: Model, search: ByteSearch) -> list[str]:
    """Fairly frequent words with two senses that differ and are both clear."""
    several = np.flatnonzero(np.diff(model.offsets) > 1)
    several = several[several >= len(model.vocabulary) // 100][:_LOOKED_AT]
    words = [w for w in several.tolist() if _is_plain(model.vocabulary.words[w])]
    best = sorted(words, key=lambda w: _contrast(model, w), reverse=True)[:_COMPARED]
    clearest = sorted(best, key=lambda w: _clarity(model, search, w), reverse=True)[:_SHOWN]
    return [model.vocabulary.words[w] for w in clearest]


def _is_plain(word: str) -> bool:
    return word.isalpha() and len(word) > 2


def _main_senses(model: Model, w: int) -> tuple[int, int]:
    """Rows of the two senses with the highest priors, the lesser first."""
    start, stop = int(model.offsets[w]), int(model.offsets[w + 1])
    lesser, main = np.argsort(model.priors[start:stop], kind="stable")[-2:].tolist()
    return start + lesser, start + main


def _contrast(model: Model, w: int) -> float:
    """The share of the lesser sense times how much its direction differs from the main one's."""
    lesser, main = _main_senses(model, w)
    vectors, norms = model.vectors, model.arrays["norms"]
    cosine = vectors[lesser] @ vectors[main] / max(float(norms[lesser] * norms[main]), 1e-12)
    return float(model.priors[lesser] * (1.0 - cosine))


def _clarity(model: Model, search: ByteSearch, w: int) -> float:
    """How close the nearest neighbours of the less clear sense are."""
    found = search.nearest(np.array(_main_senses(model, w)), top=3)
    return min(float(cosines.sum()) for _, cosines in found)
