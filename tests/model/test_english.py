"""The English model that comes with the package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.cli.check import examine
from adagram.files.hub import packaged_models
from adagram.model.neighbours import content_words
from adagram.model.sheet import entry_of, label_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def english() -> adagram.Model:
    return adagram.load("en")


@pytest.mark.slow
def test_it_is_small_in_the_wheel() -> None:
    packed = sum(len(zlib.compress(file.read_bytes())) for file in packaged_models()["en"].iterdir())
    assert packed <= 8_000_000


def test_it_is_small_and_whole(english: adagram.Model) -> None:
    folder = packaged_models()["en"]
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 16_000_000
    assert 20_000 <= len(english) <= 30_000
    assert not any(finding.damage for finding in examine(folder))


def test_senses_have_labels_collocates_and_an_example(english: adagram.Model) -> None:
    assert english.sheet is not None
    sample = np.random.default_rng(0).choice(english.n_senses, 500, replace=False).tolist()
    entries = [entry_of(english, row) for row in sample]
    assert all(entry is not None for entry in entries)
    assert sum(bool(entry.label) for entry in entries if entry) > 0.9 * len(entries)
    with_example = [entry for entry in entries if entry and entry.examples]
    assert len(with_example) > 0.9 * len(entries)
    for entry in with_example:
        assert len(entry.examples) == 1
        assert entry.sense.rpartition("#")[0] in english.tokenize(entry.examples[0].text)


def test_merged_senses_have_labels_of_content_words(english: adagram.Model) -> None:
    content = content_words(english)
    shown = english.at("medium")
    for word in ("apple", "bank", "plant", "march"):
        for row in range(shown.n_senses)[shown.rows(word)]:
            known = [part for part in label_of(shown, row).split(", ") if part in english.vocabulary]
            assert known, f"{shown.names([row])[0]} has no label"
            assert all(content[english.vocabulary.id(part)] for part in known)


@pytest.mark.parametrize(
    ("word", "one", "other"),
    [
        ("apple", "the new phone and computer was announced today", "the pie was made of fruit and sugar"),
        ("bank", "the loan and the money on the account", "the river flooded its bank and the valley"),
        ("rock", "the band played guitar on the album", "the volcanic minerals of the mountain"),
    ],
)
def test_it_tells_meanings_apart(english: adagram.Model, word: str, one: str, other: str) -> None:
    first, second = (english.disambiguate(word, context) for context in (one, other))
    assert first.best != second.best
    assert first.max() > 0.5
    assert second.max() > 0.5


def test_the_first_senses_come_within_a_second() -> None:
    script = "import time, adagram; adagram.load('en').senses('apple'); print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 3.0  # under one second; machines differ


def test_its_source_licence_and_figures_are_stated() -> None:
    folder = packaged_models()["en"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    for stated in ("license: cc-by-sa-4.0", "Wikipedia", "WWSI", "SemEval-2010", "SCWS", "size in the wheel"):
        assert stated in card
    source = json.loads((folder / "config.json").read_text(encoding="utf-8"))["source"]
    assert source["licence"] == "CC BY-SA 4.0"
    assert "CC BY-SA" in " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    assert re.search(r"adagram senses en ", "\n".join((ROOT / "README.md").read_text("utf-8").split("\n")[:10]))
