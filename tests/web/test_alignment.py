"""Words go back to where they came from in a text."""

from __future__ import annotations

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.web.alignment import Piece, align, sentences

ODD = st.text(st.sampled_from("aA bΣςσİıß’'-­\u0301\u200d.,12中<&>\n\tﬁ_"), max_size=40)


@given(st.text(max_size=80) | ODD, st.booleans(), st.booleans())
def test_nothing_of_the_text_is_lost(text: str, pretokenized: bool, numbers: bool) -> None:
    tokenize = make_tokenizer(TokenizerConfig(pretokenized=pretokenized, numbers=numbers))
    words = tokenize(text)
    pieces = align(text, words)
    assert "".join(piece.text for piece in pieces) == normalize("NFC", text)
    assert [piece.word for piece in pieces if piece.word is not None] == words


def test_case_and_punctuation_stay_in_the_text() -> None:
    text = "Don’t: the ROCK, the rock-n-roll."
    pieces = align(text, make_tokenizer()(text))
    assert [p.text for p in pieces if p.word] == ["Don’t", "the", "ROCK", "the", "rock-n-roll"]
    assert pieces[-1] == Piece(".", None)


def test_a_joined_phrase_covers_both_its_words() -> None:
    pieces = align("In New York now", ["in", "new_york", "now"], "_")
    assert Piece("New York", "new_york") in pieces


def test_a_word_is_not_found_inside_another() -> None:
    pieces = align("1st st", ["st"])
    assert pieces == [Piece("1st ", None), Piece("st", "st")]


def test_words_of_a_script_without_spaces() -> None:
    words = ["年", "我", "喜欢", "银行", "银行", "年"]
    pieces = align("2020年我喜欢银行。银行,年", words)
    assert [p.text for p in pieces if p.word] == words
    assert pieces[0] == Piece("2020", None)


@given(st.text(max_size=80) | ODD)
def test_sentences_give_the_text_again(text: str) -> None:
    assert "".join(sentences(text)) == text


def test_final_sigma() -> None:
    text = "ΟΔΟΣ οδός"
    assert [p.text for p in align(text, make_tokenizer()(text)) if p.word] == ["ΟΔΟΣ", "οδός"]
