"""A stream of text in blocks of whole lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

BLOCK = 1 << 18  # bytes
LONGEST_LINE = 1 << 20  # bytes; longer lines are tagged in parts


class Block(NamedTuple):
    text: str  # lines, without the last line end
    goes_on: bool  # the last line is not over


def read_blocks(stream: io.BufferedReader) -> Iterator[Block]:
    """Blocks as the stream gives them: a slow pipe is not waited for."""
    rest = b""
    while piece := stream.read1(BLOCK):
        cut = piece.rfind(b"\n")
        if cut >= 0:
            yield Block((rest + piece[:cut]).decode("utf-8", "replace"), False)
            rest = piece[cut + 1 :]
        else:
            rest += piece
        while len(rest) > LONGEST_LINE:
            cut = _cut_place(rest)
            yield Block(rest[:cut].decode("utf-8", "replace"), True)
            rest = rest[cut:]
    if rest:
        yield Block(rest.decode("utf-8", "replace"), False)


def _cut_place(line: bytes) -> int:
    """A place in a long line: after a space, or else between two characters."""
    space = line.rfind(b" ", 0, LONGEST_LINE)
    if space >= 0:
        return space + 1
    cut = LONGEST_LINE
    while cut > LONGEST_LINE - 4 and 0x80 <= line[cut] < 0xC0:
        cut -= 1
    return cut
