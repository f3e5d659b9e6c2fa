"""Plain text: one document or sentence per line, or one endless line; WikiExtractor's files are that, with tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from adagram.corpus.blocks import AS_IT_COMES, BLOCK, cut_blocks
from adagram.corpus.state import ReadState
from adagram.text.documents import Document
from adagram.text.escapes import unescape

_TAGS = re.compile(rb"^[ \t]*</?doc(?:[ \t][^\n]*)?>[ \t]*\r?$", re.MULTILINE)


def read_text(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """The stream as it is, in blocks."""
    for block in cut_blocks(stream, AS_IT_COMES if state.is_live else BLOCK):
        yield Document(name, block)


def read_wikiextractor(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """The lines between the document tags, entities resolved."""
    for found in read_text(stream, name, state):
        text = _TAGS.sub(b"", found.data)
        if b"&" in text:
            text = unescape(text.decode("utf-8", "replace")).encode("utf-8", "replace")
        yield Document(name, text)
