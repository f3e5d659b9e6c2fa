"""The words of a corpus: counted while it is read, then chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.config import EncodeOptions, min_count_for
from adagram.corpus.state import Removed
from adagram.errors import InputError
from adagram.kernels.text.scan import TOO_LONG
from adagram.kernels.text.words import Words, fill_slots, merge_words
from adagram.unknown import MOST_OF_TEXT
from adagram.vocabulary import Vocabulary

DROPPED = 0  # the provisional id of tokens that are no word; real ids start at 1


@dataclass(frozen=True)
class Candidates:
    """What was counted: `word(i)` has been seen `counts[i]` times; where the count is 0 there is no word."""

    counts: NDArray[np.int64]
    word: Callable[[int], str]


class WordTable:
    """Gives words provisional ids in the order of first occurrence and counts them.

    When more than `limit` words are held, the rarest are forgotten until half are left; a forgotten word that
    comes again gets a new id, so its count is then a lower bound.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.n_words = 0
        self.n_forgotten_tokens = 0
        self.n_forgotten_words = 0
        self.n_too_long = 0
        self.next_id = DROPPED + 1
        self._ids = np.empty(0, np.uint32)  # provisional id of each word held
        self._words = Words(
            np.zeros(1 << 16, np.int32),
            np.empty(0, np.uint64),
            np.zeros(1, np.int64),
            np.empty(0, np.uint8),
            np.empty(0, np.int64),
        )

    def candidates(self) -> Candidates:
        """Counts and words by provisional id; ids of forgotten words have the count 0."""
        counts = np.zeros(self.next_id, np.int64)
        places = np.zeros(self.next_id, np.int32)
        held = self._ids[: self.n_words]
        counts[held] = self._words.counts[: self.n_words]
        places[held] = np.arange(self.n_words, dtype=np.int32)
        offsets, pool = self._words.offsets, self._words.pool

        def word(i: int) -> str:
            first, last = offsets[places[i] : places[i] + 2]
            return str(pool[first:last].tobytes(), "utf-8")

        return Candidates(counts, word)

    @property
    def n_tokens(self) -> int:
        return int(self._words.counts[: self.n_words].sum()) + self.n_forgotten_tokens

    def add(self, words: Words) -> NDArray[np.uint32]:
        """Count a block's words; the provisional id of each."""
        self.n_too_long += int(words.counts[TOO_LONG])
        words.counts[TOO_LONG] = 0
        self._make_room(len(words.counts), len(words.pool))
        places = np.empty(len(words.counts), np.int32)
        before, self.n_words = self.n_words, merge_words(self._words, self.n_words, words, places)
        n_new = self.n_words - before
        self._ids[before : self.n_words] = np.arange(self.next_id, self.next_id + n_new)
        self.next_id += n_new
        ids = np.where(places < 0, DROPPED, self._ids[places])
        if self.n_words > self.limit:
            self._forget_rare()
        return ids

    def _make_room(self, n_words: int, n_bytes: int) -> None:
        """Grow so that a block with so many words and bytes fits whatever it holds."""
        slots, hashes, offsets, pool, counts = self._words
        needed = self.n_words + n_words
        if needed > len(hashes):
            size = max(needed, len(hashes) + len(hashes) // 2)
            hashes, counts = _longer(hashes, size), _longer(counts, size)
            offsets, self._ids = _longer(offsets, size + 1), _longer(self._ids, size)
        used = int(offsets[self.n_words])
        if used + n_bytes > len(pool):
            pool = _longer(pool, max(used + n_bytes, len(pool) + len(pool) // 2))
        if 2 * needed > len(slots):
            slots = np.zeros(1 << (4 * needed - 1).bit_length() - 1, np.int32)
            fill_slots(slots, hashes, self.n_words)
        self._words = Words(slots, hashes, offsets, pool, counts)

    def _forget_rare(self) -> None:
        n = self.n_words
        counts = self._words.counts[:n]
        # The least count such that the words above it are at most half the limit.
        floor = int(np.partition(counts, n - self.limit // 2 - 1)[n - self.limit // 2 - 1])
        keep = counts > floor
        self.n_forgotten_tokens += int(counts[~keep].sum())
        self.n_forgotten_words += int(n - keep.sum())
        slots, hashes, offsets, pool, _ = self._words
        lengths = np.diff(offsets[: n + 1])
        pool = pool[: offsets[n]][np.repeat(keep, lengths)]
        offsets = np.concatenate([[0], np.cumsum(lengths[keep])])
        self._ids, hashes, counts = self._ids[:n][keep], hashes[:n][keep], counts[keep]
        slots[:] = 0
        self.n_words = len(counts)
        fill_slots(slots, hashes, self.n_words)
        self._words = Words(slots, hashes, offsets, pool, counts)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer


@dataclass(frozen=True)
class Selection:
    vocabulary: Vocabulary
    # (n_words,) which candidate each word of the vocabulary is; 0, no word, if it was not seen
    ids: NDArray[np.int64]
    removed: dict[str, Removed]  # by filter
    rare: dict[str, int] = field(default_factory=dict)  # words below min_count, the most frequent of them


def select_words(
    candidates: Candidates,
    options: EncodeOptions,
    known: Vocabulary | None = None,
    met: Mapping[str, int] | None = None,
) -> Selection:
    """The vocabulary: from the counts, or from a word-count file if the options name one; after the `known` words."""
    if known is not None:
        return add_words(candidates, options, known, met or {})
    if options.vocabulary is None:
        return _some_words(candidates, options)
    listed = list(read_word_counts(options.vocabulary).items())
    counts = np.array([n for _, n in listed], np.int64)
    vocabulary = _some_words(Candidates(counts, lambda i: listed[i][0]), options).vocabulary
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


def add_words(
    candidates: Candidates, options: EncodeOptions, known: Vocabulary, met: Mapping[str, int]
) -> Selection:
    """The known words, and after them the new ones that the filters leave; counts are of both texts together.

    A new word that texts have `met` so often before needs the fewer uses now. Only those of now teach it, and count.
    """
    ids, before = np.zeros(len(known), np.int64), np.zeros_like(candidates.counts)
    for i in np.flatnonzero(candidates.counts).tolist():
        word = candidates.word(i)
        place = known.index.get(word)
        if place is not None:
            ids[place] = i
        else:
            before[i] = met.get(word, 0)
    if not ids.any():
        raise none_known(int(np.count_nonzero(candidates.counts)))
    unknown = candidates.counts + before
    unknown[ids] = 0
    options = replace(
        options, min_count=_least(candidates, options)
    )  # for the text, not for what is unknown in it
    new = _filter_words(Candidates(unknown, candidates.word), options)
    order = np.argsort(-candidates.counts[new.ids], kind="stable")
    words, new_ids = [new.vocabulary.words[i] for i in order.tolist()], new.ids[order]
    counts = np.append(
        known.counts + np.where(ids > 0, candidates.counts[ids], 0), candidates.counts[new_ids]
    )
    vocabulary = Vocabulary([*known.words, *words], counts)
    return Selection(vocabulary, np.append(ids, new_ids), new.removed, new.rare)


def none_known(n_types: int) -> InputError:
    return InputError(
        f"none of the {n_types} words of the text is known to the model, so it cannot go on with it; "
        "is it in the same language, and cut into words in the same way?"
    )


def _some_words(candidates: Candidates, options: EncodeOptions) -> Selection:
    """What the filters leave; nothing is an error."""
    selection = _filter_words(candidates, options)
    if not len(selection.vocabulary):
        raise InputError(_nothing_left(candidates, options))
    return selection


def _least(candidates: Candidates, options: EncodeOptions) -> int:
    """min_count, or that for the length of the text."""
    return options.min_count or min_count_for(int(candidates.counts.sum()))


def _filter_words(candidates: Candidates, options: EncodeOptions) -> Selection:
    """Apply min_count, remove_top, stop words, pattern and max_words, in this order."""
    counts = candidates.counts
    removed: dict[str, Removed] = {}
    least = _least(candidates, options)
    frequent, rare = np.flatnonzero(counts >= least), np.flatnonzero((counts > 0) & (counts < least))
    rare = rare[np.argsort(-counts[rare], kind="stable")][:MOST_OF_TEXT]
    n_types, n_tokens = np.count_nonzero(counts), counts.sum()
    _note(removed, "min_count", int(n_types - len(frequent)), int(n_tokens - counts[frequent].sum()))
    ranked = sorted((-int(counts[i]), candidates.word(i), i) for i in frequent.tolist())
    for name, keeps in _filters(options):
        kept = [entry for rank, entry in enumerate(ranked) if keeps(rank, entry[1])]
        lost = sum(n for n, _, _ in kept) - sum(n for n, _, _ in ranked)
        _note(removed, name, len(ranked) - len(kept), lost)
        ranked = kept
    vocabulary = Vocabulary([word for _, word, _ in ranked], np.array([-n for n, _, _ in ranked], np.int64))
    ids = np.array([i for _, _, i in ranked], np.int64)
    return Selection(vocabulary, ids, removed, {candidates.word(i): int(counts[i]) for i in rare.tolist()})


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
    least = _least(candidates, options)
    if n_frequent := int((candidates.counts >= least).sum()):
        names = ", ".join(name for name, _ in _filters(options))
        return f"no word is left of {n_frequent} after {names}; loosen these options"
    best = int(candidates.counts.argmax())
    return (
        f"no word occurs min_count = {least} times: the most frequent, "
        f"{candidates.word(best)!r}, occurs {int(candidates.counts[best])} times; lower --min-count"
    )


LONGEST_COUNT = 17  # digits: sums of such counts stay below 2^63


def read_word_counts(path: Path) -> dict[str, int]:
    """A word-count file: one word, then tab or space, then its count, per line."""
    counts: dict[str, int] = {}
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                fields = line.rsplit(maxsplit=1)
                if not fields:
                    continue
                if len(fields) != 2 or not fields[1].isdecimal() or len(fields[1]) > LONGEST_COUNT:
                    raise InputError(f"{path} line {number}: expected word<TAB>count, found {line[:60]!r}")
                counts[fields[0].strip()] = counts.get(fields[0].strip(), 0) + int(fields[1])
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the word-count file {path} cannot be read: {error}") from error
    if not counts:
        raise InputError(f"the word-count file {path} has no words")
    return counts
