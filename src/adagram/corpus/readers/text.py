"""Plain text: one document, sentence or paragraph per line, or one endless line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import Any

from adagram.corpus.blocks import cut_blocks
from adagram.corpus.state import Reading

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(stream: Any, name: str, reading: Reading) -> Iterator[bytes]:
    """Blocks of UTF-8, whatever bytes there are; UTF-16 is converted when its mark says so."""
    head = stream.peek(4)
    if head.startswith(_UTF16):
        text = io.TextIOWrapper(stream, encoding="utf-16", errors="replace", newline="")
        yield from cut_blocks(_Recoded(text))
        return
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    yield from cut_blocks(stream)


class _Recoded:
    """A text stream read as UTF-8 bytes."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text

    def read(self, size: int, /) -> bytes:
        return self._text.read(size // 2).encode("utf-8", "replace")
