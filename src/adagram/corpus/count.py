"""Count the words of a corpus while it is read, then choose the vocabulary.

Text is split at spaces, and each distinct chunk goes through the tokenizer once: words and normalisation never cross a
space, and most chunks come again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.documents import Document, Removed, by_kind
from adagram.corpus.options import EncodeOptions, min_count_for
from adagram.corpus.tokenize import CHUNK, UNSPACED, TokenizerConfig, make_splitter
from adagram.corpus.vocabulary import MAX_RARE_OF_TEXT, Vocabulary
from adagram.errors import InputError

DROPPED = 0  # the provisional id of tokens that are not words; real ids start at 1
NO_WORD = np.uint32(0xFFFFFFFF)
TOO_LONG = ""  # stands for a word of more than max_chars
MAX_CACHED = 1 << 19  # chunks whose words are cached
MAX_CACHED_CHARS = 100  # longer chunks hardly occur again
_LINE_END = "\n"
MAX_DIGITS = 17  # of a count: sums stay below 2^63


@dataclass(frozen=True)
class Scan:
    """A block's tokens as places in its own list of words."""

    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]  # of lines, counted in tokens
    words: list[str]  # distinct, in the order of first occurrence; the first is TOO_LONG
    counts: NDArray[np.int64]  # of each word
    n_runs: int = 0  # words that are runs of a script without spaces, left whole


class Scanner:
    """Splits blocks of text by one tokenizer."""

    def __init__(self, config: TokenizerConfig) -> None:
        self._find_chunks = CHUNK.findall if config.pretokenized else str.split
        self._cache = _ChunkCache(config)
        self._keeps_runs = not (config.cut_unspaced or config.pretokenized)

    def scan(self, block: bytes) -> Scan:
        *lines, rest = block.decode("utf-8", "replace").split(_LINE_END)
        chunks: list[str] = []
        for line in lines:
            chunks += self._find_chunks(line)
            chunks.append(_LINE_END)
        chunks += self._find_chunks(rest)
        places = _Places({TOO_LONG: 0, _LINE_END: -1})
        found = chain.from_iterable(map(self._cache.__getitem__, chunks))
        tokens = np.fromiter(map(places.__getitem__, found), np.int32)
        is_end = tokens < 0
        ends = np.flatnonzero(is_end)
        ends = np.unique(ends - np.arange(len(ends)))  # in tokens; empty lines leave no end
        tokens = tokens[~is_end]
        del places[_LINE_END]
        words = list(places)
        counts = np.bincount(tokens, minlength=len(words))
        self._cache.trim()
        n_runs = 0
        if self._keeps_runs:
            is_run = [not word.isascii() and UNSPACED.search(word) is not None for word in words]
            n_runs = int(counts[is_run].sum())
        return Scan(tokens, ends, words, counts, n_runs)


class _ChunkCache(dict[str, tuple[str, ...]]):
    """The words of each chunk of text."""

    def __init__(self, config: TokenizerConfig) -> None:
        self._split, self._max_chars = make_splitter(config), config.max_chars
        self.trim(0)

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        words = tuple([w if len(w) <= self._max_chars else TOO_LONG for w in self._split(chunk)])
        if len(chunk) <= MAX_CACHED_CHARS:
            self[chunk] = words
        return words

    def trim(self, limit: int = MAX_CACHED) -> None:
        """Start anew beyond the limit."""
        if len(self) >= limit:
            self.clear()
            self[_LINE_END] = (_LINE_END,)


class _Places(dict[str, int]):
    """Numbers words in the order of first occurrence."""

    def __missing__(self, word: str) -> int:
        place = self[word] = len(self) - 1
        return place


def make_scan(config: TokenizerConfig) -> Callable[[Document], Scan]:
    """Return a function that splits blocks, by a scanner for each kind of them."""
    configs = by_kind(config)
    scanner = cache(lambda kind: Scanner(configs[kind]))
    return lambda block: scanner(block.kind).scan(block.data)


@dataclass(frozen=True)
class Candidates:
    """`word(i)` was counted `counts[i]` times; a count of 0 means that there is no such word."""

    counts: NDArray[np.int64]
    word: Callable[[int], str]


class WordTable:
    """Gives words provisional ids in the order of first occurrence and counts them.

    When more than `limit` words are held, the rarest are forgotten until half are left; a forgotten word that
    occurs again gets a new id, so its count is then a lower bound.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.n_forgotten_tokens = 0
        self.n_forgotten_words = 0
        self.n_too_long = 0
        self._ids: dict[str, int] = {}
        self._words = [TOO_LONG]  # by provisional id
        self._counts = np.zeros(1 << 16, np.int64)  # by provisional id

    @property
    def n_tokens(self) -> int:
        return int(self._counts.sum()) + self.n_forgotten_tokens

    @property
    def n_types(self) -> int:
        return len(self._ids) + self.n_forgotten_words

    def candidates(self) -> Candidates:
        """Return counts and words by provisional id; forgotten words have the count 0."""
        return Candidates(self._counts[: len(self._words)], self._words.__getitem__)

    def add(self, block: Scan) -> NDArray[np.uint32]:
        """Count a block's words; return the provisional id of each."""
        words = block.words[1:]
        new = [word for word in words if word not in self._ids]
        self._ids.update(zip(new, range(len(self._words), len(self._words) + len(new)), strict=True))
        self._words += new
        if len(self._words) > len(self._counts):
            self._counts = np.append(self._counts, np.zeros(len(self._words), np.int64))
        ids = np.fromiter(map(self._ids.__getitem__, words), np.uint32, len(words))
        self._counts[ids] += block.counts[1:]
        self.n_too_long += int(block.counts[0])
        if len(self._ids) > self.limit:
            self._forget_rare()
        return np.append(np.uint32(DROPPED), ids)

    def _forget_rare(self) -> None:
        held = np.fromiter(self._ids.values(), np.int64, len(self._ids))
        counts = self._counts[held]
        # The least count such that the words above it are at most half the limit.
        n = len(counts) - self.limit // 2 - 1
        rare = held[counts <= np.partition(counts, n)[n]]
        self.n_forgotten_tokens += int(self._counts[rare].sum())
        self.n_forgotten_words += len(rare)
        self._counts[rare] = 0
        for i in rare.tolist():
            del self._ids[self._words[i]]
            self._words[i] = ""


@dataclass(frozen=True)
class Selection:
    """The chosen vocabulary."""

    vocabulary: Vocabulary
    ids: NDArray[np.int64]  # (n_words,) the candidate of each word; 0 if it was not seen
    removed: dict[str, Removed]  # by filter
    rare: dict[str, int] = field(default_factory=dict)  # the most frequent words below min_count

    def numbers(self, n_candidates: int) -> NDArray[np.uint32]:
        """Return the id of each candidate in the vocabulary; NO_WORD if it was not chosen."""
        numbers = np.full(n_candidates, NO_WORD, np.uint32)
        numbers[self.ids] = np.arange(len(self.vocabulary), dtype=np.uint32)
        numbers[DROPPED] = NO_WORD  # of words that were not seen
        return numbers


def select_words(
    candidates: Candidates,
    options: EncodeOptions,
    old_vocabulary: Vocabulary | None = None,
    rare_counts: Mapping[str, int] | None = None,
) -> Selection:
    """Choose the words: by their counts, from a word-count file, or in addition to `old_vocabulary`."""
    if old_vocabulary is not None:
        return add_words(candidates, options, old_vocabulary, rare_counts or {})
    if options.vocabulary is None:
        return _filter_or_refuse(candidates, options)
    listed = list(read_word_counts(options.vocabulary).items())
    counts = np.array([n for _, n in listed], np.int64)
    vocabulary = _filter_or_refuse(Candidates(counts, lambda i: listed[i][0]), options).vocabulary
    ids = _find_words(candidates, vocabulary)
    kept = ids[ids > 0]
    if len(kept) == 0:
        raise InputError(f"no word of the corpus is in {options.vocabulary}; was it made with the same tokenizer?")
    n_types, n_tokens = np.count_nonzero(candidates.counts) - len(kept), candidates.counts.sum()
    lost = Removed(int(n_types), int(n_tokens - candidates.counts[kept].sum()))
    return Selection(vocabulary, ids, {"vocabulary": lost} if lost.types else {})


def add_words(
    candidates: Candidates, options: EncodeOptions, old_vocabulary: Vocabulary, rare_counts: Mapping[str, int]
) -> Selection:
    """Choose new words, which come after those of `old_vocabulary`; counts are of both texts together.

    The uses of a new word in earlier texts, `rare_counts`, help it to reach min_count; they do not add to its count, as
    only those of this text train it.
    """
    ids = _find_words(candidates, old_vocabulary)
    if not ids.any():
        raise InputError(
            f"none of the {np.count_nonzero(candidates.counts)} words of the text is known to the model, so it cannot "
            "go on with it; is it in the same language, and cut into words in the same way?"
        )
    unknown = candidates.counts.copy()
    unknown[ids] = 0
    for i in np.flatnonzero(unknown).tolist():
        unknown[i] += rare_counts.get(candidates.word(i), 0)
    options = replace(options, min_count=_min_count(candidates, options))  # of the whole text
    new = _filter_words(Candidates(unknown, candidates.word), options)
    order = np.argsort(-candidates.counts[new.ids], kind="stable")
    words, new_ids = [new.vocabulary.words[i] for i in order.tolist()], new.ids[order]
    old_counts = old_vocabulary.counts + np.where(ids > 0, candidates.counts[ids], 0)
    vocabulary = Vocabulary([*old_vocabulary.words, *words], np.append(old_counts, candidates.counts[new_ids]))
    return Selection(vocabulary, np.append(ids, new_ids), new.removed, new.rare)


def _find_words(candidates: Candidates, vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Return the candidate of each word of a vocabulary, 0 if it was not seen."""
    ids = np.zeros(len(vocabulary), np.int64)
    for i in np.flatnonzero(candidates.counts).tolist():
        place = vocabulary.index.get(candidates.word(i))
        if place is not None:
            ids[place] = i
    return ids


def _min_count(candidates: Candidates, options: EncodeOptions) -> int:
    """Return min_count, or its default for the length of the text."""
    return options.min_count or min_count_for(int(candidates.counts.sum()))


def _filter_words(candidates: Candidates, options: EncodeOptions) -> Selection:
    """Apply min_count, remove_top, stop words, pattern and max_words, in this order."""
    counts, min_count = candidates.counts, _min_count(candidates, options)
    frequent, rare = np.flatnonzero(counts >= min_count), np.flatnonzero((counts > 0) & (counts < min_count))
    removed = {"min_count": Removed(len(rare), int(counts[rare].sum()))}
    ranked = sorted((-int(counts[i]), candidates.word(i), i) for i in frequent.tolist())
    for name, keeps in _filters(options):
        kept = [entry for rank, entry in enumerate(ranked) if keeps(rank, entry[1])]
        lost = sum(n for n, _, _ in kept) - sum(n for n, _, _ in ranked)
        removed[name] = Removed(len(ranked) - len(kept), lost)
        ranked = kept
    vocabulary = Vocabulary([word for _, word, _ in ranked], np.array([-n for n, _, _ in ranked], np.int64))
    ids = np.array([i for _, _, i in ranked], np.int64)
    rare = rare[np.argsort(-counts[rare], kind="stable")][:MAX_RARE_OF_TEXT]
    return Selection(
        vocabulary,
        ids,
        {name: lost for name, lost in removed.items() if lost.types},
        {candidates.word(i): int(counts[i]) for i in rare.tolist()},
    )


def _filters(options: EncodeOptions) -> list[tuple[str, Callable[[int, str], bool]]]:
    """Return the filters after min_count by name; each gets a word's rank and the word."""
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


def _filter_or_refuse(candidates: Candidates, options: EncodeOptions) -> Selection:
    """Filter the words; if none is left, say why."""
    selection = _filter_words(candidates, options)
    if len(selection.vocabulary):
        return selection
    if not candidates.counts.any():
        raise InputError("no words were found in the corpus")
    min_count = _min_count(candidates, options)
    if n_frequent := int((candidates.counts >= min_count).sum()):
        names = ", ".join(name for name, _ in _filters(options))
        raise InputError(f"no word is left of {n_frequent} after {names}; loosen these options")
    best = int(candidates.counts.argmax())
    raise InputError(
        f"no word occurs min_count = {min_count} times: the most frequent, "
        f"{candidates.word(best)!r}, occurs {int(candidates.counts[best])} times; lower --min-count"
    )


def read_word_counts(path: Path) -> dict[str, int]:
    """Read a word-count file: one word, then tab or space, then its count, per line."""
    counts: dict[str, int] = {}
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                fields = line.rsplit(maxsplit=1)
                if not fields:
                    continue
                if len(fields) != 2 or not fields[1].isdecimal() or len(fields[1]) > MAX_DIGITS:
                    raise InputError(f"{path} line {number}: expected word<TAB>count, found {line[:60]!r}")
                counts[fields[0].strip()] = counts.get(fields[0].strip(), 0) + int(fields[1])
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the word-count file {path} cannot be read: {error}") from error
    if not counts:
        raise InputError(f"the word-count file {path} has no words")
    return counts
