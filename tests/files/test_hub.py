"""A model goes to the Hub and comes back; the Hub is a stand-in on loopback, the client the real one."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import adagram
from adagram.errors import InputError
from adagram.files.hub import fetch
from files.hub_stand_in import StandIn, stand_in

# Commands in one process, one after the other: each would start with a second of imports.
PROGRAM = """
import contextlib, io, json, os, sys
from adagram.cli import main
given = dict(os.environ)
for line in sys.stdin:
    folder, environment, command = json.loads(line)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(given | environment)
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(command)
        except SystemExit as stop:
            code = stop.code or 0
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""
Done = tuple[int, str, str]  # exit code, stdout, stderr
Run = Callable[..., list[Done]]


@pytest.fixture(scope="module")
def hub() -> Iterator[StandIn]:
    with stand_in() as server:
        yield server


@contextmanager
def commands_at(address: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of its own for commands: huggingface_hub reads the address when it is imported."""
    ours = {"HF_ENDPOINT": address, "HF_HOME": str(home), "HF_TOKEN": "good"}
    ours |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "NO_PROXY": "127.0.0.1"}
    program, pipe = [sys.executable, "-c", PROGRAM], subprocess.PIPE
    with subprocess.Popen(program, env=os.environ | ours, stdin=pipe, stdout=pipe, text=True) as process:
        yield process


def done_by(process: subprocess.Popen[str], folder: Path, command: list[object], environment: dict[str, str]) -> Done:
    assert process.stdin
    assert process.stdout
    print(json.dumps([str(folder), environment, [str(word) for word in command]]), file=process.stdin, flush=True)
    return tuple(json.loads(process.stdout.readline()))


@pytest.fixture(scope="module")
def process(hub: StandIn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    with commands_at(hub.address, tmp_path_factory.mktemp("hub")) as process:
        yield process


@pytest.fixture
def run(process: subprocess.Popen[str], tmp_path: Path) -> Run:
    def commands(*given: list[object], **environment: str) -> list[Done]:
        return [done_by(process, tmp_path, command, environment) for command in given]

    return commands


def test_a_model_comes_back_as_it_was_sent(hub: StandIn, run: Run, planted_folder: Path) -> None:
    sent, here, there = run(
        ["push", planted_folder, "me/senses", "--private", "--json"],
        ["senses", planted_folder, "planted"],
        ["senses", "hf:me/senses", "planted"],
    )
    assert sent[0] == 0, sent[2]
    assert json.loads(sent[1])["model"] == "hf:me/senses"
    assert "hf:me/senses" in sent[2]
    assert hub.private == {"me/senses"}
    files = hub.repositories["me/senses"]
    assert files == {path.name: path.read_bytes() for path in planted_folder.iterdir()}
    assert files["README.md"].startswith(b"---\nlibrary_name: adagram\ntags: [")
    assert there[0] == 0, there[2]
    assert there[1] == here[1] != ""


def test_what_goes_wrong_is_one_sentence(run: Run, planted_folder: Path, tmp_path: Path) -> None:
    nothing, no_model = run(["senses", "hf:me/nothing", "word"], ["push", planted_folder.parent, "me/other"])
    (bad_token,) = run(["push", planted_folder, "me/other"], HF_TOKEN="bad")
    with commands_at("http://127.0.0.1:9", tmp_path / "home") as process:
        no_hub = done_by(process, tmp_path, ["info", "hf:me/else"], {})
    for (code, _, err), words in [
        (nothing, "the Hub has no model me/nothing"),
        (no_model, "config.json"),
        (bad_token, "hf auth login"),
        (no_hub, "cannot be reached"),
    ]:
        assert code == 1
        assert words in err


@pytest.mark.parametrize("name", ["hf:", "hf:one", "hf:a/b/c", "hf:a/b@", "hf:../x y"])
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="OWNER/NAME"):
        fetch(name)


def test_a_model_on_the_hub_is_read_only(run: Run, planted_folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.jsonl"
    text = " ".join(adagram.load(planted_folder).vocabulary.words[:10] * 5)
    corpus.write_text("".join(json.dumps({"text": text, "year": year}) + "\n" for year in range(1990, 1996)))
    pushed, label, trends, checked = run(
        ["push", planted_folder, "me/fixed"],
        ["label", "hf:me/fixed", "planted#0", "x"],
        ["trends", "hf:me/fixed", corpus, "--by", "year", "--min-count", "1"],
        ["check", "hf:me/fixed"],
    )
    assert pushed[0] == 0, pushed[2]
    assert label[0] == 1
    assert "adagram: hf:me/fixed is read-only" in label[2]
    assert trends[0] == 0, trends[2]
    assert "hf:me/fixed is read-only" in trends[2]
    assert trends[1].startswith("word\tsense")
    assert not (tmp_path / "hf:me").exists()
    assert checked[0] == 0


def test_a_packed_model_is_sent_as_its_folder(hub: StandIn, run: Run, planted_folder: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "m"), "zip", planted_folder)
    (sent,) = run(["push", packed, "me/packed"], XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert sent[0] == 0, sent[2]
    files = hub.repositories["me/packed"]
    assert files == {path.name: path.read_bytes() for path in planted_folder.iterdir()}
