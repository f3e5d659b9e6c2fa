"""Sources to documents with the fields of their records: dates, authors, countries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from adagram.corpus.detect import detect_format
from adagram.corpus.readers.annotated import MAX_LINE, parse_conllu, parse_vertical
from adagram.corpus.readers.datasets import open_splits
from adagram.corpus.readers.jsonl import records
from adagram.corpus.readers.parquet import batches
from adagram.corpus.readers.values import column_text
from adagram.corpus.reading import STREAM_READERS
from adagram.corpus.sources import Source, find_sources
from adagram.corpus.state import Reading
from adagram.errors import InputError
from adagram.text.documents import Document
from adagram.text.files import STDIN, display_name, open_bytes

LONGEST = 1 << 20  # characters; longer documents of annotated text come in parts
_DOCUMENT = re.compile(r"<(?:doc|text|file)\b([^<>]*)>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_COMMENT = re.compile(r"#\s*([^=]+?)\s*=\s*(.*)")


def read_documents(names: list[str], reading: Reading) -> Iterator[Document]:
    """All documents of files, folders, globs and data sets, in order."""
    sources = find_sources(names, reading.options.format)
    sizes = [source.size for source in sources]
    reading.total = None if None in sizes else sum(size or 0 for size in sizes)
    for source in sources:
        try:
            yield from _read_source(source, reading)
        except InputError as error:
            if not reading.options.skip_bad:
                raise
            reading.skip(f"rest of {source.name}: {error}")


def _read_source(source: Source, reading: Reading) -> Iterator[Document]:
    name = display_name(source.name)
    if source.format == "datasets":
        examples = (example for split in open_splits(source.name, reading.options.split) for example in split)
        yield from (_document(f"{name} {i}", example, reading) for i, example in enumerate(examples, 1))
        return
    with open_bytes(source.name, reading.advance) as stream:
        head = stream.peek()
        if not head:
            raise InputError(f"{name} is empty: there is nothing to read in it")
        format = source.format or detect_format(name, head)
        if format == "jsonl":
            for number, record in records(stream, name, reading):
                yield _document(f"{name} line {number}", record, reading)
        elif format in ("conllu", "vertical"):
            read = _conllu_documents if format == "conllu" else _vertical_documents
            yield from read(stream, name, reading)
        elif format != "parquet":
            for block in STREAM_READERS[format](stream, name, reading):
                yield Document(name, block.decode("utf-8", "replace"))
    if format == "parquet":
        if source.name == STDIN:
            raise InputError("parquet cannot be read from stdin; give the file's name")
        number = 0
        for batch in batches(source.name, reading, None):
            for record in batch.to_pylist():
                number += 1
                yield _document(f"{name} row {number}", record, reading)


def _document(name: str, record: dict[str, Any], reading: Reading) -> Document:
    column = reading.options.column
    if column not in record:
        raise InputError(
            f"{name}: there is no column {column!r}; columns are: {', '.join(sorted(record)[:8])}"
        )
    fields = {key: value for key, value in record.items() if key != column}
    name = str(record.get("id") or name)
    return Document(name, column_text(record, name, reading), fields)


class _Lines:
    """The words of an annotated document as lines of text, given away in parts."""

    def __init__(self, name: str) -> None:
        self.name = self.file = name
        self.fields: dict[str, Any] = {}
        self._words: list[str] = []
        self._lines: list[str] = []
        self._length = 0

    def begin(self, name: str, fields: dict[str, Any]) -> None:
        self.name, self.fields = name, fields

    def word(self, word: str, is_glued: bool = False) -> None:
        if is_glued and self._words:
            self._words[-1] += word
        else:
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


def _vertical_documents(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
    """Documents begin at <doc …> (or text, file), whose attributes are their fields; <g/> glues two words together."""
    lines, number, is_glued = _Lines(name), 0, False
    is_word = reading.options.unit == "word"
    while data := stream.readline(MAX_LINE):
        number += 1
        line = data.decode("utf-8", "replace").rstrip("\r\n")
        if tag := _DOCUMENT.match(line):
            lines.end_line()
            yield from lines.take()
            fields = {key: a or b for key, a, b in _ATTRIBUTE.findall(tag[1])}
            lines.begin(str(fields.get("id") or f"{name} line {number}"), fields)
            continue
        is_glue = line.startswith(("<g/", "<g />"))
        word = None if is_glue else parse_vertical(line, name, number, reading)
        if word == "":
            lines.end_line()
            yield from lines.take(LONGEST)
        elif word:
            lines.word(word, is_glued and is_word)
        is_glued = is_glue
    lines.end_line()
    yield from lines.take()


def _conllu_documents(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
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
            word = parse_conllu(line, name, number, reading)
            if word == "":
                lines.end_line()
                yield from lines.take(LONGEST)
            elif word:
                is_begin = False
                lines.word(word)
    lines.end_line()
    yield from lines.take()
