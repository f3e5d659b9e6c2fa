"""Names, texts and token lists are told apart by a rule, and what could be either is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import adagram
from adagram.config import EncodeOptions
from adagram.corpus.encode import encode
from adagram.corpus.sources import LOOK_AT
from adagram.errors import InputError

TEXTS = ["I like cats.", "Dogs bark,\nand cats do not", "Yes"]
WORDS = {"i", "like", "cats", "dogs", "bark", "and", "do", "not", "yes"}


def words_of(sources: Any, folder: Path) -> set[str]:
    return set(encode(sources, folder / "out", EncodeOptions(min_count=1), overwrite=True).vocabulary.words)


@pytest.mark.parametrize("make", [list, tuple, iter])
def test_texts_are_taken_from_any_iterable(make: Any, tmp_path: Path) -> None:
    assert words_of(make(TEXTS), tmp_path) == WORDS
    assert adagram.train(make(TEXTS), dim=4, min_count=1, threads=1).vocabulary.index.keys() == WORDS


def test_texts_are_tokenized_as_files_are(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(TEXTS))
    from_texts = encode(TEXTS, tmp_path / "a", EncodeOptions(min_count=1))
    from_file = encode(tmp_path / "text.txt", tmp_path / "b", EncodeOptions(min_count=1))
    assert from_texts.fingerprint == from_file.fingerprint
    assert from_texts.meta["tokenizer"] == from_file.meta["tokenizer"]


@pytest.mark.parametrize(
    "texts", [["道可道，非常道。", "名可名，非常名。"], ["What?!", "a/b or c"], ["1. e4 e5"]]
)
def test_texts_of_other_kinds(texts: list[str], tmp_path: Path) -> None:
    assert words_of(texts, tmp_path)


def test_names_are_files_that_exist_or_look_like_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my text").write_text("content")
    assert words_of(["my text"], tmp_path) == {"content"}
    for missing in ("corpus.txt", "my corpus.jsonl", "folder/part", "dump.xml.bz2", "parts/*"):
        with pytest.raises(InputError, match=r"does not exist|no file matches"):
            words_of([missing], tmp_path)


@pytest.mark.parametrize(
    "mixture",
    [
        ["I like cats", Path("corpus.txt")],
        ["corpus.txt", "I like cats"],
        ["I like cats", "missing.txt"],
        ["yes", "-"],
    ],
)
def test_names_and_texts_do_not_mix(mixture: list[Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is the name of a file and .* is not"):
        words_of(mixture, tmp_path)


@pytest.mark.parametrize("odd", ["https://example.org/feed.xml", "http://a.b/c?d=e", "km/h", "N/A", "C:\\x"])
def test_texts_may_be_a_url_or_have_a_slash_in_them(odd: str, tmp_path: Path) -> None:
    assert words_of([*TEXTS, odd], tmp_path) >= WORDS
    with pytest.raises(InputError, match=r"does not exist|no file matches"):
        words_of([odd], tmp_path)


@pytest.mark.parametrize("other", [["cats"], 3, None])
def test_strings_and_token_lists_do_not_mix_wherever_they_meet(other: Any, tmp_path: Path) -> None:
    def late() -> Iterator[Any]:
        yield from ["I like cats"] * (2 * LOOK_AT)
        yield other

    for mixture in (["I like cats", other], late(), [["cats"], "I like cats"]):
        with pytest.raises(InputError, match=r"cannot be mixed|is a string, not a list"):
            words_of(mixture, tmp_path)


def test_one_token_list_is_not_taken_for_texts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'the' is neither a file nor a text .* train\(\[tokens\]\)"):
        words_of(["the", "cat", "sat"], tmp_path)


@pytest.mark.parametrize("text", ["I like cats", "I like cats " * 1000, "I like cats? " * 40_000])
def test_a_string_by_itself_is_a_name(text: str) -> None:
    sentence = r"(I like cats.* does not exist|no file matches I like cats.*); a text goes into a list"
    with pytest.raises(InputError, match=sentence) as refused:
        adagram.train(text)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("names", [["I like cats", "dogs too"], [""]])
def test_words_of_the_command_line_are_never_texts(
    names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from adagram.cli import main

    for verb in ("train", "encode"):
        with pytest.raises(SystemExit):
            main([verb, *names, "-o", str(tmp_path / "out")])
        assert ("does not exist" if names[0] else "is empty") in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
