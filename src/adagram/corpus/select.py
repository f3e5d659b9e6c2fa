"""Which words become the vocabulary, and what each filter took away."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.config import EncodeOptions
from adagram.corpus.report import Removed
from adagram.errors import InputError
from adagram.vocabulary import Vocabulary


@dataclass(frozen=True)
class Candidates:
    """What was counted: `word(i)` has been seen `counts[i]` times; where the count is 0 there is no word."""

    counts: NDArray[np.int64]
    word: Callable[[int], str]


@dataclass(frozen=True)
class Selection:
    vocabulary: Vocabulary
    ids: NDArray[
        np.int64
    ]  # (n_words,) which candidate each word of the vocabulary is; 0, no word, if it was not seen
    removed: dict[str, Removed]  # by filter


def select_words(candidates: Candidates, options: EncodeOptions) -> Selection:
    """The vocabulary: from the counts, or from a word-count file if the options name one."""
    if options.vocabulary is None:
        return _filter_words(candidates, options)
    listed = list(read_word_counts(options.vocabulary).items())
    counts = np.array([n for _, n in listed], np.int64)
    vocabulary = _filter_words(Candidates(counts, lambda i: listed[i][0]), options).vocabulary
    ids = np.zeros(len(vocabulary), np.int64)
    for i in np.flatnonzero(candidates.counts).tolist():
        place = vocabulary.index.get(candidates.word(i))
        if place is not None:
            ids[place] = i
    kept = ids[ids > 0]
    if len(kept) == 0:
        raise InputError(
            f"no word of the corpus is in {options.vocabulary}; was it made with the same tokenizer?"
        )
    removed: dict[str, Removed] = {}
    n_types, n_tokens = np.count_nonzero(candidates.counts), candidates.counts.sum()
    _note(removed, "vocabulary", int(n_types - len(kept)), int(n_tokens - candidates.counts[kept].sum()))
    return Selection(vocabulary, ids, removed)


def _filter_words(candidates: Candidates, options: EncodeOptions) -> Selection:
    """Apply min_count, remove_top, stop words, pattern and max_words, in this order."""
    counts = candidates.counts
    removed: dict[str, Removed] = {}
    frequent = np.flatnonzero(counts >= options.min_count)
    n_types, n_tokens = np.count_nonzero(counts), counts.sum()
    _note(removed, "min_count", int(n_types - len(frequent)), int(n_tokens - counts[frequent].sum()))
    if len(frequent) == 0:
        raise InputError(_nothing_left(candidates, options))
    ranked = sorted((-int(counts[i]), candidates.word(i), i) for i in frequent.tolist())
    filters = _filters(options)
    for name, keeps in filters:
        kept = [entry for rank, entry in enumerate(ranked) if keeps(rank, entry[1])]
        lost = sum(n for n, _, _ in kept) - sum(n for n, _, _ in ranked)
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
    if not candidates.counts.any():
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
