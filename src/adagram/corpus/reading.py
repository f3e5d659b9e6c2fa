"""Sources to documents: picks the reader, decodes, follows progress, and deals with what cannot be read.

All verbs read text here, so that what one reads another reads in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from adagram.config import OF_WORDS, DocumentOptions, kept_reading
from adagram.corpus.blocks import AS_IT_COMES, BLOCK, join_blocks
from adagram.corpus.readers.annotated import read_conllu, read_vertical
from adagram.corpus.readers.mediawiki import read_mediawiki
from adagram.corpus.readers.records import read_dataset, read_jsonl, read_parquet
from adagram.corpus.readers.text import read_text, read_wikiextractor
from adagram.corpus.readers.tokens import join_tokens, read_token_lists
from adagram.corpus.sources import Source, Sources, detect_format, find_sources, sort_out
from adagram.corpus.state import BadSource, CorpusReport, Progress, ReadState
from adagram.errors import InputError
from adagram.text.documents import Document, Kind, make_document
from adagram.text.encodings import Decoding, as_utf8
from adagram.text.files import STDIN, display_name, open_bytes

StreamReader = Callable[[Any, str, ReadState], Iterator[Document]]
STREAM_READERS: dict[str, StreamReader] = {
    "text": read_text,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "jsonl": read_jsonl,
    "conllu": read_conllu,
    "vertical": read_vertical,
}
NOT_TEXT = ("parquet", "mediawiki")  # formats that say their encoding themselves


def read_blocks(sources: Sources, state: ReadState) -> Iterator[Document]:
    """The text of all documents in blocks of a few megabytes, without names and fields."""
    return join_blocks(read_documents(sources, state), AS_IT_COMES if state.is_live else BLOCK)


def read_as_trained(
    sources: Sources,
    info: Mapping[str, Any],
    options: DocumentOptions,
    progress: Progress | None = None,
    is_live: bool = False,
) -> tuple[Iterator[Document], CorpusReport]:
    """Documents read as the text of a model was, whose config.json is `info`, and the report that they fill."""
    report = CorpusReport()
    state = ReadState(options.of_model(info), report, progress, is_live=is_live, needs_fields=True)
    state.usual_format = kept_reading(info).get("format", "text")
    return read_documents(sources, state), report


def read_documents(sources: Sources, state: ReadState) -> Iterator[Document]:
    """All documents of named sources, of texts, or of token lists, in order.

    A document ends with a whole line, but for a part of a line of megabytes.
    """
    form, items = sort_out(sources)
    if form == "names":
        return _read_sources(find_sources(items, state.options.format), state)
    state.report.sources += 1
    if is_over := state.is_over:
        items = takewhile(lambda item: not is_over(), items)
    if form == "texts":
        return _running_text((make_document("", text) for text in items), state)
    return read_token_lists(items, state.report)


def _read_sources(sources: list[Source], state: ReadState) -> Iterator[Document]:
    """All documents of all sources; a bad source ends everything, or with skip_bad only itself."""
    sizes = [source.size for source in sources]
    state.total = None if None in sizes else sum(size or 0 for size in sizes)
    for source in sources:
        state.report.sources += 1
        try:
            yield from _read_source(source, state)
        except InputError as error:
            if not state.options.skip_bad:
                raise
            state.report.bad_sources.append(BadSource(display_name(source.name), str(error)))


def _read_source(source: Source, state: ReadState) -> Iterator[Document]:
    if source.format == "datasets":
        yield from _running_text(read_dataset(source.name, state), state)
        return
    name = display_name(source.name)
    with open_bytes(source.name, state.advance, state.is_over) as stream:
        head = stream.peek()
        if not head:
            raise InputError(f"{name} is empty: there is nothing to read in it")
        format = source.format or detect_format(name, head, state.usual_format)
        if format not in NOT_TEXT:
            stream = as_utf8(stream, name, _decoding(state))
            format = source.format or detect_format(name, stream.peek(), state.usual_format)
        if format in OF_WORDS:
            state.has_words = True
            yield from STREAM_READERS[format](stream, name, state)
        elif format != "parquet":
            yield from _running_text(STREAM_READERS[format](stream, name, state), state)
    if format == "parquet":
        if source.name == STDIN:
            raise InputError("parquet cannot be read from stdin; give the file's name")
        yield from _running_text(read_parquet(source.name, state), state)


def _decoding(state: ReadState) -> Decoding:
    def count(n: int) -> None:
        state.report.replaced_utf8 += n

    return Decoding(state.options.encoding, state.options.skip_bad, count)


def _running_text(documents: Iterator[Document], state: ReadState) -> Iterator[Document]:
    """Running text, for the default tokenizer or split here by the user's own."""
    state.has_text = True
    tokenizer = state.options.tokenizer
    if tokenizer is None:
        yield from documents
        return
    for found in documents:
        lines = [join_tokens(tokenizer(line), state.report) for line in found.lines]
        yield make_document(found.name, "\n".join(lines), found.fields, Kind.EXACT)
