"""Words to offer a visitor: completions of what was typed, and near spellings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from adagram.corpus.vocabulary import Vocabulary

_NEAR_POOL = 500  # spellings that are compared letter by letter


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
