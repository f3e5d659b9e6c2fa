"""`adagram serve` as a user runs it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from web_support import hand_made

from adagram.api import load
from adagram.cli import main
from adagram.cli.serve import _texts
from adagram.errors import InputError
from adagram.web.app import address, is_local, open_socket
from adagram.web.explorer import Explorer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "model"
    hand_made(["one", "two", "three"], senses=2).save(folder)
    return folder


@pytest.mark.parametrize("stop", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_it_serves_until_it_is_stopped(folder: Path, stop: signal.Signals) -> None:
    """With --json the address is a line of JSON, and all of the output."""
    command = [sys.executable, "-m", "adagram", "serve", str(folder), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = json.loads(process.stdout.readline())
        assert b"adagram" in urllib.request.urlopen(found["address"], timeout=60).read()
        process.send_signal(stop)
        rest, said = process.communicate(timeout=10)
    finally:
        process.kill()
    assert rest == ""
    assert "Traceback" not in said
    if stop == signal.SIGINT:
        assert process.returncode == 0
        assert said.endswith("(stop with Ctrl-C)\nadagram: stopped\n")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Standard error of a command that must fail in one line."""
    with pytest.raises(SystemExit) as stop:
        main(["serve", *arguments])
    out, err = capsys.readouterr()
    assert stop.value.code == 1
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_a_port_in_use_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        sentence = refused(capsys, str(folder), "--port", str(port))
    assert sentence.startswith(f"adagram: cannot listen on 127.0.0.1 port {port}: Address already in use; choose")


def test_bad_inputs_are_one_sentence(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not a model" in refused(capsys, str(tmp_path))
    assert "has no text files" in refused(capsys, str(folder), "--corpus", str(tmp_path), "--port", "0")
    (tmp_path / "dated.jsonl").write_text('{"text": "one two", "year": 1999}\n')
    for option in ("--date", "--source"):
        arguments = ("--corpus", str(tmp_path / "dated.jsonl"), option, "yeer", "--port", "0")
        sentence = refused(capsys, str(folder), *arguments)
        assert "there is no field 'yeer'" in sentence
        assert f"name another {option}" in sentence


def test_the_lines_of_a_text_have_dates_and_sources(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "dated.jsonl").write_text(
        '{"text": "two one three", "year": 1999, "who": "A"}\n{"text": "one", "year": 2001, "who": "B"}\n'
    )
    texts = _texts(load(folder), [str(tmp_path / "dated.jsonl")], "year", "who")
    explorer = Explorer(load(folder), texts)
    found = [(line["date"], line["source"]) for line in explorer.lines("one", sort="date")]
    assert found == [("1999", "A"), ("2001", "B")]
    assert [line["left"] for line in explorer.lines("one", year="1999")] == ["two "]
    assert explorer.lines("one", source="C") == []
    assert explorer.info()["years"] == ["1999", "2001"]


def test_editing_is_for_this_machine_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = refused(capsys, str(folder), "--edit", "--host", "0.0.0.0", "--port", "0")
    assert sentence.startswith("adagram: --edit works on this machine only, not on 0.0.0.0")
    assert "leave one of them out" in refused(capsys, str(folder), "--edit", "--raw")


def test_an_unknown_host_is_a_sentence() -> None:
    with pytest.raises(InputError, match="--host"):
        open_socket("no.such.host.invalid", 0)
    with pytest.raises(InputError, match="--host"):
        open_socket("x" * 300, 0)


def test_only_this_machine_unless_told_otherwise() -> None:
    with open_socket("127.0.0.1", 0) as local, open_socket("0.0.0.0", 0) as everyone:
        assert is_local(local)
        assert not is_local(everyone)
        assert address(local).startswith("http://127.0.0.1:")
