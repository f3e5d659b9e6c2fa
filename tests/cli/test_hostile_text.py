"""Text and streams made to hurt: one sentence, in time, and nothing that a terminal would obey."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from adagram.cli import main
from adagram.corpus.vocabulary import Vocabulary
from adagram.model import Model
from model_support import random_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    random_model().save(tmp_path / "m")
    (tmp_path / "t.txt").write_text("w1 w2 w3\n" * 20)
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    return int(stop.value.code or 0)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("t.conllu", "#" + " " * 60_000),
        ("t.conllu", "# newdoc" + " =" * 30_000),
        ("t.vert", "<doc " + "a" * 60_000 + ">"),
        ("t.vert", "<doc " + "a " * 30_000 + ">"),
        ("t.vert", "<doc a" + " " * 60_000 + ">"),
        ("t.vert", '<doc a="' + "b=' " * 15_000 + ">"),
        ("t.wiki", '<doc title="a"' + "> " * 30_000),
        ("t.txt", "w1." + " " * 60_000 + "w2"),
    ],
)
def test_long_lines_are_read_in_linear_time(
    folder: Path, capfd: pytest.CaptureFixture[str], name: str, line: str
) -> None:
    body = {
        "t.conllu": "1\tw1\tw1\tNOUN\t_\t_\t_\t_\t_\t_\n\n",
        "t.vert": "w1\tN\tw1\n",
        "t.wiki": "w1\n</doc>\n",
        "t.txt": "w1\n",
    }[name]
    options = ["--format", "wikiextractor"] if name == "t.wiki" else []
    Path(name).write_text((line + "\n" + body) * 5)
    started = time.process_time()
    assert run("concordance", "m", "w1", "--corpus", name, *options) == 0
    assert time.process_time() - started < 10
    assert capfd.readouterr().out.count("\tw1\t") >= 5


CLOSED = "adagram: standard input is closed; redirect it, or name a file\n"


def test_a_closed_standard_input_is_one_sentence(folder: Path) -> None:
    command = f"{sys.executable} -m adagram disambiguate m - <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (1, CLOSED)


@pytest.mark.parametrize("verb", ["tag m -", "likelihood m -", "train - -o new"])
def test_no_verb_reads_a_closed_standard_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], verb: str
) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it then
    assert run(*verb.split()) == 1
    assert capfd.readouterr().err == CLOSED


@pytest.mark.parametrize("name", ["rot13", "base64", "undefined", "nosuch", "a\0b"])
@pytest.mark.parametrize("verb", ["encode t.txt -o new", "tag m t.txt", "describe m t.txt"])
def test_what_is_not_an_encoding_of_text_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str], verb: str, name: str
) -> None:
    assert run(*verb.split(), "--encoding", name) == 1
    assert "it must be the name of an encoding, such as cp1252" in capfd.readouterr().err


def named(words: list[str]) -> Model:
    model = random_model()
    first = model.vocabulary
    return Model(model.arrays, Vocabulary([*words, *first.words[len(words) :]], first.counts), dict(model.info))


@pytest.mark.parametrize("options", ["", "--json"])
def test_letters_that_the_output_does_not_have_are_escaped(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    named(["日本", "café"]).save(folder / "japanese")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert run("words", "japanese", *options.split()) == 0
    out = written.getvalue().decode("ascii")
    if options:
        assert {"日本", "café"} <= {json.loads(line)["word"] for line in out.splitlines()}
    else:
        assert "\\u65e5\\u672c\t" in out
        assert "caf\\xe9\t" in out


@pytest.mark.parametrize("is_terminal", [False, True])
def test_escape_codes_of_a_vocabulary_are_shown_not_obeyed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], is_terminal: bool
) -> None:
    evil = "bank\x1b[2J\x9b31m"
    named([evil]).save(folder / "evil")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    for command in (["words", "evil"], ["senses", "evil", evil, "--all"], ["words", "evil", "--json"]):
        assert run(*command) == 0
    assert run("senses", "evil", "none\x1b[2J") == 1
    out, err = capfd.readouterr()
    assert "\\x1b[2J" in out
    assert "\\x1b[2J" in err
    assert not {"\x1b", "\x9b"} & set(err)
    assert "\x1b[2J" not in out
    assert "\x9b" not in out


def test_names_that_are_not_utf8_are_shown_and_kept_out_of_files(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, bad = os.fsdecode(b"n\xff.txt"), os.fsdecode(b"bad\xff.jsonl")
    Path(text).write_text("w1 w2 w3\n" * 20)
    Path(bad).write_text("{\n")
    assert run("encode", text, bad, "-o", "encoded", "--skip-bad", "--min-count", "1") == 0
    assert run("encode", text, "-o", os.fsdecode(b"out\xff"), "--min-count", "1", "--json") == 0
    assert run("concordance", "m", "w1", "--corpus", text, "--json") == 0
    out = capfd.readouterr().out
    assert json.loads(out.splitlines()[-1])["document"] == "n\ufffd.txt"
    assert run("encode", os.fsdecode(b"none\xff"), "-o", "new") == 1
    assert capfd.readouterr().err == "adagram: none\\udcff does not exist\n"


@pytest.mark.parametrize("verb", ["encode t.txt -o new --min-count 1", "tag m t.txt -o new", "describe m t.txt"])
def test_no_more_threads_are_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], verb: str
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    before = sorted(Path("m").iterdir())
    monkeypatch.setattr("adagram.corpus.encoder.MIN_BLOCKS", 0)  # as for a long text
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert run(*verb.split(), "--threads", "2") == 1
    assert "the system allows no more threads" in capfd.readouterr().err
    assert not Path("new").exists()
    assert sorted(Path("m").iterdir()) == before


@pytest.mark.parametrize("verb", ["describe m t.jsonl", "concordance m w1 --corpus t.jsonl"])
def test_a_date_field_that_is_not_there_is_refused(folder: Path, capfd: pytest.CaptureFixture[str], verb: str) -> None:
    Path("t.jsonl").write_text('{"text": "w1 w2 w3 w4 w5 w6", "year": 1999}\n' * 5)
    assert run(*verb.split(), "--date", "nosuch") == 1
    assert "there is no field 'nosuch'; its fields are year; name another --date" in capfd.readouterr().err
    assert not Path("m/senses.jsonl").exists()
    assert run(*verb.split(), "--date", "year") == 0
