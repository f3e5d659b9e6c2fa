"""Which words become the vocabulary, and what each filter took away."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.options import EncodeOptions
from adagram.corpus.report import Removed
from adagram.errors import InputError
from adagram.vocabulary import Vocabulary


@dataclass(frozen=True)
class Candidates:
    """Words that were counted: `word(i)` has been seen `counts[i]` times."""

    counts: NDArray[np.int64]
    word: Callable[[int], str]


@dataclass
class Selection:
    vocabulary: Vocabulary
    places: NDArray[np.int64]  # (n_words,) which candidate each word of the vocabulary is, -1 if it did not occur
    removed: dict[str, Removed] = field(default_factory=dict)  # by filter


def select_words(candidates: Candidates, options: EncodeOptions) -> Selection:
    """Apply min_count, remove_top, stop words, pattern and max_words, in this order."""
    counts = candidates.counts
    removed: dict[str, Removed] = {}
    frequent = np.flatnonzero(counts >= options.min_count)
    _note(removed, "min_count", len(counts) - len(frequent), int(counts.sum() - counts[frequent].sum()))
    if len(frequent) == 0:
        raise InputError(_nothing_left(candidates, options))
    ranked = sorted((-int(counts[i]), candidates.word(i), int(i)) for i in frequent)
    filters = _filters(options)
    for name, keeps in filters:
        kept = [entry for rank, entry in enumerate(ranked) if keeps(rank, entry[1])]
        lost = sum(-n for n, _, _ in ranked) - sum(-n for n, _, _ in kept)
        _note(removed, name, len(ranked) - len(kept), lost)
        ranked = kept
    if not ranked:
        names = ", ".join(name for name, _ in filters)
        raise InputError(f"no word is left of {len(frequent)} after {names}; loosen these options")
    vocabulary = Vocabulary([word for _, word, _ in ranked], np.array([-n for n, _, _ in ranked], np.int64))
    return Selection(vocabulary, np.array([i for _, _, i in ranked], np.int64), removed)


def _filters(options: EncodeOptions) -> list[tuple[str, Callable[[int, str], bool]]]:
    filters: list[tuple[str, Callable[[int, str], bool]]] = []
    if options.remove_top:
        filters.append(("remove_top", lambda rank, word: rank >= options.remove_top))
    if options.stop_words:
        filters.append(("stop_words", lambda rank, word: word not in options.stop_words))
    if options.pattern is not None:
        matches = re.compile(options.pattern).fullmatch
        filters.append(("pattern", lambda rank, word: matches(word) is not None))
    if options.max_words is not None:
        limit = options.max_words
        filters.append(("max_words", lambda rank, word: rank < limit))
    return filters


def _note(removed: dict[str, Removed], name: str, types: int, tokens: int) -> None:
    if types:
        removed[name] = Removed(types, tokens)


def _nothing_left(candidates: Candidates, options: EncodeOptions) -> str:
    if len(candidates.counts) == 0:
        return "no words were found in the corpus"
    best = int(candidates.counts.argmax())
    return (
        f"no word occurs min_count = {options.min_count} times: the most frequent, "
        f"{candidates.word(best)!r}, occurs {int(candidates.counts[best])} times; lower --min-count"
    )


def read_word_counts(path: Path) -> dict[str, int]:
    """A word-count file: one word, then tab or space, then its count, per line."""
    counts: dict[str, int] = {}
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                fields = line.rsplit(maxsplit=1)
                if not fields:
                    continue
                if len(fields) != 2 or not fields[1].isdecimal():
                    raise InputError(f"{path} line {number}: expected word<TAB>count, found {line[:60]!r}")
                counts[fields[0].strip()] = counts.get(fields[0].strip(), 0) + int(fields[1])
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the word-count file {path} cannot be read: {error}") from error
    if not counts:
        raise InputError(f"the word-count file {path} has no words")
    return counts
