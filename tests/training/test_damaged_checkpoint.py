"""What is read back from a checkpoint is checked before a kernel sees it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adagram
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.training.checkpoint import Saving, checkpoint_folder
from adagram.training.progress import LOG_FILE, Interrupted
from adagram.training.run import train_encoded
from tests_support import FINE, planted, stopping

CORPUS = planted(2, n_sentences=1000)
SYSTEMS = ["adagram", "mpsg", "mssg", "np-mssg", "skipgram", "skipgram-ns"]


def config_of(system: str) -> TrainConfig:
    return TrainConfig.from_preset("paper", algorithm=system, dim=8, threads=1)


def stopped(output: Path, system: str = "adagram") -> Path:
    """The checkpoint of a run that was stopped."""
    with pytest.raises(Interrupted):
        train_encoded(CORPUS, config_of(system), Saving(output, 1e-9), stopping(at=5), FINE)
    return checkpoint_folder(output)


def resume(output: Path, system: str = "adagram") -> None:
    train_encoded(CORPUS, config_of(system), Saving(output, resume=True), lambda progress: None, FINE)


@pytest.mark.parametrize("name", ["trainer.safetensors", "model.safetensors", "vocab.txt", LOG_FILE])
def test_a_damaged_checkpoint_is_named(tmp_path, name):
    last = stopped(tmp_path / "m")
    damaged = bytearray((last / name).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (last / name).write_bytes(damaged)
    with pytest.raises(InputError, match=rf"{re.escape(name)} is damaged.*begin anew with overwrite=True"):
        resume(tmp_path / "m")
    with pytest.raises(Interrupted):
        train_encoded(CORPUS, config_of("adagram"), Saving(tmp_path / "m", overwrite=True), stopping(at=3), FINE)
    resume(tmp_path / "m")
    assert not last.exists()


def test_beginning_anew_leaves_no_checkpoint_of_the_run_before(tmp_path):
    stopped(tmp_path / "m")
    other = config_of("skipgram")
    with pytest.raises(Interrupted):
        train_encoded(CORPUS, other, Saving(tmp_path / "m", overwrite=True), stopping(at=2), FINE)
    resume(tmp_path / "m", "skipgram")
    assert adagram.load(tmp_path / "m").config.algorithm == "skipgram"
