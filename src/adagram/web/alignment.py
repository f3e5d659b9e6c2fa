"""Find the words of a tokenizer in the text that they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import normalize

from adagram.analysis.describe import sentence_bounds
from adagram.corpus.tokenize import SAME, UNSPACED
from adagram.model import Model

_FULL_STOP = re.compile("(?<=[。！？])")  # no space follows


@dataclass(frozen=True)
class Piece:
    """A part of the text; `word` is None for what is between words."""

    text: str
    word: str | None


def cut(model: Model, text: str) -> list[Piece]:
    """Cut a text into the words that it has for a model, and what is between them."""
    joiner = (model.info.get("tokenizer") or {}).get("phrase_joiner", "")
    return align(text, model.tokenize(text), joiner)


def sentences(text: str) -> list[str]:
    """Cut a text after each line and sentence; joined, the parts give the text again.

    >>> sentences("One. Two.\\n三。四。")
    ['One. ', 'Two.\\n', '三。', '四。']
    """
    return [
        part
        for line in text.splitlines(keepends=True)
        for start, stop in pairwise(sentence_bounds(line))
        for part in _FULL_STOP.split(line[start:stop])
        if part
    ]


def align(text: str, words: Iterable[str], joiner: str = "") -> list[Piece]:
    """Cut `text` (NFC) into pieces, one per word and one per gap; joined, the pieces give the text again.

    >>> align("Rock-n-roll: the ROCK!", ["rock-n-roll", "the", "rock"])[2:4]
    [Piece(text='the', word='the'), Piece(text=' ', word=None)]
    """
    text = normalize("NFC", text)
    folded, origin = _fold(text)
    pieces: list[Piece] = []
    at = done = 0  # places in `folded` and in `text`
    for word in words:
        found = _find(folded, word, joiner, at)
        if found is None:  # a spelling that folding does not reproduce
            pieces.append(Piece("", word))
            continue
        start, at = origin[found[0]], found[1]
        stop = max(origin[found[1]], start)
        if start > done:
            pieces.append(Piece(text[done:start], None))
        start = max(start, done)
        pieces.append(Piece(text[start : max(stop, start)], word))
        done = max(stop, done)
    if done < len(text):
        pieces.append(Piece(text[done:], None))
    return pieces


def _fold(text: str) -> tuple[str, list[int]]:
    """Return the text in lower case with one spelling of apostrophes, and the place in `text` of each character."""
    if text.isascii():  # letter for letter
        return text.lower(), list(range(len(text) + 1))
    folded: list[str] = []
    origin: list[int] = []
    for i, char in enumerate(text):
        # Which sigma it is depends on the next letter.
        lowered = SAME.get(ord(char), char.lower()).replace("ς", "σ")
        folded.append(lowered)
        origin.extend([i] * len(lowered))
    origin.append(len(text))
    return "".join(folded), origin


def _find(folded: str, word: str, joiner: str, at: int) -> tuple[int, int] | None:
    """Return start and stop of `word` at or after `at`; a joined phrase is found part by part."""
    parts = word.split(joiner) if joiner else [word]
    first, stop = -1, at
    for part in parts:
        lowered = _fold(part)[0]
        place = _find_start(folded, lowered, stop)
        if place < 0:
            return None
        first = place if first < 0 else first
        stop = place + len(lowered)
    return first, stop


def _find_start(folded: str, part: str, at: int) -> int:
    """Return the next place where `part` begins a word, or else the next where it occurs."""
    place = first = folded.find(part, at)
    while place > at and folded[place - 1].isalnum() and not UNSPACED.match(part):
        place = folded.find(part, place + 1)
    return place if place >= 0 else first
