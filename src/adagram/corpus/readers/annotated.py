"""One word per line with annotations: CoNLL-U and vertical (Sketch Engine) files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from adagram.corpus.readers.tokens import join_tokens
from adagram.corpus.state import ReadState
from adagram.errors import InputError
from adagram.text.documents import Document, Kind, make_document

MAX_LINE = 1 << 16
LONGEST = 1 << 20  # characters; longer documents come in parts
_RANGE = re.compile(r"\d+[-.]\d+")
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"</?[A-Za-z_][^<>]*/?>\s*")
_SENTENCE_TAG = re.compile(r"</?(?:s|sent|sentence|p|doc|text)\b")
_DOCUMENT_TAG = re.compile(r"<(?:doc|text|file)\b")
# A name begins where no other ends: a long run of letters is looked at once.
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_EMPTY = ("", "_")


def read_conllu(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Documents begin at `# newdoc`, with the comments before their first word as fields; empty lines end sentences.

    Multi-word ranges and empty nodes are left out for the words in them.
    """
    return _documents(stream, _Document(name, state), _parse_conllu)


def read_vertical(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Word, tag and lemma columns; documents begin at <doc …> (or text, file), whose attributes are their fields.

    Sentences end at structure tags such as </s>, glue tags join nothing.
    """
    return _documents(stream, _Document(name, state), _parse_vertical)


class _Document:
    """The document that is read; its sentences are lines."""

    def __init__(self, source: str, state: ReadState) -> None:
        self.source, self.state = source, state
        self.name, self.fields, self.has_begun = source, dict[str, str](), False
        self._words: list[str] = []
        self._lines: list[str] = []
        self._length = 0
        self._kind = Kind.EXACT if state.options.unit == "lemma_pos" else Kind.WORDS

    def begin(self, name: str, fields: dict[str, str]) -> Iterator[Document]:
        """Give away what there is of the document before."""
        yield from self.take()
        self.name, self.fields, self.has_begun = name, fields, False

    def add(self, word: str) -> None:
        self._words.append(word)
        self.has_begun = True

    def end_sentence(self) -> Iterator[Document]:
        if self._words:
            self._lines.append(join_tokens(self._words, self.state.report))
            self._length += len(self._lines[-1])
            self._words = []
        if self._length > LONGEST:
            yield from self.take()

    def take(self) -> Iterator[Document]:
        yield from self.end_sentence()
        if self._lines:
            yield make_document(self.name, "\n".join(self._lines), self.fields, self._kind)
            self._lines, self._length = [], 0


def _documents(
    stream: BinaryIO, made: _Document, parse: Callable[[str, int, _Document], Iterator[Document]]
) -> Iterator[Document]:
    number = 0
    try:
        while data := stream.readline(MAX_LINE):
            number += 1
            yield from parse(data.decode("utf-8", "replace").rstrip("\r\n"), number, made)
    except InputError:
        yield from made.take()  # the words before the damage
        raise
    yield from made.take()


def _parse_conllu(line: str, number: int, made: _Document) -> Iterator[Document]:
    if not line.strip():
        yield from made.end_sentence()
    elif line.startswith("#"):
        key, is_pair, value = map(str.strip, line[1:].partition("="))
        if line.startswith("# newdoc"):
            yield from made.begin(value if is_pair else f"{made.source} line {number}", {})
        elif is_pair and not made.has_begun:
            made.fields[key] = value
    else:
        word = _conllu_word(line, number, made)
        if word:
            made.add(word)


def _conllu_word(line: str, number: int, made: _Document) -> str:
    columns = line.split("\t")
    if _RANGE.fullmatch(columns[0]):
        return ""
    if len(columns) < 4 or not _NUMBER.fullmatch(columns[0]):
        what = f"expected the tab-separated columns of CoNLL-U, found {line[:40]!r}"
        made.state.bad_line(made.source, number, what)
        return ""
    return _choose(columns[1], columns[2], columns[3], made.state)


def _parse_vertical(line: str, number: int, made: _Document) -> Iterator[Document]:
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
    elif chosen := _choose(word, lemma, tag, made.state):
        made.add(chosen)


def _choose(word: str, lemma: str, pos: str, state: ReadState) -> str:
    """The unit that was asked for; where the lemma is missing the word stands in."""
    unit = state.options.unit
    if unit == "word":
        return word
    base = word if lemma in _EMPTY else lemma
    if unit == "lemma":
        return base
    if state.options.tokenizer_config.fold_case:
        base = base.lower()  # the part of speech keeps its case: bank_NOUN
    return f"{base}_{pos}"
