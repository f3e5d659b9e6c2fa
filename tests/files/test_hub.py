"""A model goes to the Hub and comes back; the Hub is a stand-in on loopback, the client the real one."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import adagram
from adagram.errors import InputError
from adagram.files.hub import fetch
from files.hub_stand_in import StandIn, stand_in

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def hub() -> Iterator[StandIn]:
    with stand_in() as server:
        yield server


@pytest.fixture
def run(hub: StandIn, tmp_path: Path) -> Run:
    """The command line in a process of its own: huggingface_hub reads its environment when it is imported."""
    ours = {"HF_ENDPOINT": hub.address, "HF_HOME": str(tmp_path / "hub"), "HF_TOKEN": "good"}
    ours |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "NO_PROXY": "127.0.0.1"}

    def command(*arguments: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "adagram", *arguments]
        env = {**os.environ, **ours, **more}
        return subprocess.run(program, env=env, cwd=cwd, capture_output=True, text=True)

    return command


def test_a_model_comes_back_as_it_was_sent(hub: StandIn, run: Run, planted_folder: Path) -> None:
    sent = run("push", str(planted_folder), "me/senses", "--private", "--json")
    assert sent.returncode == 0, sent.stderr
    assert json.loads(sent.stdout)["model"] == "hf:me/senses"
    assert "hf:me/senses" in sent.stderr
    assert hub.private == {"me/senses"}
    files = hub.repositories["me/senses"]
    assert files == {path.name: path.read_bytes() for path in planted_folder.iterdir()}
    assert files["README.md"].startswith(b"---\nlibrary_name: adagram\ntags: [")
    here, there = (run("senses", name, "planted") for name in (str(planted_folder), "hf:me/senses"))
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout != ""


def test_what_goes_wrong_is_one_sentence(hub: StandIn, run: Run, planted_folder: Path) -> None:
    cases = [
        (run("senses", "hf:me/nothing", "word"), "the Hub has no model me/nothing"),
        (run("push", str(planted_folder), "me/other", HF_TOKEN="bad"), "hf auth login"),
        (run("info", "hf:me/else", HF_ENDPOINT="http://127.0.0.1:9"), "cannot be reached"),
        (run("push", str(planted_folder.parent), "me/other"), "config.json"),
    ]
    for done, words in cases:
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["hf:", "hf:one", "hf:a/b/c", "hf:a/b@", "hf:../x y"])
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="OWNER/NAME"):
        fetch(name)


def test_a_model_on_the_hub_is_read_only(
    hub: StandIn, run: Run, planted_folder: Path, tmp_path: Path
) -> None:
    assert run("push", str(planted_folder), "me/fixed").returncode == 0
    done = run("label", "hf:me/fixed", "planted#0", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert "adagram: hf:me/fixed is read-only" in done.stderr
    corpus = tmp_path / "c.jsonl"
    text = " ".join(adagram.load(planted_folder).vocabulary.words[:10])
    corpus.write_text("".join(json.dumps({"text": text, "year": year}) + "\n" for year in range(1990, 1996)))
    shown = run("trends", "hf:me/fixed", str(corpus), "--by", "year", "--min-count", "1", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "hf:me/fixed is read-only" in shown.stderr
    assert shown.stdout.startswith("word\tsense")
    assert not (tmp_path / "hf:me").exists()
    assert run("check", "hf:me/fixed").returncode == 0


def test_a_packed_model_is_sent_as_its_folder(
    hub: StandIn, run: Run, planted_folder: Path, tmp_path: Path
) -> None:
    packed = shutil.make_archive(str(tmp_path / "m"), "zip", planted_folder)
    sent = run("push", packed, "me/packed", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert sent.returncode == 0, sent.stderr
    files = hub.repositories["me/packed"]
    assert files == {path.name: path.read_bytes() for path in planted_folder.iterdir()}
