"""Tagged text: the right senses, the same words, the same lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.analysis.tag import Tagger, tag_files
from adagram.corpus import documents as blocks
from adagram.corpus.documents import cut_blocks
from adagram.errors import InputError
from adagram.export import export, import_model
from adagram.model import Model, Sides
from model_support import assign, random_model

MODEL = random_model()
TAGGER = Tagger(MODEL)
WORDS = st.sampled_from([*MODEL.vocabulary.words, "unknown", "other", "W3,", "—"])
LINES = st.lists(st.lists(WORDS, max_size=15).map(" ".join), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model without a tree, whose senses are told apart by cosine."""
    path = tmp_path_factory.mktemp("word2vec") / "senses"
    export(MODEL, path, "word2vec-bin")
    return import_model(path, "word2vec", window=3)


def check_against_one_by_one(model: Model, seed: int) -> None:
    draw = np.random.default_rng(seed)
    words = [model.vocabulary.words[i] for i in draw.integers(0, len(model.vocabulary), 300)]
    rows, probabilities = assign(model, words)
    for i, word in enumerate(words):
        posterior = model.disambiguate(word, Sides(words[:i], words[i + 1 :]))
        assert posterior[rows[i] - model.rows(word).start] == pytest.approx(posterior.max(), abs=1e-5)
        assert probabilities[i] == pytest.approx(posterior.max(), abs=1e-5)


def test_senses_are_those_of_disambiguate(clusters: Model) -> None:
    check_against_one_by_one(MODEL, seed=1)
    check_against_one_by_one(clusters, seed=2)


def test_unknown_words_are_not_part_of_the_window() -> None:
    words = MODEL.vocabulary.words[:8]
    with_unknown = [token for word in words for token in (word, "unknown")]
    rows, probabilities = assign(MODEL, words)
    more_rows, more_probabilities = assign(MODEL, with_unknown)
    assert more_rows.tolist() == [row for known in rows.tolist() for row in (known, -1)]
    assert more_probabilities[::2].tolist() == probabilities.tolist()


@given(LINES)
def test_a_line_keeps_its_words_and_its_sense_does_not_depend_on_other_lines(lines: list[str]) -> None:
    tagged, tally = TAGGER.tag_lines(lines)
    assert tagged == [TAGGER.tag(line) for line in lines]
    bare = [" ".join(word.partition("#")[0] for word in line.split(" ")) for line in tagged]
    assert bare == [" ".join(MODEL.tokenize(line)) for line in lines]
    assert tally.words == sum(len(MODEL.tokenize(line)) for line in lines)
    assert tally.tagged == sum(line.count("#") for line in tagged)
    assert (tally.unsure, tally.unknown) == (0, tally.words - tally.tagged)


def test_words_without_a_probable_sense_are_left_bare() -> None:
    words = MODEL.vocabulary.words * 3
    _, probabilities = assign(MODEL, words)
    tagged, tally = Tagger(MODEL, 0.9).tag_lines([" ".join(words)])
    assert [("#" in word) for word in tagged[0].split()] == (probabilities >= 0.9).tolist()
    assert 0 < tally.unsure < tally.words
    with pytest.raises(InputError, match=r"min_probability is 1\.5"):
        Tagger(MODEL, 1.5)


@given(st.lists(st.binary(max_size=40) | st.text("ab é\n", max_size=40).map(str.encode), max_size=8), st.data())
def test_blocks_hold_the_whole_text(pieces: list[bytes], data: st.DataObject) -> None:
    """However the stream is cut, and however small the blocks, nothing is lost and no line is broken unmarked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MAX_LINE", data.draw(st.integers(8, 60)))
        found = list(cut_blocks((piece for piece in pieces if piece), data.draw(st.integers(1, 30))))
    whole = b"".join(pieces)
    assert b"".join(found) == (whole if whole.endswith(b"\n") or not whole else whole + b"\n")
    assert all(block.endswith((b"\n", b" ", b"\t", b"\r")) for block in found)


def test_files_give_one_line_per_line_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 50)
    draw = np.random.default_rng(5)
    lines = [" ".join(f"w{i}" for i in draw.integers(0, 45, draw.integers(0, 9))) for _ in range(400)]
    (tmp_path / "a").write_text("\n".join(lines[:150]))  # without a line end: the next file starts a new line
    (tmp_path / "b").write_text("\r\n".join(lines[150:]) + "\r\n")
    parts: list[bytes] = []
    tally = tag_files(MODEL, [tmp_path / "a", tmp_path / "b"], parts.append, threads=3)
    assert b"".join(parts).decode() == "".join(line + "\n" for line in TAGGER.tag_lines(lines)[0])
    assert tally.words == sum(len(line.split()) for line in lines)


def test_a_very_long_line_stays_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "MAX_LINE", 200)
    words = [f"w{i % 40}" for i in range(500)]
    (tmp_path / "a").write_text(" ".join(words) + "\nw1\n")
    parts: list[bytes] = []
    tag_files(MODEL, [tmp_path / "a"], parts.append)
    first, second, rest = b"".join(parts).decode().split("\n")
    assert [word.partition("#")[0] for word in first.split()] == words
    assert second.startswith("w1#")
    assert rest == ""
