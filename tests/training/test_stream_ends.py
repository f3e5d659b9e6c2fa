"""How a stream ends: by Ctrl-C, by a failure, by what cannot be learned; and how a run is resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import adagram
from adagram.cli.check import examine
from adagram.errors import InputError
from adagram.model import Model
from adagram.training.checkpoint import Saving, checkpoint_folder, has_checkpoint
from adagram.training.continue_model import PreviousModel
from adagram.training.progress import Progress
from adagram.training.stream import train_stream
from continue_support import FIRST, OPTIONS, SECOND, files
from streaming_support import BLOCK, CHUNKS, Stdin, long_streamed, same, streamed, text_of
from tests_support import FINE, stopping

EVERY_BLOCK = 1e-9  # minutes between checkpoints


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Model:
    return adagram.train(FIRST, tmp_path_factory.mktemp("old") / "model", **OPTIONS)


def test_ctrl_c_ends_the_stream_with_a_whole_model(old: Model, tmp_path) -> None:
    def endless() -> Iterator[list[str]]:
        while True:
            yield from SECOND

    model = long_streamed(endless(), old, Saving(tmp_path / "new"), report=stopping(at=2))
    words = model.info["training"]["words"]
    assert words >= 200_000
    assert words == sum(text["tokens"] for text in model.info["seen"][1:]) + sum(model._continuation.unknown.values())
    assert not has_checkpoint(tmp_path / "new")
    assert adagram.load(tmp_path / "new").info["seen"][0] == old.info["seen"][0]


def test_a_second_ctrl_c_leaves_the_last_block_out(old: Model, tmp_path) -> None:
    def twice() -> Iterator[list[str]]:
        yield from SECOND * 20
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    model = long_streamed(twice(), old, Saving(tmp_path / "new"))
    assert model.info["training"]["words"] == 200_000, "two blocks of three"


def test_a_block_that_is_left_out_leaves_no_trace(old: Model) -> None:
    """Ctrl-C twice while the second block is trained."""

    def impatient(progress: Progress) -> None:
        if progress.words > BLOCK:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    often = replace(FINE, block=BLOCK)
    model = streamed(iter(SECOND), old, report=impatient, chunks=often)
    first = streamed(iter(SECOND[: BLOCK // 10]), old, chunks=often)
    same(model, first)
    assert model.info["seen"] == first.info["seen"]


def test_a_broken_stream_leaves_a_checkpoint(old: Model, tmp_path, monkeypatch) -> None:
    old.save(tmp_path / "old")
    before, data = files(tmp_path / "old"), text_of(SECOND * 20)
    at = len(data) * 3 // 4
    monkeypatch.setattr(sys, "stdin", Stdin(data[:at] + b"\xff\xfe" + data[at:], 100_000))
    with pytest.raises(InputError, match="stdin is not UTF-8"):
        long_streamed("-", tmp_path / "old", Saving(tmp_path / "new", EVERY_BLOCK))
    assert files(tmp_path / "old") == before
    assert not (tmp_path / "new").exists()
    assert adagram.load(checkpoint_folder(tmp_path / "new")).info["training"]["words"] == 200_000


def stopped(old: Model, output: Path) -> Model:
    """A run that failed after its first block."""

    def broken() -> Iterator[list[str]]:
        yield from SECOND * 20
        raise InputError("the line is cut")

    with pytest.raises(InputError, match="the line is cut"):
        long_streamed(broken(), old, Saving(output, EVERY_BLOCK))
    return adagram.load(checkpoint_folder(output))


def test_a_stream_is_not_resumed_but_its_checkpoint_continued(old: Model, tmp_path) -> None:
    kept = stopped(old, tmp_path / "new")
    with pytest.raises(InputError, match=r"cannot be resumed; the checkpoint .*new\.checkpoint is a model"):
        long_streamed(iter(SECOND), old, Saving(tmp_path / "new", resume=True))
    assert adagram.load(checkpoint_folder(tmp_path / "new")).n_senses == kept.n_senses


def test_the_checkpoint_of_a_stream_is_not_called_damaged(old: Model, tmp_path) -> None:
    """It goes on from its model and needs no other state."""
    kept = stopped(old, tmp_path / "new")
    assert kept.folder
    assert [found for found in examine(kept.folder) if found.damage] == []
    (kept.folder / "vocab.txt").write_text("other\t1\n")
    assert [found for found in examine(kept.folder) if found.damage] != []


def test_a_checkpoint_can_be_continued_as_a_model(old: Model, tmp_path) -> None:
    kept = stopped(old, tmp_path / "new")
    assert kept.folder
    model = streamed(iter(SECOND), kept.folder)
    assert set(kept.names(slice(0, kept.n_senses))) <= set(model.names(slice(0, model.n_senses)))


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "stdin is empty"),
    "blank": (b"\n\n", "the stream has no words"),
    "unknown": (b"no such words " * 99, "none of the 3 words of the text is known"),
    "one word": (b"planted", "met no word with a context"),
    "encoding": (b"topic1x1 \xff\xfe topic1x2", "stdin is not UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_learned_is_one_sentence_and_the_old_model_stays(
    old: Model, tmp_path, monkeypatch, case: str
) -> None:
    data, message = BAD[case]
    old.save(tmp_path / "old")
    before = files(tmp_path / "old")
    monkeypatch.setattr(sys, "stdin", Stdin(data, 1000))
    with pytest.raises(InputError, match=message):
        adagram.train("-", tmp_path / "old", start=tmp_path / "old", overwrite=True, min_count=1)
    assert files(tmp_path / "old") == before
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["old"]


def test_a_block_without_known_words_is_left_out(old: Model) -> None:
    strange = [["no", "such", "words", "are", "known"]] * BLOCK
    said: list[str] = []
    beginning = PreviousModel(old, said.append)
    config, encoding = beginning.options({"threads": 1, "min_count": 1})
    text = iter([*SECOND[:500], *strange[:1000], *SECOND[500:]])
    model = train_stream(text, config, encoding, Saving(), lambda progress: None, beginning, CHUNKS)
    assert "such" not in model.vocabulary
    assert said == [
        "5,000 words of the stream are left out: none of the 5 words of the text is known to the model, so it cannot "
        "go on with it; is it in the same language, and cut into words in the same way?"
    ]
    assert model.info["corpus"]["tokens"] == 10 * len(SECOND)


@pytest.mark.slow
def test_the_command_learns_from_an_open_pipe_until_ctrl_c(old: Model, tmp_path) -> None:
    command = [sys.executable, "-m", "adagram", "train", "-", "--continue", str(old.folder), "--epochs", "1"]
    command += ["--output", str(tmp_path / "new"), "--threads", "1", "--checkpoint-minutes", "0.0001", "--json"]
    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdin
    n = 110 * len(SECOND)
    run.stdin.write(text_of(SECOND * 110))
    run.stdin.flush()
    for _ in range(3000):
        if (checkpoint_folder(tmp_path / "new") / "trainer.json").exists():
            break
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    else:
        raise AssertionError("a million words were not learned while the pipe was open")
    os.kill(run.pid, signal.SIGINT)
    run.wait(60)  # the pipe is still open
    told, said = run.communicate()
    assert run.returncode == 0, said
    assert b"the stream ends here: its last" in said
    assert 1_000_000 < json.loads(told)["training_words"] <= 10 * n
    words = adagram.load(tmp_path / "new").vocabulary.words
    assert words[: len(old.vocabulary)] == old.vocabulary.words
