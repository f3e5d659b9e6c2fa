import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.errors import InputError

tokenize = make_tokenizer()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, world!", ["hello", "world"]),
        ("don't Rock'n'Roll 'quoted' dogs'", ["don't", "rock'n'roll", "quoted", "dogs"]),
        ("don’t donʼt", ["don't", "don't"]),
        ("state-of-the-art -- 1914-18 - end-", ["state-of-the-art", "1914-18", "end"]),
        ("3.14 1,000,000 3. ,5 v2.0 a.b", ["3.14", "1,000,000", "3", "5", "v2.0", "a", "b"]),
        ("snake_case x²", ["snake", "case", "x²"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("Straße ΛΌΓΟΣ", ["straße", "λόγος"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("שָׁלוֹם צה״ל", ["שָׁלוֹם", "צה״ל"]),
        ("col·lecció", ["col·lecció"]),
        ("Здравствуй, мир", ["здравствуй", "мир"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("a\x00b\x1bc \ufeffd", ["a", "b", "c", "d"]),
        ("𝔄𝔟 𐐀𐐨", ["𝔄𝔟", "𐐨𐐨"]),
        ("😀 👍🏽 ok", ["ok"]),
        ("\u0301stray mark", ["stray", "mark"]),
        ("", []),
        ("…!?", []),
    ],
)
def test_words_of_many_scripts(text: str, words: list[str]) -> None:
    assert tokenize(text) == [unicodedata.normalize("NFC", w) for w in words]


def test_numbers_by_choice() -> None:
    no_numbers = make_tokenizer(TokenizerConfig(numbers=False))
    assert no_numbers("In 1984, 3.14 of 20th ½") == ["in", "of", "20th"]


def test_case_by_choice() -> None:
    assert make_tokenizer(TokenizerConfig(fold_case=False))("New York") == ["New", "York"]


def test_pretokenized_text_is_left_alone_but_for_spaces() -> None:
    as_is = make_tokenizer(TokenizerConfig(pretokenized=True))
    assert as_is("Don't  stop ,\t3.14 !\nnew_york 10\u00a0000") == [
        *("Don't", "stop", ",", "3.14", "!", "new_york", "10\u00a0000")
    ]
    folded = make_tokenizer(TokenizerConfig(pretokenized=True, fold_case=True))
    assert folded("Don't STOP!") == ["don't", "stop!"]


def test_very_long_words_are_dropped() -> None:
    assert tokenize("a " + "x" * 1_000_000 + " b " + "y" * 100) == ["a", "b", "y" * 100]


def test_known_phrases_are_joined_as_in_training() -> None:
    join = make_tokenizer(TokenizerConfig(phrase_joiner="_"), {"new_york", "new_york_city", "york_city"})
    assert join("The New York city and York City") == ["the", "new_york_city", "and", "york_city"]


@pytest.mark.parametrize(
    "config",
    [TokenizerConfig(), TokenizerConfig(pretokenized=True), TokenizerConfig(False, False, max_chars=7)],
)
def test_settings_survive_json(config: TokenizerConfig) -> None:
    assert TokenizerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(InputError, match="stemming"):
        TokenizerConfig.from_dict({"stemming": True})


@given(st.text())
def test_tokens_are_clean_and_tokenizing_them_again_changes_nothing(text: str) -> None:
    words = tokenize(text)
    for word in words:
        assert word
        assert unicodedata.is_normalized("NFC", word)
        assert not any(c.isspace() or unicodedata.category(c) == "Cc" for c in word)
        assert any(c.isalnum() for c in word)
    assert tokenize(" ".join(words)) == words


@given(st.text(), st.text(), st.sampled_from(" \n\t\r\x00"))
def test_spaces_separate(left: str, right: str, space: str) -> None:
    assert tokenize(left + space + right) == tokenize(left) + tokenize(right)


@given(st.text())
def test_canonically_equal_texts_give_equal_words(text: str) -> None:
    assert tokenize(unicodedata.normalize("NFD", text)) == tokenize(unicodedata.normalize("NFC", text))
