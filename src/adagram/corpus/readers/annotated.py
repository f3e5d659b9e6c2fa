"""One word per line with annotations: CoNLL-U and vertical (Sketch Engine) files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from adagram.corpus.blocks import join_blocks
from adagram.corpus.readers.tokens import join_tokens
from adagram.corpus.state import ReadState
from adagram.errors import InputError

MAX_LINE = 1 << 16
_RANGE = re.compile(r"\d+[-.]\d+")
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"</?[A-Za-z_][^<>]*/?>\s*")
_SENTENCE_TAG = re.compile(r"</?(?:s|sent|sentence|p|doc|text)\b")
_EMPTY = ("", "_")

Fields = list[str]


def read_conllu(stream: BinaryIO, name: str, state: ReadState) -> Iterator[bytes]:
    """Sentences end at empty lines; multi-word ranges and empty nodes are left out for the words in them."""
    return join_blocks(
        _sentences(stream, state, lambda line, number: parse_conllu(line, name, number, state))
    )


def read_vertical(stream: BinaryIO, name: str, state: ReadState) -> Iterator[bytes]:
    """Word, tag and lemma columns; sentences end at structure tags such as </s>, glue tags join nothing."""
    return join_blocks(
        _sentences(stream, state, lambda line, number: parse_vertical(line, name, number, state))
    )


def _sentences(stream: BinaryIO, state: ReadState, parse: Callable[[str, int], str | None]) -> Iterator[str]:
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
                yield join_tokens(words, state.report)
                words = []
    except InputError:
        yield join_tokens(words, state.report)  # the words before the damage
        raise
    yield join_tokens(words, state.report)


def parse_conllu(line: str, name: str, number: int, state: ReadState) -> str | None:
    """The word of a line, "" where a sentence ends, or None for nothing."""
    if not line.strip():
        return ""
    if line.startswith("#"):
        return None
    fields = line.split("\t")
    if _RANGE.fullmatch(fields[0]):
        return None
    if len(fields) < 4 or not _NUMBER.fullmatch(fields[0]):
        state.bad_line(name, number, f"expected the tab-separated columns of CoNLL-U, found {line[:40]!r}")
        return None
    return _choose(fields[1], fields[2], fields[3], state)


def parse_vertical(line: str, name: str, number: int, state: ReadState) -> str | None:
    """The word of a line, "" where a sentence ends, or None for nothing."""
    if not line.strip():
        return None
    if _TAG.fullmatch(line):
        return "" if _SENTENCE_TAG.match(line) else None
    fields = line.split("\t")
    word, tag, lemma = (*fields, "", "")[:3]
    if len(fields) < 3 and state.options.unit != "word":
        state.bad_line(name, number, f"expected word, tag and lemma between tabs, found {line[:40]!r}")
        return None
    return _choose(word, lemma, tag, state)


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
