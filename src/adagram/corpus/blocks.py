"""Text in blocks of a few megabytes, cut where no word is broken; every line is a sentence or document."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Protocol

from adagram.errors import InputError
from adagram.text.documents import Document, Kind

BLOCK = 1 << 21  # bytes
LONGEST_LINE = 1 << 20  # bytes; longer lines come in parts
AS_IT_COMES = 1  # size of blocks for which a slow pipe is not waited for
_SPACES = (b" ", b"\t", b"\r")


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def cut_blocks(stream: Readable, size: int = BLOCK) -> Iterator[bytes]:
    """The stream in blocks of at least `size` bytes that end after a line, or after a word of a very long line.

    The last line ends even if the stream ends without it, or in damage.
    """
    rest, is_open = b"", False
    try:
        for piece in _pieces(stream, size):
            data = rest + piece
            cut = _cut_place(data)
            rest = data[cut:]
            if cut:
                is_open = data[cut - 1] != 0x0A
                yield data[:cut]
    except InputError:
        if is_open:
            yield b"\n"
        raise
    if rest or is_open:
        yield rest + b"\n"


def _pieces(stream: Readable, size: int) -> Iterator[bytes]:
    """At least `size` bytes at a time; if the stream is damaged, first what came before."""
    read = getattr(stream, "read1", stream.read)
    parts: list[bytes] = []
    length = 0
    try:
        while part := read(BLOCK):
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
    """The end of the last line, or a place in a very long line."""
    cut = data.rfind(b"\n") + 1
    if cut or len(data) < LONGEST_LINE:
        return cut
    for space in _SPACES:
        if (found := data.rfind(space)) >= 0:
            return found + 1
    if len(data) < 2 * BLOCK:
        return 0
    # Megabytes without a space are no text: cut anywhere between two characters.
    cut = len(data)
    while cut > len(data) - 4 and 0x80 <= data[cut - 1] < 0xC0:
        cut -= 1
    return cut - 1


def join_blocks(documents: Iterable[Document], size: int = BLOCK) -> Iterator[Document]:
    """Short documents of one kind together, very long ones in parts; before an error, what came before it."""
    parts: list[bytes] = []
    kind, length = Kind.RAW, 0

    def joined() -> Iterator[Document]:
        nonlocal parts, length
        if parts:
            yield Document("", b"".join(parts), kind=kind)
        parts, length = [], 0

    try:
        for document in documents:
            if document.kind is not kind or length + len(document.data) > 2 * size:
                yield from joined()
            kind = document.kind
            if len(document.data) > 2 * size:
                for data in cut_blocks(io.BytesIO(document.data), size):
                    yield Document("", data, kind=kind)
                continue
            parts.append(document.data)
            length += len(document.data)
            if length >= size:
                yield from joined()
    except InputError:
        yield from joined()
        raise
    yield from joined()
