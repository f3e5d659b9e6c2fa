"""Sources to blocks: picks the reader, follows progress, and deals with what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adagram.corpus.blocks import Block, Kind
from adagram.corpus.detect import detect_format
from adagram.corpus.options import EncodeOptions, Progress
from adagram.corpus.readers.text import read_text
from adagram.corpus.readers.tokens import read_token_lists
from adagram.corpus.report import BadSource, Report
from adagram.corpus.sources import Source, Sources, as_names_or_tokens, find_sources
from adagram.errors import InputError
from adagram.text.files import open_bytes

_END_OF_SOURCE = b"\n"  # no sentence reaches from one file into the next


@dataclass
class Reading:
    """The state of reading all sources: options, report, bytes so far."""

    options: EncodeOptions
    report: Report
    progress: Progress | None = None
    total: int | None = None
    done: int = 0

    def advance(self, n_bytes: int) -> None:
        self.done += n_bytes
        if self.progress:
            self.progress("reading", self.done, self.total)


def read_blocks(sources: Sources, reading: Reading) -> Iterator[Block]:
    """Blocks of named sources, or of token lists."""
    names, token_lists = as_names_or_tokens(sources)
    if token_lists is None:
        return read_sources(find_sources(names, reading.options.format), reading)
    return (Block(data, Kind.EXACT) for data in read_token_lists(token_lists, reading.report))


def read_sources(sources: list[Source], reading: Reading) -> Iterator[Block]:
    """All blocks of all sources; a bad source ends everything, or with skip_bad only itself."""
    sizes = [source.size for source in sources]
    reading.total = None if None in sizes else sum(size or 0 for size in sizes)
    for source in sources:
        reading.report.sources += 1
        try:
            yield from _read_source(source, reading)
        except InputError as error:
            if not reading.options.skip_bad:
                raise
            reading.report.bad_sources.append(BadSource(source.name, str(error)))
        yield Block(_END_OF_SOURCE, Kind.EXACT)


def _read_source(source: Source, reading: Reading) -> Iterator[Block]:
    with open_bytes(source.name, reading.advance) as stream:
        head = stream.peek(1 << 16)
        if not head:
            raise InputError(f"{source.name} is empty")
        detect_format(source.name, head)
        for data in read_text(stream):
            yield Block(data, Kind.RAW)
