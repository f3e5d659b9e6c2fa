"""A run that was stopped goes on as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.cli import main
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.training import merge_senses as moves
from adagram.training.checkpoint import Checkpoint, Saving, checkpoint_folder, has_checkpoint
from adagram.training.progress import Interrupted
from adagram.training.run import train_encoded
from tests_support import FINE, planted, stopping, train_in_memory

ONE_THREAD = TrainConfig.from_preset("paper", dim=8, threads=1)


@pytest.fixture
def text(tmp_path) -> Path:
    corpus = planted(3, n_sentences=12_000)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(" ".join(words[i : i + 10]) for i in range(0, len(words), 10)), encoding="utf-8")
    return path


def command(text: Path, output: Path, *more: str) -> list[str]:
    text_options = ["--min-count", "1", "--pretokenized", "--subsample", "0.01"]
    options = ["--dim", "16", "--threads", "1", "--epochs", "4", *text_options]
    return [sys.executable, "-m", "adagram", "train", str(text), "--output", str(output), *options, *more]


def run_here(command: list[str]) -> None:
    """Run a command in this process, where the compiler and the kernels are loaded."""
    with pytest.raises(SystemExit) as done:
        main(command[3:])
    assert not done.value.code


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1500):
        if path.exists():
            return
        assert process.poll() is None, "the run ended before it wrote a checkpoint"
        time.sleep(0.02)
    raise AssertionError(f"{path} never appeared")


def same(a: Path, b: Path) -> bool:
    one, other = adagram.load(a), adagram.load(b)
    return all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)


@pytest.mark.parametrize(
    ("how", "order"),
    [
        (signal.SIGKILL, "--no-shuffle"),
        pytest.param(signal.SIGKILL, "--shuffle", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, "--no-shuffle", marks=pytest.mark.slow),
    ],
)
def test_killed_and_resumed_equals_uninterrupted(text, tmp_path, how, order):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run_here(command(text, whole, order))
    process = subprocess.Popen(
        command(text, broken, order, "--checkpoint-minutes", "0.001"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    wait_for(checkpoint_folder(broken) / "trainer.json", process)
    os.kill(process.pid, how)
    _, messages = process.communicate(timeout=60)
    if how != signal.SIGKILL:
        assert process.returncode == 130
        assert b"--resume" in messages
        assert b"Traceback" not in messages
    assert not broken.exists(), "nothing that looks finished"
    run_here(command(text, broken, order, "--resume"))
    assert same(whole, broken)
    left = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("."))
    assert left == ["broken", "corpus.txt", "whole"], "checkpoint and encoded corpus are gone"


@contextmanager
def handled(number: signal.Signals, by: signal.Handlers) -> Iterator[None]:
    """As a run finds it that was started in a terminal, or under nohup."""
    old = signal.signal(number, by)
    try:
        yield
    finally:
        signal.signal(number, old)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_checkpoint_is_a_model_to_look_at(tmp_path, how):
    corpus, output = planted(2, n_sentences=2000), tmp_path / "m"
    with handled(how, signal.SIG_DFL), pytest.raises(Interrupted):
        train_encoded(corpus, ONE_THREAD, Saving(output), stopping(at=6, how=how), FINE)
    model = adagram.load(checkpoint_folder(output))
    assert model.senses("planted", top=2)
    assert 0 < model.info["training"]["words"] < len(corpus.tokens)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_senses_are_merged_loses_nothing(tmp_path, monkeypatch, how):
    """All of the text is trained then; resuming only merges and saves."""
    corpus, config = planted(3, n_sentences=2000), replace(ONE_THREAD, alpha=1.0, merge_senses=True)
    whole = train_encoded(corpus, config, Saving(tmp_path / "whole"), lambda progress: None, FINE)
    find = moves.near_pairs

    def interrupted(*arguments):
        signal.raise_signal(how)
        return find(*arguments)

    monkeypatch.setattr(moves, "near_pairs", interrupted)
    with handled(how, signal.SIG_DFL), pytest.raises(Interrupted):
        train_encoded(corpus, config, Saving(tmp_path / "broken"), lambda progress: None, FINE)
    assert not (tmp_path / "broken").exists()
    monkeypatch.setattr(moves, "near_pairs", find)
    heard = []
    resumed = train_encoded(corpus, config, Saving(tmp_path / "broken", resume=True), heard.append, FINE)
    assert not heard, "nothing is trained again"
    assert all(np.array_equal(resumed.arrays[name], whole.arrays[name]) for name in whole.arrays)
    assert not has_checkpoint(tmp_path / "broken")


def test_under_nohup_a_closed_terminal_stops_nothing(tmp_path):
    corpus = planted(2, n_sentences=500)
    with handled(signal.SIGHUP, signal.SIG_IGN):
        train_encoded(corpus, ONE_THREAD, Saving(tmp_path / "m"), stopping(at=2, how=signal.SIGHUP), FINE)
    assert adagram.load(tmp_path / "m").info["training"]["words"] == len(corpus.tokens)


def test_checkpoints_are_written_when_they_are_due(tmp_path):
    corpus = planted(2, n_sentences=2000)
    found: dict[float, list[bool]] = {}
    for minutes in (1e-9, 60.0, 0.0):
        output, there = tmp_path / f"m{minutes}", found.setdefault(minutes, [])
        train_encoded(
            corpus,
            ONE_THREAD,
            Saving(output, minutes),
            lambda progress, output=output, there=there: there.append(has_checkpoint(output)),
            FINE,
        )
        assert not checkpoint_folder(output).exists(), "the finished model takes over"
    assert not any(found[60.0] + found[0.0])
    assert not found[1e-9][0]
    assert all(found[1e-9][1:])


def test_resume_refuses_another_corpus_other_options_or_nothing(tmp_path):
    corpus, output = planted(2, n_sentences=2000), tmp_path / "m"
    with pytest.raises(InputError, match="no checkpoint"):
        train_encoded(corpus, TrainConfig.from_preset("paper", dim=8), Saving(output, resume=True), print)
    with pytest.raises(Interrupted):
        train_encoded(corpus, ONE_THREAD, Saving(output), stopping(at=3), FINE)
    with pytest.raises(InputError, match=r"window=5, now it is 3"):
        train_encoded(corpus, TrainConfig.from_preset("paper", dim=8, window=3), Saving(output, resume=True), print)
    other = replace(planted(3, n_sentences=2000), fingerprint="another")
    with pytest.raises(InputError, match="another corpus"):
        train_encoded(other, TrainConfig.from_preset("paper", dim=8), Saving(output, resume=True), print)


def test_an_unwritable_place_is_found_before_training(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises((InputError, OSError), match="file"):
        train_in_memory(planted(2, n_sentences=50), tmp_path / "file" / "m", dim=4)
    with pytest.raises(InputError, match="is a file"):
        train_in_memory(planted(2, n_sentences=50), tmp_path / "file", dim=4)


def test_a_checkpoint_is_due_after_so_many_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    every_five = Checkpoint(Saving(tmp_path / "model", checkpoint_minutes=5), "text", ONE_THREAD)
    never = Checkpoint(Saving(tmp_path / "model", checkpoint_minutes=0), "text", ONE_THREAD)
    for seconds, is_due in ((0, False), (299, False), (301, True)):
        now = 1000.0 + seconds
        assert every_five.is_due == is_due
        assert not never.is_due
