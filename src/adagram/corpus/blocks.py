"""Text in blocks of a few megabytes, cut where no word is broken; every line is a sentence or document."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, Protocol

BLOCK = 1 << 21
_SPACES = (b"\n", b" ", b"\t", b"\r")


class Kind(Enum):
    """What a block's bytes are."""

    RAW = "text for the tokenizer"
    WORDS = "words between spaces, whose case may be folded"
    EXACT = "words between spaces, final"


class Block(NamedTuple):
    data: bytes
    kind: Kind


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def cut_blocks(stream: Readable, size: int = BLOCK) -> Iterator[bytes]:
    """The stream in blocks that end after a line, or after a word where a line is longer than a block."""
    rest = b""
    while piece := stream.read(size):
        data = rest + piece
        cut = _cut_place(data)
        rest = data[cut:]
        if cut:
            yield data[:cut]
    if rest:
        yield rest


def _cut_place(data: bytes) -> int:
    for space in _SPACES:
        found = data.rfind(space)
        if found >= 0:
            return found + 1
    if len(data) < 2 * BLOCK:
        return 0
    # Megabytes without a space are no text: cut anywhere between two characters.
    cut = len(data)
    while cut > len(data) - 4 and 0x80 <= data[cut - 1] < 0xC0:
        cut -= 1
    return cut - 1


def join_blocks(texts: Iterable[str], size: int = BLOCK) -> Iterator[bytes]:
    """Texts as blocks, each text on its own lines."""
    parts: list[bytes] = []
    length = 0
    for text in texts:
        data = text.encode("utf-8", "replace")
        if len(data) > size:
            yield b"\n".join([*parts, b""])
            parts, length = [], 0
            yield from cut_blocks(io.BytesIO(data), size)
            data = b""
        parts.append(data)
        length += len(data) + 1
        if length >= size:
            yield b"\n".join([*parts, b""])
            parts, length = [], 0
    if parts:
        yield b"\n".join([*parts, b""])
