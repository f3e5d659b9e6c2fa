"""Find the words of a tokenizer in the text that they come from, and the sentences of a text."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

from adagram.analysis.describe import sentence_bounds
from adagram.corpus.tokenize import CHUNK, SAME, UNSPACED, Tokenizer, TokenizerConfig, make_tokenizer
from adagram.model import Model

_FULL_STOP = re.compile("(?<=[。！？])")  # no space follows
_INNER = re.compile(r"\w(?:.*\w)?")  # all but the punctuation around it


class Placed(NamedTuple):
    """A word, and where it stands in the text."""

    word: str
    start: int
    stop: int


@dataclass(frozen=True)
class Piece:
    """A part of the text; `word` is None for what is between words."""

    text: str
    word: str | None


def cut(model: Model, text: str) -> list[Piece]:
    """Cut a text into the words that it has for a model, and what is between them; joined, they give it (in NFC)."""
    text = normalize("NFC", text)
    config = TokenizerConfig.from_dict(model.info.get("tokenizer") or {})
    tokenize = make_tokenizer(replace(config, phrase_joiner=""))
    return pieces(text, place_words(text, tokenize, config.phrase_joiner, model.vocabulary.index))


def pieces(text: str, words: list[Placed]) -> list[Piece]:
    """Cut a text at its words."""
    found: list[Piece] = []
    done = 0
    for word, start, stop in words:
        if start > done:
            found.append(Piece(text[done:start], None))
        found.append(Piece(text[start:stop], word))
        done = stop
    return [*found, Piece(text[done:], None)] if done < len(text) else found


def place_words(text: str, tokenize: Tokenizer, joiner: str = "", phrases: Container[str] = ()) -> list[Placed]:
    """Find each word where it stands; a phrase, joined from neighbours if it is one of `phrases`, covers them all.

    A tokenizer never reaches beyond what stands between spaces. A spelling there that it changed in another way than
    lower case, such as a lemma, is the whole chunk without its punctuation.

    >>> place_words("In New York!", make_tokenizer(), "_", {"new_york"})
    [Placed(word='in', start=0, stop=2), Placed(word='new_york', start=3, stop=11)]
    """
    found: list[Placed] = []
    for chunk in CHUNK.finditer(text):
        at, stop = chunk.span()
        folded, origin = _fold(chunk[0])
        seen = 0  # of `folded`
        for word in tokenize(chunk[0]):
            lowered = _fold(word)[0]
            place = _find(folded, lowered, seen)
            if place >= 0:
                seen = place + len(lowered)
                begin, end = chunk.start() + origin[place], chunk.start() + origin[seen]
            elif at == chunk.start() and (inner := _INNER.search(text, at, stop)):
                begin, end = inner.span()
            else:
                begin = end = at
            begin = max(begin, at)
            at = max(begin, end)
            phrase = found[-1].word + joiner + word if joiner and found else ""
            if phrase and phrase in phrases:
                found[-1] = Placed(phrase, found[-1].start, at)
            else:
                found.append(Placed(word, begin, at))
    return found


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


def _find(folded: str, word: str, at: int) -> int:
    """Return the next place where a word begins, or else the next where it occurs; -1 if there is none."""
    place = first = folded.find(word, at)
    while place > at and folded[place - 1].isalnum() and not UNSPACED.match(word):
        place = folded.find(word, place + 1)
    return place if place >= 0 else first


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
