"""Which words stay: filters, word-count files, and the sentences when nothing is left."""

from pathlib import Path
from typing import Any

import pytest

from adagram.config import EncodeOptions
from adagram.corpus.encode import encode
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError

TOKENS = [["a"] * 5 + ["b"] * 4 + ["c1"] * 3 + ["d"] * 3 + ["e"]]


def words(tmp_path: Path, **options: Any) -> list[str]:
    return encoded(tmp_path, **options).vocabulary.words


def encoded(tmp_path: Path, **options: Any) -> EncodedCorpus:
    return encode(TOKENS, tmp_path / "out", EncodeOptions(**{"min_count": 1, **options}))


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["a", "b", "c1", "d", "e"]),
        ({"min_count": 3}, ["a", "b", "c1", "d"]),
        ({"max_words": 3}, ["a", "b", "c1"]),
        ({"remove_top": 2}, ["c1", "d", "e"]),
        ({"stop_words": frozenset({"b", "zzz"})}, ["a", "c1", "d", "e"]),
        ({"pattern": "[a-d]"}, ["a", "b", "d"]),
        ({"min_count": 2, "remove_top": 1, "pattern": "[a-z]", "max_words": 1}, ["b"]),
    ],
)
def test_filters(options: dict[str, Any], kept: list[str], tmp_path: Path) -> None:
    corpus = encoded(tmp_path, **options)
    report = corpus.meta["report"]
    assert corpus.vocabulary.words == kept
    gone = report["removed"].values()
    assert sum(part["types"] for part in gone) == 5 - len(kept)
    assert sum(part["tokens"] for part in gone) == 16 - len(corpus.tokens)


def test_a_word_count_file_decides_words_and_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("d\t70\nb 90\nabsent\t80\nrare\t2\n", encoding="utf-8")
    corpus = encoded(tmp_path, vocabulary=path, min_count=3)
    assert corpus.vocabulary.words == ["b", "absent", "d"]
    assert corpus.vocabulary.counts.tolist() == [90, 80, 70]
    assert corpus.tokens.tolist() == [0] * 4 + [2] * 3
    assert corpus.meta["report"]["removed"] == {"vocabulary": {"types": 3, "tokens": 9}}


@pytest.mark.parametrize("content", ["", "word\n", "word many\n", "nothing\t5\n", "\xff\n"])
def test_bad_word_count_files_are_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=r"counts\.txt"):
        encoded(tmp_path, vocabulary=path)


def test_nothing_left_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a', occurs 5 times; lower --min-count"):
        encoded(tmp_path, min_count=6)
    with pytest.raises(InputError, match="pattern"):
        encoded(tmp_path, pattern="x+")
