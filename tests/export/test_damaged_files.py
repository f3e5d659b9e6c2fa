"""Readers on damaged and foreign files: a reason, never a crash, and no memory for what is not there."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adagram
from adagram.errors import InputError
from adagram.export import export, import_model
from model_support import random_model

FORMATS = ("julia", "word2vec", "word2vec-bin")


def _samples() -> dict[str, bytes]:
    model = random_model(n_words=12, dim=3)
    with tempfile.TemporaryDirectory() as folder:
        for format in FORMATS:
            export(model, Path(folder) / format, format)
        return {format: (Path(folder) / format).read_bytes() for format in FORMATS}


SAMPLES = _samples()
each_format = pytest.mark.parametrize("format", FORMATS)


def read(data: bytes, format: str) -> bool:
    """Whether the data were accepted; every other outcome than a good model or a reason fails the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        try:
            model = import_model(path, format.removesuffix("-bin"))
        except InputError as error:
            reason = str(error)
        else:
            model.save(Path(folder) / "model")
            model = adagram.load(Path(folder) / "model")
            reason = ""
    if reason:
        assert reason.startswith(str(path))
        assert "\n" not in reason
        return False
    assert np.all(np.isfinite(model.vectors))
    np.testing.assert_allclose(np.add.reduceat(model.priors, model.offsets[:-1]), 1.0)
    model.disambiguate(model.vocabulary.words[0], model.vocabulary.words[1:4])
    return True


@each_format
def test_the_whole_file_is_accepted(format: str) -> None:
    assert read(SAMPLES[format], format)


@each_format
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_truncated_file_is_refused(format: str, data: st.DataObject) -> None:
    # Up to a line end and the digits of the last number may be missing without anybody noticing it in text.
    end = len(SAMPLES[format]) - (15 if format == "word2vec" else 2)
    size = data.draw(st.integers(0, end))
    assert not read(SAMPLES[format][:size], format)


@each_format
@given(junk=st.binary(max_size=3000))
@settings(max_examples=60, deadline=None)
def test_random_bytes_are_refused(format: str, junk: bytes) -> None:
    assert not read(junk, format)


@each_format
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_changed_bytes_give_a_model_or_a_reason(format: str, data: st.DataObject) -> None:
    changed = bytearray(SAMPLES[format])
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    read(bytes(changed), format)


@each_format
@given(numbers=st.lists(st.integers(-3, 10**30) | st.sampled_from([1, 2, 3, 12, 31]), min_size=2, max_size=5))
@settings(max_examples=80, deadline=None)
def test_other_numbers_in_the_header_give_a_model_or_a_reason(format: str, numbers: list[int]) -> None:
    body = SAMPLES[format]
    if format == "julia":
        body = body.split(b"\n", 3)[3]
        numbers = (numbers * 2)[:4]
        head = "{} {} {}\n0.1 0.0\n{}\n".format(*numbers)
    else:
        body = body.split(b"\n", 1)[1]
        head = f"{numbers[0]} {numbers[1]}\n"
    read(head.encode() + body, format)


@pytest.mark.parametrize(
    ("format", "head"),
    [
        ("julia", b"2000000000 300 30\n0.1 0.0\n40\n"),
        ("julia", b"3 9999 30\n0.1 0.0\n2\n"),
        ("word2vec", b"3000000000 300\n"),
        ("word2vec-bin", b"3000000 9999\nword "),
    ],
)
def test_a_header_does_not_make_us_ask_for_memory(format: str, head: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(head + b"x" * 5000)
    tracemalloc.start()
    with pytest.raises(InputError, match="truncated"):
        import_model(tmp_path / "file", format.removesuffix("-bin"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 22


@each_format
def test_a_file_that_goes_on_is_refused(format: str) -> None:
    assert not read(SAMPLES[format] + b"more 1 2 3", format)


@pytest.mark.parametrize("format", ["julia", "word2vec"])
def test_what_is_not_a_file_is_refused(format: str, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="cannot be read"):
            import_model(path, format)
