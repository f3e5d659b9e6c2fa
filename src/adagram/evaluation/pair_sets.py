"""Readers of word-pair sets: SCWS ratings in context, similarity lists, analogy questions."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines, parse_number


@dataclass(frozen=True)
class InContext:
    """A word with the text on both sides of it."""

    word: str
    left: str
    right: str


@dataclass(frozen=True)
class RatedPair:
    first: InContext
    second: InContext
    rating: float


@dataclass(frozen=True)
class Analogy:
    """`a` is to `b` as `c` is to `d`."""

    section: str
    a: str
    b: str
    c: str
    d: str


def read_scws(path: Path) -> list[RatedPair]:
    """Read ratings.txt: id, word, its part of speech, word, its, two contexts, mean rating, ratings."""
    pairs = []
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if not line:
            continue
        if len(cells) < 8:
            raise bad_line(path, number, f"expected at least 8 tab-separated cells, found {len(cells)}")
        first = _in_context(cells[1], cells[5], path, number)
        second = _in_context(cells[3], cells[6], path, number)
        pairs.append(RatedPair(first, second, parse_number(cells[7], path, number, "the mean rating")))
    _refuse_none(pairs, path, "pairs")
    return pairs


def _in_context(word: str, text: str, path: Path, number: int) -> InContext:
    left, start, rest = text.partition("<b>")
    _, end, right = rest.partition("</b>")
    if not start or not end:
        raise bad_line(path, number, f"the context of {word} marks no target as <b>{word}</b>")
    return InContext(word, left, right)


def read_similarity(path: Path) -> list[RatedPair]:
    """Read lines of two words and a rating (tabs, commas, semicolons or blanks between); a header may lead."""
    pairs = []
    for number, line in numbered_lines(path):
        separator = next((mark for mark in "\t,;" if mark in line), None)
        cells = [cell.strip() for cell in line.split(separator)]
        is_header = number == 1 and len(cells) > 2 and not _is_number(cells[2])
        if not line.strip() or line.startswith("#") or is_header:
            continue
        if len(cells) < 3:
            raise bad_line(path, number, f"expected two words and a rating, found {line[:60]!r}")
        rating = parse_number(cells[2], path, number, "the rating")
        pairs.append(RatedPair(InContext(cells[0], "", ""), InContext(cells[1], "", ""), rating))
    _refuse_none(pairs, path, "pairs")
    return pairs


def read_analogies(path: Path) -> list[Analogy]:
    """Read questions-words.txt: `: section` lines and lines of four words."""
    questions = []
    section = "all"
    for number, line in numbered_lines(path):
        words = line.split()
        if line.startswith(":"):
            section = line[1:].strip().replace(" ", "-") or "all"
        elif len(words) == 4:
            questions.append(Analogy(section, *words))
        elif words:
            raise bad_line(path, number, f"expected four words or ': section', found {line[:60]!r}")
    _refuse_none(questions, path, "questions")
    return questions


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_none(items: Sized, path: Path, what: str) -> None:
    if not items:
        raise InputError(f"{path} holds no {what}")
