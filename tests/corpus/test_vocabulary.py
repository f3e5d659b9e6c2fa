"""Near spellings of an unknown word: the word that was meant is among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import UnknownWordError

WORDS = st.lists(st.text("abcé中", min_size=2, max_size=6), unique=True, min_size=1, max_size=30)


def vocabulary_of(*words: str) -> Vocabulary:
    """The first word is the most frequent."""
    return Vocabulary(list(words), np.arange(len(words), 0, -1))


@given(WORDS, st.data())
def test_one_slip_of_the_pen_is_undone(words, data):
    """Two letters exchanged, one dropped, one too many or another one: the meant word is found."""
    vocabulary = vocabulary_of(*words)
    meant = data.draw(st.sampled_from(words))
    i = data.draw(st.integers(0, len(meant) - 1))
    letter = data.draw(st.sampled_from("abcé中"))
    typed = data.draw(
        st.sampled_from(
            [
                meant[:i] + meant[i + 1 : i + 2] + meant[i] + meant[i + 2 :],
                meant[:i] + meant[i + 1 :],
                meant[:i] + letter + meant[i:],
                meant[:i] + letter + meant[i + 1 :],
            ]
        )
    )
    assume(typed not in vocabulary)
    assert meant in vocabulary.near(typed, top=len(words))


def test_the_more_frequent_word_comes_first():
    assert vocabulary_of("bonk", "bank", "bunk").near("bnak")[0] == "bank"  # one edit; the others are two
    assert vocabulary_of("tank", "bank", "sank").near("ank") == ["tank", "bank", "sank"]
    assert vocabulary_of("river", "banker", "bank").near("bankr") == ["banker", "bank"]


def test_the_error_names_them():
    with pytest.raises(UnknownWordError, match="Near spellings: bank"):
        vocabulary_of("money", "bank").id("bnak")


def test_a_word_like_no_other_has_none():
    assert vocabulary_of("a", "bank").near("") == []
    assert vocabulary_of("a", "bank").near("x" * 500) == []
