"""Sources to blocks: picks the reader, follows progress, and deals with what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any

from adagram.corpus.blocks import Kind, TextBlock, join_blocks
from adagram.corpus.readers.annotated import read_conllu, read_vertical
from adagram.corpus.readers.mediawiki import read_mediawiki
from adagram.corpus.readers.records import read_dataset, read_jsonl, read_parquet
from adagram.corpus.readers.text import read_text, read_wikiextractor
from adagram.corpus.readers.tokens import join_tokens, read_token_lists
from adagram.corpus.sources import Source, Sources, detect_format, find_sources, sort_out
from adagram.corpus.state import BadSource, ReadState
from adagram.errors import InputError
from adagram.text.encodings import Decoding, as_utf8
from adagram.text.files import STDIN, display_name, open_bytes
from adagram.text.tokenizer import Tokenizer

StreamReader = Callable[[Any, str, ReadState], Iterator[bytes]]
STREAM_READERS: dict[str, StreamReader] = {
    "text": read_text,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "jsonl": read_jsonl,
    "conllu": read_conllu,
    "vertical": read_vertical,
}
OF_WORDS = ("conllu", "vertical")  # formats whose words are given
NOT_TEXT = ("parquet", "mediawiki")  # formats that say their encoding themselves
_END_OF_SOURCE = TextBlock(b"\n", Kind.EXACT)  # no sentence reaches from one file into the next


def read_blocks(sources: Sources, state: ReadState) -> Iterator[TextBlock]:
    """Blocks of named sources, of texts, or of token lists."""
    form, items = sort_out(sources)
    if form == "names":
        return _read_sources(find_sources(items, state.options.format), state)
    state.report.sources += 1
    if is_over := state.is_over:
        items = takewhile(lambda item: not is_over(), items)
    if form == "texts":
        return _text_blocks(join_blocks(items), state)
    return (TextBlock(data, Kind.EXACT) for data in read_token_lists(items, state.report))


def _read_sources(sources: list[Source], state: ReadState) -> Iterator[TextBlock]:
    """All blocks of all sources; a bad source ends everything, or with skip_bad only itself."""
    sizes = [source.size for source in sources]
    state.total = None if None in sizes else sum(size or 0 for size in sizes)
    for source in sources:
        state.report.sources += 1
        try:
            yield from _read_source(source, state)
        except InputError as error:
            if not state.options.skip_bad:
                raise
            state.report.bad_sources.append(BadSource(source.name, str(error)))
        yield _END_OF_SOURCE


def _read_source(source: Source, state: ReadState) -> Iterator[TextBlock]:
    if source.format == "datasets":
        yield from _text_blocks(read_dataset(source.name, state), state)
        return
    name = display_name(source.name)
    with open_bytes(source.name, state.advance, state.is_over) as stream:
        head = stream.peek()
        if not head:
            raise InputError(f"{name} is empty: there is nothing to read in it")
        format = source.format or detect_format(name, head)
        if format not in NOT_TEXT:
            stream = as_utf8(stream, name, _decoding(state))
        if format in OF_WORDS:
            state.has_words = True
            kind = Kind.EXACT if state.options.unit == "lemma_pos" else Kind.WORDS
            yield from (TextBlock(data, kind) for data in STREAM_READERS[format](stream, name, state))
        elif format != "parquet":
            yield from _text_blocks(STREAM_READERS[format](stream, name, state), state)
    if format == "parquet":
        if source.name == STDIN:
            raise InputError("parquet cannot be read from stdin; give the file's name")
        yield from _text_blocks(read_parquet(source.name, state), state)


def _decoding(state: ReadState) -> Decoding:
    def count(n: int) -> None:
        state.report.replaced_utf8 += n

    return Decoding(state.options.encoding, state.options.skip_bad, count)


def _text_blocks(blocks: Iterator[bytes], state: ReadState) -> Iterator[TextBlock]:
    """Running text, for the default tokenizer or split here by the user's own."""
    state.has_text = True
    tokenizer = state.options.tokenizer
    if tokenizer is None:
        yield from (TextBlock(data, Kind.RAW) for data in blocks)
    else:
        yield from (
            TextBlock(data, Kind.EXACT) for data in join_blocks(_split_lines(blocks, tokenizer, state))
        )


def _split_lines(blocks: Iterator[bytes], tokenizer: Tokenizer, state: ReadState) -> Iterator[str]:
    for data in blocks:
        for line in data.decode("utf-8", "replace").split("\n"):
            yield join_tokens(tokenizer(line), state.report)
