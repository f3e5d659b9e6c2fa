"""`adagram wwsi` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adagram import cli
from tests_support import tomllib

OPTIONS = ["--min-count", "6", "--min-contexts", "2", "--window", "2", "--threads", "1"]


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as stop:
        cli.main(["wwsi", *map(str, arguments)])
    return int(stop.value.code or 0)


def test_table_on_stdout_and_messages_on_stderr(
    small: Path, tmp_path: Path, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "set.tsv"
    assert run(small, "--output", output, *OPTIONS) == 0
    assert output.read_text(encoding="utf-8") == expected
    out, err = capsys.readouterr()
    header, whole, train, test = out.splitlines()
    assert header.split("\t") == ["file", "words", "senses", "contexts", "shared_words"]
    assert whole.split("\t") == [str(output), "3", "9", "22", "1"]
    assert train.split("\t")[:4] == [str(tmp_path / "set.train.tsv"), "2", "5", "11"]
    assert test.split("\t")[:4] == [str(tmp_path / "set.test.tsv"), "1", "4", "11"]
    assert "set.report.md" in err


def test_json_lines_and_a_report_elsewhere(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "why.md"
    assert run(small, "--output", tmp_path / "a.tsv", "--report", report, "--json", *OPTIONS) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["contexts"] for row in rows] == [22, 11, 11]
    assert report.read_text(encoding="utf-8").startswith("# WWSI data set")
    assert not (tmp_path / "a.report.md").exists()


def test_print_config_is_toml(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--print-config") == 0
    assert tomllib.loads(capsys.readouterr().out)["min_count"] == 5000


def test_an_empty_result_says_where_to_look(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(small, "--output", tmp_path / "a.tsv", "--threads", "1") == 0
    assert "No word passed every filter" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give a dump to read"),
        (["-"], "cannot come from stdin"),
        (["absent.xml"], "absent.xml is not a file"),
        (["SMALL", "--window", "0"], "window must be at least 1, not 0"),
        (["SMALL", "--output", "nowhere/a.tsv"], "nowhere does not exist"),
        (["SMALL", "--config", "absent.toml"], "absent.toml cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(
    arguments: list[str],
    sentence: str,
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*(str(small) if argument == "SMALL" else argument for argument in arguments)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("adagram: ")
    assert err.count("\n") == 1
    assert sentence in err
    assert not list(tmp_path.iterdir())


def test_output_that_cannot_be_moved_into_place_leaves_nothing(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.tsv").mkdir()
    assert run(small, "--output", tmp_path / "a.tsv", *OPTIONS) == 1
    assert "a.tsv" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.tsv"]
