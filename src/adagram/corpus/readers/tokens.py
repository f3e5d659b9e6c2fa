"""Token lists from Python, one-shot generators included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from adagram.corpus.state import CorpusReport
from adagram.errors import InputError
from adagram.text.documents import Document, Kind, make_document

# What separates words in a block, and so cannot be part of one.
_SEPARATORS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")


def read_token_lists(token_lists: Iterable[Iterable[Any]], report: CorpusReport) -> Iterator[Document]:
    """One line per token list."""
    for number, tokens in enumerate(token_lists, 1):
        yield make_document("", join_tokens(_checked(tokens, number), report), kind=Kind.EXACT)


def join_tokens(tokens: Iterable[str], report: CorpusReport) -> str:
    """A line of words; spaces and control characters inside a word become underscores, and are counted."""
    words = list(tokens)
    line = " ".join(words)
    if (
        "" not in words
        and len(_SEPARATORS.findall(line)) == max(len(words) - 1, 0)
        and line.count(" ") == len(words) - 1
    ):
        return line
    report.skipped["empty tokens"] += words.count("")
    return " ".join(_without_separators(word, report) for word in words if word)


def _without_separators(word: str, report: CorpusReport) -> str:
    if _SEPARATORS.search(word):
        report.skipped["spaces inside tokens, now _"] += 1
        return _SEPARATORS.sub("_", word)
    return word


def _checked(tokens: Any, number: int) -> list[str]:
    if isinstance(tokens, str | bytes):
        raise InputError(
            f"item {number} of the corpus is a string, not a list of tokens; split it first: {tokens[:40]!r}"
        )
    try:
        words = list(tokens)
    except TypeError:
        raise InputError(
            f"item {number} of the corpus is {type(tokens).__name__}, not a list of tokens"
        ) from None
    for word in words:
        if not isinstance(word, str):
            raise InputError(f"item {number} of the corpus has {word!r}, which is not a string, as a token")
    return words
