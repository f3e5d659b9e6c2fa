"""Plain text: one document or sentence per line, or one endless line; WikiExtractor's files are that, with tags."""

from __future__ import annotations

import codecs
import html
import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from adagram.corpus.blocks import cut_blocks
from adagram.corpus.state import ReadState

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TAGS = re.compile(rb"^[ \t]*</?doc(?:[ \t][^\n]*)?>[ \t]*\r?$", re.MULTILINE)


def read_text(stream: Any, name: str, state: ReadState) -> Iterator[bytes]:
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


def read_wikiextractor(stream: BinaryIO, name: str, state: ReadState) -> Iterator[bytes]:
    """The lines between the document tags, entities resolved."""
    for block in cut_blocks(stream):
        text = _TAGS.sub(b"", block)
        if b"&" in text:
            text = html.unescape(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        yield text
