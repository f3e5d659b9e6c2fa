"""Words go back to where they came from in a text."""

from __future__ import annotations

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from adagram.analysis.alignment import Piece, pieces, place_words, sentences
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer

ODD = st.text(st.sampled_from("aA bΣςσİıß’'-­\u0301\u200d.,12中<&>\n\tﬁ_"), max_size=40)


@given(st.text(max_size=80) | ODD, st.booleans(), st.booleans())
def test_nothing_of_the_text_is_lost(text: str, pretokenized: bool, numbers: bool) -> None:
    tokenize = make_tokenizer(TokenizerConfig(pretokenized=pretokenized, numbers=numbers))
    text = normalize("NFC", text)
    found = pieces(text, place_words(text, tokenize))
    assert "".join(piece.text for piece in found) == text
    assert [piece.word for piece in found if piece.word is not None] == tokenize(text)


def cut(text: str, config: TokenizerConfig | None = None) -> list[Piece]:
    return pieces(text, place_words(text, make_tokenizer(config)))


def test_case_and_punctuation_stay_in_the_text() -> None:
    found = cut("Don’t: the ROCK, the rock-n-roll.")
    assert [p.text for p in found if p.word] == ["Don’t", "the", "ROCK", "the", "rock-n-roll"]
    assert found[-1] == Piece(".", None)


def test_a_joined_phrase_covers_both_its_words() -> None:
    text = "In New York now"
    assert Piece("New York", "new_york") in pieces(text, place_words(text, make_tokenizer(), "_", {"new_york"}))


def test_a_word_is_not_found_inside_another() -> None:
    assert pieces("1st/st", place_words("1st/st", lambda text: ["st"])) == [Piece("1st/", None), Piece("st", "st")]


def test_a_lemma_is_the_form_that_stands_there() -> None:
    found = cut("(He ran.)", TokenizerConfig(lemmas="en"))
    assert [(p.text, p.word) for p in found if p.word] == [("He", "he"), ("ran", "run")]


def test_words_of_a_script_without_spaces() -> None:
    found = cut("2020年我喜欢银行。银行,年", TokenizerConfig(cut_unspaced=True))
    assert [p.text for p in found if p.word] == ["2020", "年", "我", "喜欢", "银行", "银行", "年"]


@given(st.text(max_size=80) | ODD)
def test_sentences_give_the_text_again(text: str) -> None:
    assert "".join(sentences(text)) == text


def test_final_sigma() -> None:
    assert [p.text for p in cut("ΟΔΟΣ οδός") if p.word] == ["ΟΔΟΣ", "οδός"]
