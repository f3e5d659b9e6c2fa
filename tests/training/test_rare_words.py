"""Words that are too rare in one text join once all texts together have them often enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.corpus import count as choosing
from adagram.corpus.count import Candidates, select_words
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.training.progress import Progress
from continue_support import FIRST, OPTIONS, SECOND, options_of

MIN_COUNT = 10


def with_rare(text: list[list[str]], **uses: int) -> list[list[str]]:
    """The text with each of these words at the end of so many of its sentences."""
    made = [list(sentence) for sentence in text]
    for word, n in uses.items():
        for sentence in made[:n]:
            sentence.append(word)
    return made


OLD = with_rare(FIRST[:600], early=4, seldom=1)
NEW = with_rare(SECOND[:600], early=6, seldom=1, late=9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("rare") / "old"
    adagram.train(OLD, made, **OPTIONS | {"min_count": MIN_COUNT})
    return made


def test_a_first_text_leaves_its_rare_words(folder: Path, tmp_path: Path) -> None:
    assert adagram.load(folder)._continuation.unknown == {"early": 4, "seldom": 1}
    assert adagram.train(OLD, **OPTIONS | {"min_count": MIN_COUNT})._continuation.unknown == {"early": 4, "seldom": 1}
    encode(OLD, tmp_path / "encoded", EncodeOptions(min_count=MIN_COUNT))
    options = {name: value for name, value in OPTIONS.items() if name != "min_count"}
    adagram.train(tmp_path / "encoded", tmp_path / "again", **options)
    assert (tmp_path / "again/unknown.txt").read_bytes() == (folder / "unknown.txt").read_bytes()


def test_they_join_with_the_text_that_brings_the_least_count_about(folder: Path, tmp_path: Path) -> None:
    for second in (
        adagram.train(NEW, tmp_path / "new", start=folder, min_count=MIN_COUNT, threads=1),
        adagram.train(NEW, start=adagram.load(folder), min_count=MIN_COUNT, threads=1),
    ):
        words = second.vocabulary
        assert words.counts[words.id("early")] == 6, "uses that could teach it"
        assert second._continuation.unknown == {"late": 9, "seldom": 2}
    third = adagram.train(with_rare(SECOND[:50], late=1), start=second, min_count=MIN_COUNT, threads=1)
    assert "late" in third.vocabulary
    assert third._continuation.unknown == {"seldom": 2}


def test_an_encoded_corpus_has_no_uses_of_its_rare_words_but_their_counts(folder: Path, tmp_path: Path) -> None:
    encode(NEW, tmp_path / "encoded", EncodeOptions(min_count=MIN_COUNT))
    model = adagram.train(tmp_path / "encoded", start=folder, threads=1)
    assert "early" not in model.vocabulary
    assert model._continuation.unknown == {"early": 10, "late": 9, "seldom": 2}
    after = adagram.train(with_rare(SECOND[:50], early=1), start=model, min_count=MIN_COUNT, threads=1)
    assert "early" in after.vocabulary


def test_damage_is_found_before_the_work(folder: Path, tmp_path: Path) -> None:
    encode(NEW, tmp_path / "encoded", EncodeOptions(min_count=MIN_COUNT))
    (tmp_path / "encoded/unknown.txt").write_bytes(b"\x85\xff no words")
    heard: list[Progress] = []
    for start in (None, folder):
        with pytest.raises(InputError, match=r"unknown\.txt is damaged"):
            adagram.train(tmp_path / "encoded", tmp_path / "new", start=start, report=heard.append)
    assert not heard
    assert not (tmp_path / "new").exists()


def test_systems_that_cannot_go_on_keep_none(tmp_path: Path) -> None:
    options = options_of("np-mssg") | {"min_count": MIN_COUNT, "epochs": 1}
    adagram.train(OLD, tmp_path / "model", **options)
    assert not (tmp_path / "model/unknown.txt").exists()


def test_of_many_rare_words_the_most_frequent_are_kept(monkeypatch) -> None:
    monkeypatch.setattr(choosing, "MAX_RARE_OF_TEXT", 3)
    counts = np.array([0, 2, 9, 1, 4, 3, 1])
    found = select_words(Candidates(counts, "_abcdef".__getitem__), EncodeOptions(min_count=5))
    assert found.vocabulary.words == ["b"]
    assert found.rare == {"d": 4, "e": 3, "a": 2}


def test_the_least_count_follows_from_the_length_of_the_text_not_of_what_is_unknown_in_it() -> None:
    """From 10 M words on it is 20."""
    counts = np.array([0, 20_000_000, 19, 20])
    known = Vocabulary(["a"], np.array([7]))
    found = select_words(Candidates(counts, "_abc".__getitem__), EncodeOptions(min_count=None), known)
    assert found.vocabulary.words == ["a", "c"]
    assert found.rare == {"b": 19}
