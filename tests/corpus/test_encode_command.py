"""adagram encode, as typed."""

import json
from pathlib import Path

import pytest

from adagram.cli import main
from adagram.corpus.encoded import EncodedCorpus


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["encode", *map(str, arguments)])
    output = capsys.readouterr()
    return int(stopped.value.code or 0), output.out, output.err


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("The cat sat. The CAT ran!\nIn 1984 the dog slept.\n", encoding="utf-8")
    return path


def test_the_report_is_printed(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, text, "--output", tmp_path / "out", "--min-count", 2)
    rows = dict(line.split("\t") for line in out.splitlines())
    assert (code, err) == (0, "")
    assert rows["tokens read"] == "11"
    assert rows["types kept"] == "2"
    assert rows["removed by min_count"] == "6 types, 6 tokens"
    assert EncodedCorpus.open(tmp_path / "out").vocabulary.words == ["the", "cat"]


def test_json(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, text, "-o", tmp_path / "out", "--min-count", 1, "--json")
    report = json.loads(out)
    assert (report["tokens"], report["kept_types"], report["coverage"]) == (11, 8, 1.0)


def test_options_reach_the_encoder(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stop = tmp_path / "stop.txt"
    stop.write_text("cat\nsat\n", encoding="utf-8")
    options = [
        "--no-numbers",
        "--keep-case",
        "--stop-words",
        stop,
        "--pattern",
        "[A-Za-z]{3,}",
        "--max-words",
        4,
    ]
    code, *_ = run(capsys, text, "-o", tmp_path / "out", "--min-count", 1, "--remove-top", 1, *options)
    assert code == 0
    assert EncodedCorpus.open(tmp_path / "out").vocabulary.words == ["CAT", "dog", "ran", "slept"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.txt"], "adagram: nowhere.txt does not exist\n"),
        (
            ["text.txt"],
            "adagram: no word occurs min_count = 5 times: the most frequent, 'the', occurs 3 times; ",
        ),
        (["text.txt", "--format", "word"], "adagram: format is 'word'; it must be one of text, "),
        (
            ["text.txt", "--stop-words", "none.txt"],
            "adagram: stop_words is 'none.txt' (No such file or directory); it must be ",
        ),
    ],
)
def test_one_sentence_and_nothing_written(
    arguments: list[str],
    sentence: str,
    text: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(text.parent)
    code, out, err = run(capsys, *arguments, "-o", "out")
    assert (code, out) == (1, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    assert [path.name for path in text.parent.iterdir()] == ["text.txt"]


def test_bad_sources_are_said_on_stderr(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    code, out, err = run(capsys, text, empty, "-o", tmp_path / "out", "--min-count", 1, "--skip-bad")
    assert code == 0
    assert "bad sources\t1" in out
    assert err.startswith(f"adagram: skipped the rest of {empty}: ")
