"""What `adagram diff` says of a model that went on."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.cli import main
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.diff import difference
from continue_support import sentences
from tests_support import feed


@pytest.fixture(scope="module")
def line(tmp_path_factory) -> tuple[Model, Model]:
    """'planted' is about topic 0, then about topic 1; topic 2 is new."""
    folder = tmp_path_factory.mktemp("line")
    options = {
        "dim": 8,
        "threads": 1,
        "min_count": 1,
        "lr": 0.05,
        "epochs": 3,
        "subsample": 0.0,
        "merge_senses": False,
        "window": 5,
    }
    old = adagram.train(sentences({0: "planted", 1: "other"}, 2000, 0), folder / "old", **options)
    text = sentences({1: "planted", 2: "other"}, 2000, 1)
    return old, adagram.train(text, folder / "new", start=old, threads=1, min_count=1)


def test_words_that_came_are_those_that_were_not_there(line: tuple[Model, Model]) -> None:
    came = difference(*line, ["came"], top=100)
    assert sorted(change.name for change in came) == sorted(f"topic2x{i}" for i in range(12))
    assert [change.size for change in came] == sorted((change.size for change in came), reverse=True)


def test_a_sense_that_was_born_is_found_with_its_neighbours(line: tuple[Model, Model]) -> None:
    born = {change.name: change for change in difference(*line, ["born"], top=100)}
    (name,) = (name for name in born if name.startswith("planted#"))
    assert name not in line[0]
    assert not born[name].before
    assert sum(near.name.startswith("topic1") for near in born[name].after) >= 5


def test_a_sense_out_of_use_faded(line: tuple[Model, Model]) -> None:
    faded = {change.name: change.size for change in difference(*line, ["faded"], top=100)}
    assert faded["planted#0"] > 0.2


def test_moved_is_one_minus_the_cosine(line: tuple[Model, Model]) -> None:
    old, new = line
    for change in difference(old, new, ["moved"], top=5):
        a, b = old[change.name], new[change.name]
        assert change.size == pytest.approx(1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5)
        assert change.before
        assert change.after


def test_a_model_does_not_differ_from_itself(line: tuple[Model, Model], capsys: pytest.CaptureFixture[str]) -> None:
    for model in line:
        assert difference(model, model, top=10_000, min_count=0) == []
    with pytest.raises(SystemExit):
        main(["diff", str(line[1].folder), str(line[1].folder)])
    assert capsys.readouterr().out.splitlines() == ["change\tname\tsize\tbefore\tafter"]


def test_models_trained_apart_cannot_be_compared(line: tuple[Model, Model]) -> None:
    with pytest.raises(InputError, match="did not go on from"):
        difference(line[1], line[0])
    with pytest.raises(InputError, match="'risen' is not a kind of change"):
        difference(*line, ["risen"])


def test_the_command_prints_json(line: tuple[Model, Model], capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(Path(str(model.folder))) for model in line]
    with pytest.raises(SystemExit) as done:
        main(["diff", *folders, "--json", "--top", "3"])
    assert not done.value.code
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert {row["change"] for row in rows} == {"came", "born", "faded", "moved"}
    assert all(row["after"][0]["similarity"] <= 1.0 for row in rows)


def test_the_command_line_goes_on_from_standard_input(
    line: tuple[Model, Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "\n".join(" ".join(words) for words in sentences({1: "planted", 5: "other"}, 100, 4))
    models = [Path(str(line[1].folder)), tmp_path / "a", tmp_path / "b"]
    for start, output in pairwise(models):
        feed(monkeypatch, text.encode())
        command = ["train", "-", "--continue", str(start), "--output", str(output)]
        with pytest.raises(SystemExit) as done:
            main([*command, "--min-count", "1", "--threads", "1"])
        told = capsys.readouterr().err
        assert not done.value.code, told
    assert "has learned this text already" in told
    first, second = (adagram.load(folder) for folder in models[1:])
    assert "topic5x3" in first.vocabulary
    assert second.vocabulary.words == first.vocabulary.words
