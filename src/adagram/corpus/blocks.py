"""Text in blocks of a few megabytes, cut where no word is broken; every line is a sentence or document."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, Protocol

from adagram.errors import InputError

BLOCK = 1 << 21
_SPACES = (b"\n", b" ", b"\t", b"\r")


class Kind(Enum):
    """What a block's bytes are."""

    RAW = "text for the tokenizer"
    WORDS = "words between spaces, whose case may be folded"
    EXACT = "words between spaces, final"


class TextBlock(NamedTuple):
    data: bytes
    kind: Kind


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def cut_blocks(stream: Readable, size: int = BLOCK) -> Iterator[bytes]:
    """The stream in blocks that end after a line, or after a word where a line is longer than a block."""
    rest = b""
    for piece in _pieces(stream, size):
        data = rest + piece
        cut = _cut_place(data)
        rest = data[cut:]
        if cut:
            yield data[:cut]
    if rest:
        yield rest


def _pieces(stream: Readable, size: int) -> Iterator[bytes]:
    """About `size` bytes at a time; where the stream turns out to be damaged, first what came before."""
    read = getattr(stream, "read1", stream.read)
    parts: list[bytes] = []
    length = 0
    try:
        while part := read(size):
            parts.append(part)
            length += len(part)
            if length >= size:
                yield b"".join(parts)
                parts, length = [], 0
    except InputError:
        yield b"".join(parts)
        raise
    yield b"".join(parts)


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
    """Texts as blocks, each text on its own lines; where the texts end in an error, first what came before."""
    parts: list[bytes] = []
    length = 0
    try:
        for text in texts:
            data = text.encode("utf-8", "replace")
            if len(data) > size:
                yield _lines(parts)
                yield from cut_blocks(io.BytesIO(data), size)
                data, parts, length = b"", [], 0
            parts.append(data)
            length += len(data) + 1
            if length >= size:
                yield _lines(parts)
                parts, length = [], 0
    except InputError:
        yield _lines(parts)
        raise
    yield _lines(parts)


def _lines(parts: list[bytes]) -> bytes:
    return b"\n".join([*parts, b""])
