"""What is read back from a checkpoint is checked before a kernel sees it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import adagram
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.files.folders import write_sums
from adagram.model.storage import read_arrays, write_arrays
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


def spoil(array: np.ndarray, name: str) -> list[np.ndarray]:
    """Arrays that must not pass: too short, too long, of another type, with impossible values."""
    bad = [array[:-1], np.concatenate([array, array[-1:]]), array.astype(np.int8)]
    if array.ndim == 2:
        bad.append(array[:, :-1].copy())
    if array.dtype.kind == "f":
        for value in (np.nan, np.inf, *((-1.0,) if name in ("counts", "pending") else ())):
            bad.append(array.copy())
            bad[-1].flat[array.size // 2] = value
    if name == "next_row":
        n_words = len(CORPUS.vocabulary)
        for links in ([1 << 30], [-2], [0], [n_words, n_words]):  # nowhere, to a first row, two to one row
            bad.append(array.copy())
            bad[-1][: len(links)] = links
        bad.append(np.append(array[: len(array) - 2], np.array([len(array) - 1, len(array) - 2], np.int32)))
        bad[-1][0] = len(array) - 2  # a ring that is entered from a word
    return bad


@pytest.mark.parametrize("system", SYSTEMS)
def test_impossible_states_are_refused(tmp_path, system):
    last = stopped(tmp_path / "m", system)
    state = {name: np.array(array) for name, array in read_arrays(last / "trainer.safetensors").items()}
    for name in state:
        for bad in [*spoil(state[name], name), None]:
            changed = {key: array for key, array in state.items() if key != name}
            write_arrays(last / "trainer.safetensors", changed if bad is None else changed | {name: bad})
            write_sums_of(last)
            with pytest.raises(InputError, match="damaged"):
                resume(tmp_path / "m", system)
    write_arrays(last / "trainer.safetensors", state)
    write_sums_of(last)
    resume(tmp_path / "m", system)
    assert (tmp_path / "m").is_dir()


def write_sums_of(folder: Path) -> None:
    (folder / "SHA256SUMS").unlink()
    write_sums(folder)


def test_a_word_has_no_more_senses_than_the_run_allows(tmp_path):
    last = stopped(tmp_path / "m")
    state = {name: np.array(array) for name, array in read_arrays(last / "trainer.safetensors").items()}
    n, n_words = len(state["next_row"]), len(CORPUS.vocabulary)
    state["next_row"][:] = -1
    state["next_row"][n_words:-1] = np.arange(n_words + 1, n)
    state["next_row"][0] = n_words  # all rows are one long chain
    write_arrays(last / "trainer.safetensors", state)
    write_sums_of(last)
    with pytest.raises(InputError, match="more than 30 senses"):
        resume(tmp_path / "m")


@pytest.mark.parametrize("name", ["trainer.safetensors", "trainer.json", "model.safetensors", "vocab.txt"])
def test_a_damaged_checkpoint_is_named(tmp_path, name):
    last = stopped(tmp_path / "m")
    damaged = bytearray((last / name).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (last / name).write_bytes(damaged)
    with pytest.raises(InputError, match=rf"{re.escape(name)} is damaged.*begin anew with overwrite=True"):
        resume(tmp_path / "m")
    with pytest.raises(Interrupted):
        train_encoded(
            CORPUS, config_of("adagram"), Saving(tmp_path / "m", overwrite=True), stopping(at=3), FINE
        )
    resume(tmp_path / "m")
    assert not last.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"words": 10**15},
        {"words": -1},
        {"words": "9"},
        {"seconds": None},
        {"seconds": 10**400},
        {"config": 3},
    ],
)
def test_an_impossible_position_is_refused(tmp_path, change):
    last = stopped(tmp_path / "m")
    position = json.loads((last / "trainer.json").read_text())
    (last / "trainer.json").write_text(json.dumps(position | change))
    write_sums_of(last)
    with pytest.raises(InputError, match="damaged"):
        resume(tmp_path / "m")


def test_beginning_anew_leaves_no_checkpoint_of_the_run_before(tmp_path):
    stopped(tmp_path / "m")
    other = config_of("skipgram")
    with pytest.raises(Interrupted):
        train_encoded(CORPUS, other, Saving(tmp_path / "m", overwrite=True), stopping(at=2), FINE)
    resume(tmp_path / "m", "skipgram")
    assert adagram.load(tmp_path / "m").config.algorithm == "skipgram"


@pytest.mark.parametrize(
    "line", ["[" * 100_000, "[]", "3", "{}", '{"words": "x"}', '{"words": 1, "seconds": NaN}']
)
def test_a_run_goes_on_with_a_damaged_log(tmp_path: Path, line: str) -> None:
    folder = stopped(tmp_path / "m")
    (folder / LOG_FILE).write_text(line)
    write_sums_of(folder)
    resume(tmp_path / "m")
    assert adagram.load(tmp_path / "m").info["training"]["words"] > 0
