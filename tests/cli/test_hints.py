"""What a newcomer tries and is not there is answered with what to do instead."""

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import adagram
from adagram.cli import main
from adagram.errors import InputError, MissingExtraError
from adagram.model import Model
from adagram.model import display as frame


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    assert stop.value.code == 1
    return capsys.readouterr().err


def done(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    assert stop.value.code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "corpus.txt", "--output", "model", "--subsampel", "3"], "--subsample"),
        (["trian", "corpus.txt"], "Did you mean 'train'?"),
    ],
)
def test_a_misspelled_name_is_answered_with_the_right_one(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err


def test_options_of_reading_are_refused_where_all_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("money bank river bank\n" * 50)
    encoded, model = str(tmp_path / "encoded"), str(tmp_path / "model")
    done("encode", str(tmp_path / "text.txt"), "--output", encoded, "--min-count", "1")
    sentence = said(capsys, "train", encoded, "--output", model, "--min-count", "10")
    assert "min_count is 10, but" in sentence
    assert "adagram encode" in sentence
    assert not Path(model).exists()
    with pytest.raises(InputError, match="lemmas is 'en', but"):
        adagram.train(encoded, lemmas="en")
    assert len(adagram.train(encoded, dim=4, threads=1)) == 3


def test_workers_without_ray_are_refused() -> None:
    with pytest.raises(InputError, match=r"workers is 4, .*threads=4"):
        adagram.train([["a", "b"]], workers=4)


def test_only_settings_that_are_used_are_listed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sentences = [["money", "bank"], ["river", "bank"]] * 50
    folder = tmp_path / "model"
    adagram.train(sentences, folder, algorithm="skipgram-ns", dim=4, min_count=1, threads=1)
    done("info", str(folder))
    listed = {line.split("\t")[0] for line in capsys.readouterr().out.splitlines()}
    assert {"negatives", "training_objective"} <= listed
    assert not {"alpha", "max_senses", "fixed_senses", "adagrad", "training_bound"} & listed
    for name in ("config.json", "training.jsonl"):
        text = (folder / name).read_text(encoding="utf-8")
        assert '"objective": ' in text
        assert '"bound"' not in text, "with negative sampling there is none"
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| negatives | 5 |" in card
    assert "alpha" not in card


def test_lines_of_a_stream_are_found_as_words_are(
    capsys: pytest.CaptureFixture[str], planted_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = io.BytesIO(b"Planted\ttopic0x1 topic0x2\nplanted#0\ttopic0x1\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(lines))
    done("disambiguate", str(planted_folder), "-")
    known, unknown = capsys.readouterr().out.splitlines()[1:]
    assert known.startswith("Planted\tplanted#")
    assert unknown == "planted#0\t\t0"


@pytest.mark.slow
def test_a_line_typed_on_a_terminal_is_answered_at_once(planted_folder: Path) -> None:
    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "adagram", "disambiguate", str(planted_folder), "-"]
    with subprocess.Popen(program, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        os.write(ours, b"planted\ttopic0x1\n")
        answers = [running.stdout.readline() for _ in range(2)]  # the input has not ended
        assert answers[1].startswith(b"planted\tplanted#")
        running.kill()
    os.close(ours)
    os.close(theirs)


def test_a_table_without_pandas_names_the_extra(planted_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, extra: str, purpose: str) -> None:
        raise MissingExtraError(f'{purpose} needs {module}. Run: pip install "adagram[{extra}]"')

    monkeypatch.setattr(frame, "need", missing)
    with pytest.raises(MissingExtraError, match=r"adagram\[pandas\]"):
        planted_model.frame()
