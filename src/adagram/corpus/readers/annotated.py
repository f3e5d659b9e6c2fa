"""One word per line with annotations: CoNLL-U and vertical (Sketch Engine) files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from adagram.corpus.blocks import join_blocks
from adagram.corpus.readers.tokens import join_tokens
from adagram.corpus.state import Reading
from adagram.errors import InputError

MAX_LINE = 1 << 16
_RANGE = re.compile(r"\d+[-.]\d+")
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"</?[A-Za-z_][^<>]*/?>\s*")
_SENTENCE_TAG = re.compile(r"</?(?:s|sent|sentence|p|doc|text)\b")
_EMPTY = ("", "_")

Fields = list[str]


def read_conllu(stream: BinaryIO, name: str, reading: Reading) -> Iterator[bytes]:
    """Sentences end at empty lines; multi-word ranges and empty nodes are left out for the words in them."""
    return join_blocks(_sentences(stream, reading, lambda line, number: _conllu(line, name, number, reading)))


def read_vertical(stream: BinaryIO, name: str, reading: Reading) -> Iterator[bytes]:
    """Word, tag and lemma columns; sentences end at structure tags such as </s>, glue tags join nothing."""
    return join_blocks(
        _sentences(stream, reading, lambda line, number: _vertical(line, name, number, reading))
    )


def _sentences(stream: BinaryIO, reading: Reading, parse: Callable[[str, int], str | None]) -> Iterator[str]:
    """Lines of words; `parse` gives a word, "" where a sentence ends, or None for nothing."""
    words: list[str] = []
    number = 0
    try:
        while data := stream.readline(MAX_LINE):
            number += 1
            word = parse(data.decode("utf-8", "replace").rstrip("\r\n"), number)
            if word:
                words.append(word)
            elif word == "" and words:
                yield join_tokens(words, reading.report)
                words = []
    except InputError:
        yield join_tokens(words, reading.report)  # the words before the damage
        raise
    yield join_tokens(words, reading.report)


def _conllu(line: str, name: str, number: int, reading: Reading) -> str | None:
    if not line.strip():
        return ""
    if line.startswith("#"):
        return None
    fields = line.split("\t")
    if _RANGE.fullmatch(fields[0]):
        return None
    if len(fields) < 4 or not _NUMBER.fullmatch(fields[0]):
        reading.bad_line(name, number, f"expected the tab-separated columns of CoNLL-U, found {line[:40]!r}")
        return None
    return _choose(fields[1], fields[2], fields[3], reading)


def _vertical(line: str, name: str, number: int, reading: Reading) -> str | None:
    if not line.strip():
        return None
    if _TAG.fullmatch(line):
        return "" if _SENTENCE_TAG.match(line) else None
    fields = line.split("\t")
    word, tag, lemma = (*fields, "", "")[:3]
    if len(fields) < 3 and reading.options.unit != "word":
        reading.bad_line(name, number, f"expected word, tag and lemma between tabs, found {line[:40]!r}")
        return None
    return _choose(word, lemma, tag, reading)


def _choose(word: str, lemma: str, pos: str, reading: Reading) -> str:
    """The unit that was asked for; where the lemma is missing the word stands in."""
    unit = reading.options.unit
    if unit == "word":
        return word
    base = word if lemma in _EMPTY else lemma
    if unit == "lemma":
        return base
    if reading.options.tokenizer_config.fold_case:
        base = base.lower()  # the part of speech keeps its case: bank_NOUN
    return f"{base}_{pos}"
