"""Sources to documents with the fields of their records: dates, authors, countries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from adagram.config import EncodeOptions
from adagram.corpus.readers.annotated import MAX_LINE, parse_conllu, parse_vertical
from adagram.corpus.readers.records import column_text, dataset_records, json_records, parquet_records
from adagram.corpus.reading import STREAM_READERS
from adagram.corpus.sources import Source, detect_format, find_sources
from adagram.corpus.state import BadSource, CorpusReport, Progress, ReadState
from adagram.errors import InputError
from adagram.text.documents import Document
from adagram.text.files import STDIN, display_name, open_bytes

LONGEST = 1 << 20  # characters; longer documents of annotated text come in parts
_DOCUMENT = re.compile(r"<(?:doc|text|file)\b([^<>]*)>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_COMMENT = re.compile(r"#\s*([^=]+?)\s*=\s*(.*)")


def read_documents(
    names: list[str], options: EncodeOptions, report: CorpusReport, progress: Progress | None = None
) -> Iterator[Document]:
    """All documents of files, folders, globs and data sets, in order."""
    state = ReadState(options, report, progress)
    sources = find_sources(names, options.format)
    sizes = [source.size for source in sources]
    state.total = None if None in sizes else sum(size or 0 for size in sizes)
    for source in sources:
        try:
            yield from _read_source(source, state)
        except InputError as error:
            if not options.skip_bad:
                raise
            report.bad_sources.append(BadSource(source.name, str(error)))


def _read_source(source: Source, state: ReadState) -> Iterator[Document]:
    name = display_name(source.name)
    if source.format == "datasets":
        yield from _numbered(dataset_records(source.name, state), f"{name} example", state)
        return
    with open_bytes(source.name, state.advance) as stream:
        head = stream.peek()
        if not head:
            raise InputError(f"{name} is empty: there is nothing to read in it")
        format = source.format or detect_format(name, head)
        if format == "jsonl":
            for number, record in json_records(stream, name, state):
                yield _document(f"{name} line {number}", record, state)
        elif format == "conllu":
            yield from _conllu_documents(stream, name, state)
        elif format == "vertical":
            yield from _vertical_documents(stream, name, state)
        elif format != "parquet":
            for block in STREAM_READERS[format](stream, name, state):
                yield Document(name, block.decode("utf-8", "replace"))
    if format == "parquet":
        if source.name == STDIN:
            raise InputError("parquet cannot be read from stdin; give the file's name")
        yield from _numbered(parquet_records(source.name, state), f"{name} row", state)


def _numbered(records: Iterator[dict[str, Any]], name: str, state: ReadState) -> Iterator[Document]:
    for number, record in enumerate(records, 1):
        yield _document(f"{name} {number}", record, state)


def _document(name: str, record: dict[str, Any], state: ReadState) -> Document:
    fields = {key: value for key, value in record.items() if key != state.options.column}
    return Document(str(record.get("id") or name), column_text(record, name, state), fields)


class _Lines:
    """The words of an annotated document as lines of text, given away in parts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: dict[str, Any] = {}
        self._words: list[str] = []
        self._lines: list[str] = []
        self._length = 0

    def begin(self, name: str, fields: dict[str, Any]) -> None:
        self.name, self.fields = name, fields

    def word(self, word: str) -> None:
        self._words.append(word)

    def end_line(self) -> None:
        if self._words:
            self._lines.append(" ".join(self._words))
            self._length += len(self._lines[-1])
            self._words = []

    def take(self, at_least: int = 0) -> Iterator[Document]:
        if self._length > at_least:
            yield Document(self.name, "\n".join(self._lines), self.fields)
            self._lines, self._length = [], 0


def _vertical_documents(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Documents begin at <doc …> (or text, file), whose attributes are their fields."""
    lines, number = _Lines(name), 0
    while data := stream.readline(MAX_LINE):
        number += 1
        line = data.decode("utf-8", "replace").rstrip("\r\n")
        if tag := _DOCUMENT.match(line):
            lines.end_line()
            yield from lines.take()
            fields = {key: a or b for key, a, b in _ATTRIBUTE.findall(tag[1])}
            lines.begin(str(fields.get("id") or f"{name} line {number}"), fields)
            continue
        word = parse_vertical(line, name, number, state)
        if word == "":
            lines.end_line()
            yield from lines.take(LONGEST)
        elif word:
            lines.word(word)
    lines.end_line()
    yield from lines.take()


def _conllu_documents(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Documents begin at `# newdoc`; comments before the first word of a document are its fields."""
    lines, number, is_begin = _Lines(name), 0, True
    while data := stream.readline(MAX_LINE):
        number += 1
        line = data.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("# newdoc"):
            yield from lines.take()
            found = _COMMENT.match(line)
            lines.begin(found[2] if found else f"{name} line {number}", {})
            is_begin = True
        elif line.startswith("#"):
            found = _COMMENT.match(line)
            if found and is_begin:
                lines.fields[found[1]] = found[2]
        else:
            word = parse_conllu(line, name, number, state)
            if word == "":
                lines.end_line()
                yield from lines.take(LONGEST)
            elif word:
                is_begin = False
                lines.word(word)
    lines.end_line()
    yield from lines.take()
