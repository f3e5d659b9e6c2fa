"""Read every corpus format to documents: one reader for all verbs, so that what one reads another reads the same way.

A new format is a function here, from a stream of UTF-8 to documents, and an entry in STREAM_READERS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from io import BufferedReader
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.decode import STDIN, as_utf8, display_name, open_bytes, unescape
from adagram.corpus.documents import (
    AS_IT_COMES,
    BLOCK,
    CorpusReport,
    Document,
    Kind,
    ReadState,
    cut_blocks,
    join_blocks,
    make_document,
    make_tokenizers,
)
from adagram.corpus.mediawiki import iter_pages, strip_markup
from adagram.corpus.options import OF_WORDS, DocumentOptions, kept_reading
from adagram.corpus.parallel import batched, map_in_processes
from adagram.corpus.sources import HUB, Source, Sources, classify_sources, detect_format, find_sources
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError, need
from adagram.types import ReportStage

NOT_TEXT = ("parquet", "mediawiki")  # formats that declare their encoding themselves
MAX_RECORD = 1 << 28  # a line of more than 256 MB is not one record
MIN_DATASETS = 4  # older versions of the library run scripts that come with the data
BATCH_ROWS = 256  # rows can be whole books
BATCH_CHARS = 1 << 20  # of wikitext sent to a process at a time
MAX_ANNOTATED_LINE = 1 << 16
MAX_DOCUMENT = 1 << 20  # characters; longer annotated documents come in parts
_DOC_TAGS = re.compile(rb"^[ \t]*</?doc(?:[ \t][^\n]*)?>[ \t]*\r?$", re.MULTILINE)
_RANGE = re.compile(r"\d+[-.]\d+")
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"</?[A-Za-z_][^<>]*/?>\s*")
_SENTENCE_TAG = re.compile(r"</?(?:s|sent|sentence|p|doc|text)\b")
_DOCUMENT_TAG = re.compile(r"<(?:doc|text|file)\b")
# A name begins where no other ends, so that a long run of letters is scanned once.
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_EMPTY = ("", "_")
# Separate words in a block, so a word cannot contain them.
_SEPARATORS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")


def read_blocks(sources: Sources, state: ReadState) -> Iterator[Document]:
    """Read the text of all documents in blocks of a few megabytes, without names and fields."""
    return join_blocks(read_documents(sources, state), AS_IT_COMES if state.is_live else BLOCK)


def read_as_trained(
    sources: Sources,
    info: Mapping[str, Any],
    options: DocumentOptions,
    progress: ReportStage | None = None,
    is_live: bool = False,
) -> tuple[Iterator[Document], CorpusReport]:
    """Read documents as the text of the model with config.json `info` was read; also return the report they fill."""
    report = CorpusReport()
    state = ReadState(options.of_model(info), report, progress, is_live=is_live, needs_fields=True)
    state.usual_format = kept_reading(info).get("format", "text")
    return read_documents(sources, state), report


def ids_of_text(
    documents: Iterable[Document], info: Mapping[str, Any], vocabulary: Vocabulary
) -> tuple[NDArray[np.int32], int]:
    """Return the ids of the known words, split as in the model with config.json `info`, and the number of all words."""
    tokenizers = make_tokenizers(info, vocabulary.index)
    ids, n_words = [np.empty(0, np.int32)], 0
    for document in documents:
        for line in document.lines:
            tokens = tokenizers[document.kind](line)
            n_words += len(tokens)
            ids.append(vocabulary.ids(tokens))
    return np.concatenate(ids), n_words


def read_documents(sources: Sources, state: ReadState) -> Iterator[Document]:
    """Read all documents of named sources, of texts, or of token lists, in order.

    A document ends with a line, except for parts of lines of megabytes.
    """
    form, items = classify_sources(sources)
    if form == "names":
        return _read_sources(find_sources(items, state.options.format), state)
    state.report.sources += 1
    if is_over := state.is_over:
        items = takewhile(lambda item: not is_over(), items)
    if form == "texts":
        return _running_text((make_document("", text) for text in items), state)
    return read_token_lists(items, state.report)


def _read_sources(sources: list[Source], state: ReadState) -> Iterator[Document]:
    """Read all sources; a bad one is an error, or with skip_bad is left there and reported."""
    sizes = [source.size for source in sources]
    state.total = None if None in sizes else sum(size or 0 for size in sizes)
    for source in sources:
        state.report.sources += 1
        try:
            yield from _read_source(source, state)
        except InputError as error:
            state.bad_source(display_name(source.name), error)


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
            stream = as_utf8(stream, name, state)
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


def _running_text(documents: Iterator[Document], state: ReadState) -> Iterator[Document]:
    """Pass running text on, or split it here by the user's own tokenizer."""
    state.has_text = True
    tokenizer = state.options.tokenizer
    if tokenizer is None:
        yield from documents
        return
    for found in documents:
        lines = [join_tokens(tokenizer(line), state.report) for line in found.lines]
        yield make_document(found.name, "\n".join(lines), found.fields, Kind.EXACT)


def read_text(stream: BufferedReader, name: str, state: ReadState) -> Iterator[Document]:
    """Read plain text: a document or sentence per line, or one endless line."""
    parts = iter(lambda: stream.read1(BLOCK), b"")
    for block in cut_blocks(parts, AS_IT_COMES if state.is_live else BLOCK):
        yield Document(name, block)


def read_wikiextractor(stream: BufferedReader, name: str, state: ReadState) -> Iterator[Document]:
    """Read WikiExtractor's output: plain text between document tags, with entities."""
    for found in read_text(stream, name, state):
        text = _DOC_TAGS.sub(b"", found.data)
        if b"&" in text:
            text = unescape(text.decode("utf-8", "replace")).encode("utf-8", "replace")
        yield Document(name, text)


def read_mediawiki(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Read the articles of a dump (namespace 0, no redirects) without markup, stripped in several processes."""
    batches = batched(_articles(stream, name, state), len, BATCH_CHARS)
    prose = map_in_processes(_make_strip, batches, state.options.n_threads)
    return (make_document(name, text) for text in prose)


def _strip(pages: list[str]) -> str:
    return "\n".join(map(strip_markup, pages))


def _make_strip() -> Callable[[list[str]], str]:
    return _strip


def _articles(stream: BinaryIO, name: str, state: ReadState) -> Iterator[str]:
    try:
        for page in iter_pages(stream, name):
            if page.namespace != 0:
                state.skip("pages outside the article namespace")
            elif page.redirect is not None:
                state.skip("redirects")
            else:
                yield page.text
    except InputError as error:  # here, so that the pages before the damage are not lost in a batch
        state.bad_source(name, error)


def read_jsonl(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Read JSON lines."""
    for number, line in enumerate(iter(lambda: stream.readline(MAX_RECORD), b""), 1):
        record = _parse_json(line, name, number, state) if line.strip() else None
        if record is not None:
            yield _record_document(record, f"{name} line {number}", state)


def _record_document(record: Mapping[str, Any], name: str, state: ReadState) -> Document:
    """Make a document of a record: its other columns are fields, and its `id`, if any, is the name."""
    fields = {key: value for key, value in record.items() if key != state.options.column}
    return make_document(str(record.get("id") or name), _text(record, name, state), fields)


def _parse_json(line: bytes, name: str, number: int, state: ReadState) -> dict[str, Any] | None:
    """Return a record that has the column of the text."""
    column = state.options.column
    try:
        record = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        problem = f"this is not a JSON record: {line[:40]!r}"
    else:
        if isinstance(record, dict) and column in record:
            return record
        problem = f"expected a JSON object with the column {column!r}"
        if isinstance(record, dict):
            found = ", ".join(sorted(record)[:8]) or "none"
            problem = f"there is no column {column!r}; columns are: {found}"
    state.bad_line(name, number, problem)
    return None


def read_parquet(name: str, state: ReadState) -> Iterator[Document]:
    """Read the rows of a Parquet file, other columns only if fields are needed."""
    parquet = need("pyarrow.parquet", "parquet", name)
    errors = (need("pyarrow", "parquet", name).ArrowException, OSError, ValueError)
    column, size = state.options.column, Path(name).stat().st_size
    try:
        with parquet.ParquetFile(name, memory_map=True) as file:
            columns = file.schema_arrow.names
            if column not in columns:
                raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(columns)}")
            n_rows, n_read = max(file.metadata.num_rows, 1), 0
            for batch in file.iter_batches(BATCH_ROWS, columns=None if state.needs_fields else [column]):
                for number, record in enumerate(batch.to_pylist(), n_read + 1):
                    yield _record_document(record, f"{name} row {number}", state)
                before, n_read = n_read, n_read + batch.num_rows
                state.advance(size * n_read // n_rows - size * before // n_rows)
    except errors as error:
        raise InputError(f"{name} cannot be read as parquet: {_first_line(error)}") from error


def read_dataset(name: str, state: ReadState) -> Iterator[Document]:
    """Read a Hugging Face data set as a stream, all splits or the named one."""
    column = state.options.column
    examples = chain.from_iterable(_open_splits(name, state.options.split))
    for number, example in enumerate(examples, 1):
        if column not in example:
            raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(example)}")
        yield _record_document(example, f"{name} example {number}", state)


def _open_splits(name: str, split: str | None) -> list[Any]:
    datasets = need("datasets", "datasets", name)
    if int(datasets.__version__.partition(".")[0]) < MIN_DATASETS:
        raise InputError(
            f"datasets {datasets.__version__} runs programs that come with a data set; "
            f'Run: pip install "datasets>={MIN_DATASETS}"'
        )
    try:
        if name.startswith(HUB):
            repository, _, config = name.removeprefix(HUB).partition(":")  # owner/name:config
            found = datasets.load_dataset(repository, config or None, split=split, streaming=True)
        elif any((Path(name) / marker).is_file() for marker in ("state.json", "dataset_dict.json")):
            found = datasets.load_from_disk(name)
        else:
            found = datasets.load_dataset(name, split=split, streaming=True)
    except Exception as error:  # dozens of types, all caused by the name
        raise InputError(f"the data set {name} cannot be opened: {_first_line(error)}") from error
    if not isinstance(found, dict):
        return [found]
    if split is None:
        return list(found.values())
    if split not in found:
        raise InputError(f"{name} has no split {split!r}; splits are: {', '.join(found)}")
    return [found[split]]


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _text(record: Mapping[str, Any], where: str, state: ReadState) -> str:
    """Return the text of a record; null is counted as empty, a list of strings is joined by spaces."""
    column = state.options.column
    value = record[column]
    if isinstance(value, str):
        return value
    if value is None:
        state.skip("empty records")
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    raise InputError(
        f"{where}: the column {column!r} has {type(value).__name__} values, not text; name another --column"
    )


class _Annotated:
    """The document being read; its sentences are lines."""

    def __init__(self, source: str, state: ReadState) -> None:
        self.source, self.state = source, state
        self.name, self.fields, self.has_begun = source, dict[str, str](), False
        self._words: list[str] = []
        self._lines: list[str] = []
        self._length = 0
        self._kind = Kind.EXACT if state.options.unit == "lemma_pos" else Kind.WORDS

    def begin(self, name: str, fields: dict[str, str]) -> Iterator[Document]:
        """Start a document, and yield what is left of the one before."""
        yield from self.take()
        self.name, self.fields, self.has_begun = name, fields, False

    def add(self, word: str) -> None:
        if word:
            self._words.append(word)
            self.has_begun = True

    def end_sentence(self) -> Iterator[Document]:
        if self._words:
            self._lines.append(join_tokens(self._words, self.state.report))
            self._length += len(self._lines[-1])
            self._words = []
        if self._length > MAX_DOCUMENT:
            yield from self.take()

    def take(self) -> Iterator[Document]:
        yield from self.end_sentence()
        if self._lines:
            yield make_document(self.name, "\n".join(self._lines), self.fields, self._kind)
            self._lines, self._length = [], 0


def read_annotated(
    parse: Callable[[str, int, _Annotated], Iterator[Document]], stream: BinaryIO, name: str, state: ReadState
) -> Iterator[Document]:
    """Read a file with a word per line by a function that parses a line."""
    made = _Annotated(name, state)
    for number, data in enumerate(iter(lambda: stream.readline(MAX_ANNOTATED_LINE), b""), 1):
        yield from parse(data.decode("utf-8", "replace").rstrip("\r\n"), number, made)
    yield from made.take()


def _parse_conllu(line: str, number: int, made: _Annotated) -> Iterator[Document]:
    """CoNLL-U: documents begin at `# newdoc`, with the comments before their first word as fields.

    Empty lines end sentences. Multi-word ranges and empty nodes are left out.
    """
    if not line.strip():
        yield from made.end_sentence()
    elif line.startswith("#"):
        key, is_pair, value = map(str.strip, line[1:].partition("="))
        if line.startswith("# newdoc"):
            yield from made.begin(value if is_pair else f"{made.source} line {number}", {})
        elif is_pair and not made.has_begun:
            made.fields[key] = value
    else:
        place, *columns = line.split("\t")
        if len(columns) >= 3 and _NUMBER.fullmatch(place):
            made.add(_choose_unit(columns[0], columns[1], columns[2], made.state))
        elif not _RANGE.fullmatch(place):
            what = f"expected the tab-separated columns of CoNLL-U, found {line[:40]!r}"
            made.state.bad_line(made.source, number, what)


def _parse_vertical(line: str, number: int, made: _Annotated) -> Iterator[Document]:
    """Vertical files (Sketch Engine): word, tag and lemma columns.

    Documents begin at <doc …> (or text, file), whose attributes are their fields; sentences end at tags such as </s>.
    """
    if not line.strip():
        return
    if _TAG.fullmatch(line):
        if begin := _DOCUMENT_TAG.match(line):
            fields = {key: a or b for key, a, b in _ATTRIBUTE.findall(line, begin.end())}
            yield from made.begin(fields.get("id") or f"{made.source} line {number}", fields)
        elif _SENTENCE_TAG.match(line):
            yield from made.end_sentence()
        return
    columns = line.split("\t")
    word, tag, lemma = (*columns, "", "")[:3]
    if len(columns) < 3 and made.state.options.unit != "word":
        what = f"expected word, tag and lemma between tabs, found {line[:40]!r}"
        made.state.bad_line(made.source, number, what)
    else:
        made.add(_choose_unit(word, lemma, tag, made.state))


def _choose_unit(word: str, lemma: str, pos: str, state: ReadState) -> str:
    """Return the unit of the options; a missing lemma is replaced by the word."""
    unit = state.options.unit
    if unit == "word":
        return word
    base = word if lemma in _EMPTY else lemma
    if unit == "lemma":
        return base
    if state.options.tokenizer_config.fold_case:
        base = base.lower()  # the part of speech keeps its case: bank_NOUN
    return f"{base}_{pos}"


def read_token_lists(token_lists: Iterable[Iterable[Any]], report: CorpusReport) -> Iterator[Document]:
    """Read token lists from Python, generators included: a line per list."""
    for number, tokens in enumerate(token_lists, 1):
        yield make_document("", join_tokens(_checked(tokens, number), report), kind=Kind.EXACT)


def join_tokens(tokens: Iterable[str], report: CorpusReport) -> str:
    """Join words to a line; spaces and control characters inside a word become underscores, and are counted."""
    words = list(tokens)
    line = " ".join(words)
    if "" not in words and _SEPARATORS.findall(line) == [" "] * (len(words) - 1):
        return line
    report.skipped["empty tokens"] += words.count("")
    report.skipped["spaces inside tokens, now _"] += sum(map(bool, map(_SEPARATORS.search, words)))
    return " ".join(_SEPARATORS.sub("_", word) for word in words if word)


def _checked(tokens: Any, number: int) -> list[str]:
    if isinstance(tokens, str | bytes):
        raise InputError(
            f"item {number} of the corpus is a string, not a list of tokens; split it first: {tokens[:40]!r}"
        )
    try:
        words = list(tokens)
    except TypeError:
        raise InputError(f"item {number} of the corpus is {type(tokens).__name__}, not a list of tokens") from None
    for word in words:
        if not isinstance(word, str):
            raise InputError(f"item {number} of the corpus has {word!r}, which is not a string, as a token")
    return words


StreamReader = Callable[[Any, str, ReadState], Iterator[Document]]
STREAM_READERS: dict[str, StreamReader] = {
    "text": read_text,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "jsonl": read_jsonl,
    "conllu": partial(read_annotated, _parse_conllu),
    "vertical": partial(read_annotated, _parse_vertical),
}
