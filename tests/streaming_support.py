"""Streams, and runs over them by short blocks."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numpy.testing import assert_array_equal

import adagram
from adagram.model import Model
from adagram.training.checkpoint import Saving
from adagram.training.continue_model import PreviousModel
from adagram.training.stream import train_stream
from adagram.training.workers import Chunks

BLOCK = 5_000
CHUNKS = Chunks(block=BLOCK, report_seconds=3600)  # a report after every block
LONG = Chunks(block=100_000, report_seconds=3600)


def streamed(
    stream: Any,
    start: Model | Path,
    saving: Saving | None = None,
    report: Any = None,
    chunks: Chunks = CHUNKS,
    **options: Any,
) -> Model:
    beginning = PreviousModel(start if isinstance(start, Model) else adagram.load(start))
    config, encoding = beginning.options({"threads": 1, "min_count": 1} | options)
    report, saving = report or (lambda progress: None), saving or Saving()
    return train_stream(stream, config, encoding, saving, report, beginning, chunks)


def long_streamed(stream: Any, start: Model | Path, saving: Saving | None = None, report: Any = None) -> Model:
    """In one pass, by longer blocks."""
    return streamed(stream, start, saving, report, LONG, epochs=1)


def same(one: Model, other: Model) -> None:
    assert one.vocabulary.words == other.vocabulary.words
    assert one._continuation.rest is not None
    assert other._continuation.rest is not None
    for arrays, others in ((one.arrays, other.arrays), (one._continuation.rest, other._continuation.rest)):
        for name in arrays:
            assert_array_equal(arrays[name], others[name])
    assert one._continuation.unknown == other._continuation.unknown


def text_of(lines: Iterable[list[str]]) -> bytes:
    return "".join(" ".join(words) + "\n" for words in lines).encode()


class Stdin:
    """Standard input that brings so many bytes at a time."""

    def __init__(self, data: bytes, bite: int) -> None:
        self.buffer = Bites(data, bite)


class Bites(io.RawIOBase):
    def __init__(self, data: bytes, bite: int) -> None:
        self._data, self._bite = io.BytesIO(data), bite

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._data.read(min(self._bite, len(buffer)))
        buffer[: len(data)] = data
        return len(data)
