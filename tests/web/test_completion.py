"""Completion as you type."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adagram.vocabulary import Vocabulary
from adagram.web.explorer import Completer

WORDS = st.lists(st.text("abé中\U0010ffff", min_size=1, max_size=4), unique=True, min_size=1, max_size=30)


@given(WORDS, st.text("abé中", max_size=3), st.integers(1, 12))
def test_the_most_frequent_words_with_the_prefix(words: list[str], prefix: str, top: int) -> None:
    vocabulary = Vocabulary(words, np.arange(len(words), 0, -1))
    expected = [word for word in words if word.startswith(prefix)][:top]
    found = Completer(vocabulary).complete(prefix, top)
    assert found == expected


def test_near_spellings() -> None:
    words = ["rock", "rocket", "roll", "stone"]
    completer = Completer(Vocabulary(words, np.array([4, 3, 2, 1])))
    assert completer.near("rokc")[0] == "rock"
    assert completer.near("") == []
