"""Files of text to sense-tagged text, streaming."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from adagram.model import Model
from adagram.tagging.blocks import Block, read_blocks
from adagram.tagging.pipeline import in_order
from adagram.tagging.tagger import Tagger, Tally
from adagram.text.files import open_bytes


def tag_files(
    model: Model,
    files: Iterable[str | Path],
    write: Callable[[bytes], object],
    min_probability: float = 0.0,
    threads: int | None = None,
    on_read: Callable[[int], None] | None = None,
) -> Tally:
    """Tag text files (`-` is stdin, compressed files are opened); one output line per input line.

    `write` gets the output in pieces; `on_read` the number of bytes read each time.
    """
    tagger = Tagger(model, min_probability)
    tagger.tag("")  # compiles once, before the threads ask for it
    total = Tally()

    def work(block: Block) -> tuple[bytes, Tally]:
        lines, tally = tagger.tag_lines(block.text.split("\n"))
        end = (" " if lines[-1] else "") if block.goes_on else "\n"
        return ("\n".join(lines) + end).encode("utf-8"), tally

    def take(result: tuple[bytes, Tally]) -> None:
        nonlocal total
        write(result[0])
        total += result[1]

    in_order(_blocks(files, on_read), work, take, threads or os.cpu_count() or 1)
    return total


def _blocks(files: Iterable[str | Path], on_read: Callable[[int], None] | None) -> Iterator[Block]:
    for file in files:
        with open_bytes(file, on_read) as stream:
            yield from read_blocks(stream)
