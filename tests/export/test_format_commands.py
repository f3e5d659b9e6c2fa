"""`adagram export` and `adagram import` as a user runs them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import adagram
from adagram.cli import main
from adagram.cli.export import ExportFormat, ImportFormat
from adagram.export import EXPORTS, IMPORTS
from model_support import random_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model"
    random_model().save(path)
    return path


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments)])
    return int(stop.value.code or 0)


def test_the_command_line_offers_every_format() -> None:
    assert get_args(ExportFormat) == EXPORTS
    assert get_args(ImportFormat) == IMPORTS


def test_a_model_comes_back_from_every_format_that_is_read(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original = adagram.load(folder)
    for format in ("julia", "word2vec", "word2vec-bin"):
        assert run("export", folder, "--format", format, "--output", tmp_path / format) == 0
        assert f"wrote {original.n_senses} senses of 40 words" in capsys.readouterr().err
        source = format.removesuffix("-bin")
        model = tmp_path / f"{format}.model"
        assert run("import", tmp_path / format, "--format", source, "--output", model, "--window", "3") == 0
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "imported" in captured.err
        found = adagram.load(model)
        assert found.vocabulary.words == original.vocabulary.words
        assert found.config.window == 3


def test_the_discount_of_a_julia_model_is_mentioned(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("export", folder, "--format", "julia", "--output", tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(data.replace(b"\n0.1 0.0\n", b"\n0.1 0.2\n", 1))
    assert run("import", tmp_path / "m", "--format", "julia", "--output", tmp_path / "model") == 0
    assert "d = 0.2 is not used" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--format", "julia"], "not a model of AdaGram.jl"),
        (["--format", "word2vec"], "not a word2vec file"),
        (["--format", "word2vec", "--min-prior", "0.1"], "--min-prior is for the format julia"),
    ],
)
def test_a_refused_file_leaves_nothing(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("dear diary\n")
    assert run("import", tmp_path / "file", "--output", tmp_path / "model", *arguments) == 1
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
