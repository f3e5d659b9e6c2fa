"""A changed bit in an encoded corpus is a sentence before training begins, not a crash of its kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

import adagram
from adagram.config import EncodeOptions
from adagram.corpus.encoder import encode
from adagram.errors import InputError

OPTIONS = {"dim": 4, "threads": 1, "epochs": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [["the", "river", "bank"], ["a", "bank", "lends", "money"]] * 50
    encode(lines, tmp_path / "encoded", EncodeOptions(min_count=1))
    return tmp_path / "encoded"


@pytest.mark.parametrize(("name", "width"), [("ends.bin", 8), ("tokens.bin", 4)])
@pytest.mark.parametrize("value", [0, 7, -1])
@pytest.mark.parametrize("bit", [10, 31])
def test_a_flipped_bit_is_refused(folder: Path, name: str, width: int, value: int, bit: int) -> None:
    data = bytearray((folder / name).read_bytes())
    data[value * width % len(data) + bit // 8] ^= 1 << bit % 8
    (folder / name).write_bytes(data)
    with pytest.raises(InputError, match=rf"encoded is damaged: .*{name}.* encode it again"):
        adagram.train(folder, **OPTIONS)
    with pytest.raises(InputError, match=name):
        adagram.train(
            folder, **OPTIONS, start=adagram.train([["bank", "river"]] * 30, min_count=1, **OPTIONS)
        )


def test_ends_that_fall_are_refused(folder: Path) -> None:
    data = (folder / "ends.bin").read_bytes()
    (folder / "ends.bin").write_bytes(data[8:16] + data[:8] + data[16:])
    with pytest.raises(InputError, match=r"sentence ends in ends\.bin fall"):
        adagram.train(folder, **OPTIONS)
