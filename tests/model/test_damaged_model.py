"""`adagram.load` on damaged model folders: a reason, never a crash."""

from __future__ import annotations

import json
import shutil
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import adagram
from adagram.errors import InputError
from adagram.model import Model
from model_support import random_model

FILES = ("model.safetensors", "config.json", "vocab.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model"
    random_model(n_words=12, dim=3).save(path)
    return path


def use(model: Model) -> None:
    """What a user does first; on a model that was accepted it must work."""
    word = model.vocabulary.words[0]
    model.senses(word, top=3)
    model.disambiguate(word, model.vocabulary.words[:3])
    model.assign(model.tokenize(" ".join(model.vocabulary.words)))
    model.log_likelihood(model.vocabulary.words)


def is_accepted(folder: Path) -> bool:
    try:
        model = adagram.load(folder)
    except InputError as error:
        reason = str(error)
    else:
        with np.errstate(
            all="ignore"
        ):  # vectors are not looked at when a model is opened: any value may be there
            try:
                use(model)
            except InputError as error:
                reason = str(error)
            else:
                reason = "adagram check"
        assert "adagram check" in reason
        return True
    assert str(folder) in reason
    assert "\n" not in reason
    return False


def damaged(folder: Path, name: str, change: Callable[[bytes], bytes]) -> bool:
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "model"
        shutil.copytree(folder, copy)
        (copy / name).write_bytes(change((copy / name).read_bytes()))
        return is_accepted(copy)


def test_the_whole_folder_is_accepted(folder: Path) -> None:
    assert is_accepted(folder)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_truncated_file_is_refused(name: str, data: st.DataObject, folder: Path) -> None:
    # Only the line end after the last brace of config.json may be missing.
    size = data.draw(st.integers(0, (folder / name).stat().st_size - 2))
    assert not damaged(folder, name, lambda whole: whole[:size])


@pytest.mark.parametrize("name", FILES)
@given(junk=st.binary(max_size=500))
@settings(max_examples=40, deadline=None)
def test_random_bytes_are_refused(name: str, junk: bytes, folder: Path) -> None:
    assert not damaged(folder, name, lambda _: junk)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_changed_byte_gives_a_model_or_a_reason(name: str, data: st.DataObject, folder: Path) -> None:
    at = data.draw(st.integers(0, (folder / name).stat().st_size - 1))
    byte = data.draw(st.binary(min_size=1, max_size=1))
    damaged(folder, name, lambda whole: whole[:at] + byte + whole[at + 1 :])


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_or_a_folder_in_its_place_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    (copy / name).unlink()
    assert not is_accepted(copy)
    (copy / name).mkdir()
    assert not is_accepted(copy)


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "float64 vectors": lambda a: a.update(vectors=a["vectors"].astype(np.float64)),
    "rows that are not padded": lambda a: a.update(vectors=a["vectors"][:, :3].copy()),
    "narrow output": lambda a: a.update(output=a["output"][:, :0].copy()),
    "few output rows": lambda a: a.update(output=a["output"][:2].copy()),
    "int32 offsets": lambda a: a.update(offsets=a["offsets"].astype(np.int32)),
    "falling offsets": lambda a: a["offsets"].__setitem__(3, 0),
    "flat offsets": lambda a: a.update(offsets=a["offsets"][:, None].copy()),
    "negative steps": lambda a: a["steps"].__setitem__(3, -4),
    "large steps": lambda a: a["steps"].__setitem__(3, 4000),
    "paths that fall": lambda a: a["paths"].__setitem__(3, 0),
    "negative paths": lambda a: a["paths"].__setitem__(0, -9),
    "no paths": lambda a: a.pop("paths"),
    "no steps": lambda a: a.pop("steps"),
    "an unknown array": lambda a: a.update(centre=a["vectors"]),
    "float paths": lambda a: a.update(paths=a["paths"].astype(np.float64)),
    "no priors": lambda a: a.pop("priors"),
    "short priors": lambda a: a.update(priors=a["priors"][1:].copy()),
    "nan priors": lambda a: a["priors"].__setitem__(0, np.nan),
    "negative priors": lambda a: a["priors"].__setitem__(0, -0.5),
    "scalar vectors": lambda a: a.update(vectors=np.array(1.0, np.float32)),
    "short norms": lambda a: a.update(norms=a["norms"][1:].copy()),
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_belong_together_are_refused(name: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    arrays = {key: np.array(value) for key, value in load_file(copy / FILES[0]).items()}
    WRONG[name](arrays)
    save_file(arrays, copy / FILES[0])
    assert not is_accepted(copy)


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"7",
        b'{"vectors": 3}',
        b'{"vectors": {"dtype": "F32", "shape": [1e9], "data_offsets": [0, 4]}}',
        b'{"vectors": {"dtype": "F32", "shape": [99999999999999999999], "data_offsets": [0, 4]}}',
        b'{"vectors": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}',
        b'{"vectors": {"dtype": "F32", "shape": [1e999], "data_offsets": [0, 4]}}',
        b'{"vectors": {"dtype": [], "shape": [1], "data_offsets": [0, 4]}}',
        b"[" * 100_000,
    ],
)
def test_a_strange_header_is_refused(header: bytes, folder: Path) -> None:
    assert not damaged(folder, FILES[0], lambda _: struct.pack("<Q", len(header)) + header + bytes(8))


@pytest.mark.parametrize(
    "change",
    [
        {"config": None},
        {"config": 3},
        {"config": {"dim": "3"}},
        {"config": {"dim": 9999}},
        {"config": {"algorithm": []}},
        {"config": {"window": 10**30}},
        {"config": {"dim\n": 3}},
        {"tokenizer": 3},
        {"tokenizer": {"max_chars": "many"}},
        {"tokenizer": {"surprise": 1}},
        {"format": 99},
        {"format": []},
    ],
)
def test_a_strange_configuration_is_refused(change: dict[str, Any], folder: Path) -> None:
    assert not damaged(folder, "config.json", lambda old: json.dumps(json.loads(old) | change).encode())


@pytest.mark.parametrize(
    "line", [b"\xff\t3\n", b"w0\t5\n", b"big\t99999999999999999999999\n", "x\t²\n".encode()]
)
def test_a_strange_vocabulary_is_refused(line: bytes, folder: Path) -> None:
    assert not damaged(folder, "vocab.txt", lambda old: old[: old[:-1].rfind(b"\n") + 1] + line)
