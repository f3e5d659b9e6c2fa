"""Files of text to sense-tagged text, streaming."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from adagram.model import Model
from adagram.ordered import take_in_order
from adagram.tagging.blocks import Block, read_blocks
from adagram.tagging.tagger import Tagger, Tally
from adagram.text.encodings import UTF8, Decoding, open_text

Tagged = tuple[bytes, Tally]


def tag_files(
    model: Model,
    files: Iterable[str | Path],
    write: Callable[[bytes], object],
    min_probability: float = 0.0,
    threads: int | None = None,
    on_read: Callable[[int], None] | None = None,
    decoding: Decoding = UTF8,
) -> Tally:
    """Tag text files (`-` is stdin, compressed files are opened); one output line per input line.

    `write` gets the output in pieces; `on_read` the number of bytes read each time.
    """
    tagger = Tagger(model, min_probability)
    tagger.tag("")  # compiles once, before the threads ask for it
    n = threads or os.cpu_count() or 1
    return tag_blocks(read_files(files, on_read, decoding), lambda block: tag_block(tagger, block), write, n)


def tag_block(tagger: Tagger, block: Block) -> Tagged:
    """The tagged lines of a block, ready to be written."""
    lines, tally = tagger.tag_lines(block.text.split("\n"))
    end = (" " if lines[-1] else "") if block.goes_on else "\n"
    return ("\n".join(lines) + end).encode("utf-8"), tally


def tag_blocks(
    blocks: Iterable[Block], work: Callable[[Block], Tagged], write: Callable[[bytes], object], threads: int
) -> Tally:
    """Write work(block) for every block in order, `threads` at a time; returns what became of all words."""
    total = Tally()

    def take(result: Tagged) -> None:
        nonlocal total
        write(result[0])
        total += result[1]

    pool = ThreadPoolExecutor(threads)
    try:
        take_in_order(pool, work, blocks, 2 * threads, take)
    finally:
        pool.shutdown(cancel_futures=True)
    return total


def read_files(
    files: Iterable[str | Path], on_read: Callable[[int], None] | None, decoding: Decoding
) -> Iterator[Block]:
    for file in files:
        with open_text(file, decoding, on_read) as stream:
            yield from read_blocks(stream)
