"""Plain text: one document or sentence per line, or one endless line; WikiExtractor's files are that, with tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from adagram.corpus.blocks import cut_blocks
from adagram.corpus.state import ReadState
from adagram.text.escapes import unescape

_TAGS = re.compile(rb"^[ \t]*</?doc(?:[ \t][^\n]*)?>[ \t]*\r?$", re.MULTILINE)


def read_text(stream: BinaryIO, name: str, state: ReadState) -> Iterator[bytes]:
    """The stream as it is, in blocks."""
    return cut_blocks(stream)


def read_wikiextractor(stream: BinaryIO, name: str, state: ReadState) -> Iterator[bytes]:
    """The lines between the document tags, entities resolved."""
    for block in cut_blocks(stream):
        text = _TAGS.sub(b"", block)
        yield unescape(text.decode()).encode("utf-8", "replace") if b"&" in text else text
