"""WikiExtractor's `<doc ...>` files (its --json output is read as JSON lines)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import BinaryIO

from adagram.corpus.blocks import cut_blocks
from adagram.corpus.state import Reading

_TAGS = re.compile(rb"^[ \t]*</?doc(?:[ \t][^\n]*)?>[ \t]*\r?$", re.MULTILINE)


def read_wikiextractor(stream: BinaryIO, name: str, reading: Reading) -> Iterator[bytes]:
    """The lines between the document tags, entities resolved."""
    for block in cut_blocks(stream):
        text = _TAGS.sub(b"", block)
        if b"&" in text:
            text = html.unescape(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        yield text
