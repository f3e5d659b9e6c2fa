"""`adagram tag` as a user runs it."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adagram.analysis.tag import Tagger
from adagram.cli import main
from adagram.model import Model
from model_support import random_model

TEXT = "w1 w2 strange w3\n\nw4 w5\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model"
    random_model().save(path)
    return path


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "adagram", "tag", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **options)


def test_a_pipe_gets_each_line_as_soon_as_it_can(folder: Path) -> None:
    with start(folder, "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(TEXT.encode())
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(3)]  # before the end of the input
        rest, messages = process.communicate()
    assert [line.partition(b"#")[0] for line in lines] == [b"w1", b"\n", b"w4"]
    assert b"strange" in lines[0]
    assert rest == b""
    assert b"tagged 5 of 6 words" in messages
    assert process.returncode == 0


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["tag", *map(str, arguments)])
    return int(stop.value.code or 0)


def test_compressed_files_to_a_file(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    output = tmp_path / "tagged.txt"
    assert run(folder, tmp_path / "a.txt.gz", "--output", output, "--min-probability", "0.5") == 0
    assert capfd.readouterr().out == ""
    assert [len(line.split()) for line in output.read_text().split("\n")] == [4, 0, 2, 0]


def test_contexts_can_be_the_papers_or_of_another_width(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = random_model()
    config = replace(model.config, subsample=1e-3).to_dict()
    subsampled = Model(model.arrays, model.vocabulary, model.info | {"config": config})
    subsampled.save(tmp_path / "model")
    text = " ".join(model.vocabulary.words)
    (tmp_path / "text").write_text(text)
    for options in ({}, {"context_weights": "none"}, {"context_weights": "none", "window": 1}):
        given = [x for name, value in options.items() for x in (f"--{name.replace('_', '-')}", value)]
        assert run(tmp_path / "model", tmp_path / "text", *given) == 0
        expected = Tagger(subsampled.using(**options)).tag(text)
        assert capfd.readouterr().out == expected + "\n"
    assert Tagger(subsampled).tag(text) != Tagger(model).tag(text)


def test_a_damaged_file_leaves_the_old_output(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(os.urandom(500_000).hex().encode())[:-9])
    (tmp_path / "tagged.txt").write_text("old")
    assert run(folder, tmp_path / "a.txt.gz", "--output", tmp_path / "tagged.txt", "--overwrite") == 1
    messages = capfd.readouterr().err
    assert messages.count("\n") == 1
    assert "truncated" in messages
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt.gz", "tagged.txt"]
    assert (tmp_path / "tagged.txt").read_text() == "old"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_it_even_when_nobody_reads_the_output(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("w1 w2 w3 w4 w5\n" * 300_000)
    with start(folder, tmp_path / "long.txt") as process:
        assert process.stdout is not None
        process.stdout.read(10)  # now it is tagging, and the pipe fills up
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) != 0
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("w1 w2 w3 w4 w5\n" * 300_000)
    with start(folder, tmp_path / "long.txt") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.wait(timeout=60)
        assert process.stderr is not None
        assert process.stderr.read() == b""
