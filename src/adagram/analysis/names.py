"""Tell names and numbers from other words: by capitals inside the sentences of a text, and by digits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.documents import Document, Kind, make_tokenizers
from adagram.model import Model

NAME, NUMBER = "name", "number"
MIN_CAPITAL = 0.5  # of the uses of a name
MAX_CAPITALS = 0.25  # of all words; above it capitals do not mark names, as in German and in headlines
# A word after a word or a comma, perhaps in brackets, so not the first of its sentence.
_INSIDE = re.compile(r"(?<=[\w,;] )\(?([^\W\d_](?:[\w'’-]*\w)?)")


class Capitals:
    """Count how often each word of a model is written with a capital inside a sentence."""

    def __init__(self, model: Model) -> None:
        self._find = model.vocabulary.index.get
        self._tokenizers = make_tokenizers(model.info, model.vocabulary.index)
        self._seen = np.zeros((2, len(model.vocabulary.words)), np.int64)  # in small letters, with a capital
        self._all = np.zeros(2, np.int64)

    def add(self, documents: Sequence[Document]) -> None:
        counts: dict[Kind, Counter[str]] = {kind: Counter() for kind in Kind}
        for document in documents:
            counts[document.kind].update(_INSIDE.findall(document.text))
        for kind, of_kind in counts.items():
            tokenize = self._tokenizers[kind]
            for token, n in of_kind.items():
                is_capital = int(token[0].isupper())
                self._all[is_capital] += n
                words = tokenize(token)
                if len(words) == 1 and (w := self._find(words[0], -1)) >= 0:
                    self._seen[is_capital, w] += n

    @property
    def mark_names(self) -> bool:
        """Whether capitals tell names: there are some, and not on every noun."""
        return bool(0 < self._all[1] <= MAX_CAPITALS * self._all.sum())

    def names(self) -> NDArray[np.bool_]:
        """Return which words of the model are names, (n_words,), if capitals tell."""
        return np.asarray(self._seen[1] > MIN_CAPITAL * self._seen.sum(axis=0))


def kind_of(word: str, is_name: bool) -> str:
    """Return `number` for a word that begins with a digit, `name`, or nothing.

    >>> kind_of("1990s", False), kind_of("ottawa", True), kind_of("green", False)
    ('number', 'name', '')
    """
    return NUMBER if word[:1].isdecimal() else NAME if is_name else ""
