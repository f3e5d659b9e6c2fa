"""Blocks of text to word numbers: the compiled scan, with Python for the few chunks it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, combining, decomposition, normalize

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.text.scan import (
    DIGIT,
    HARD,
    JOINER,
    LETTER,
    MARK,
    NUMBER,
    OTHER,
    POINT,
    TOO_LONG,
    CharTables,
    expand,
    hash_words,
    scan_block,
)
from adagram.kernels.text.words import Words
from adagram.text.languages import language_of
from adagram.text.tokenizer import JOINERS, SAME, TokenizerConfig, clean, make_splitter
from adagram.text.unspaced import UNSPACED

PLANE = 0x10000  # the basic plane; characters beyond it are hard
CACHE_LIMIT = 200_000  # split chunks remembered
LONGEST_CACHED = 100  # bytes; longer chunks hardly come again
_CAPITAL_SIGMA = "Σ"  # lower-cased by its place in the word
_HANGUL_JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))  # compose with what stands before them


@lru_cache(maxsize=4)
def make_tables(config: TokenizerConfig) -> CharTables:
    """Tables over the basic plane that say what `make_tokenizer(config)` does with each character."""
    classes = np.full(PLANE, HARD, np.uint8)
    folded = np.zeros(PLANE, np.uint16)
    moving = _moving_characters()
    fold, language = bool(config.fold_case), language_of(config.language)
    plane = "".join(map(chr, range(PLANE)))
    for char in plane if config.pretokenized else UNSPACED.sub("", plane):
        point = ord(char)
        if char in moving or 0xD800 <= point < 0xE000 or (fold and char == _CAPITAL_SIGMA):
            continue
        result = clean(char, fold, language)
        if not config.pretokenized:
            result = result.translate(SAME)
        if char.isascii() and not result.isascii():
            continue  # the kernel folds ASCII to ASCII; Turkish I is not
        if len(result) == 1 and ord(result) < PLANE and result not in moving:
            classes[point] = _tokenized_class(result) if config.pretokenized else _class(result)
            folded[point] = ord(result)
    return CharTables(classes, folded, config.numbers or config.pretokenized, config.max_chars)


def _class(char: str) -> int:
    if char.isalpha():
        return LETTER
    if char.isdecimal():
        return DIGIT
    if char.isalnum():
        return NUMBER
    if char in JOINERS:
        return JOINER
    if char in ".,":
        return POINT
    return MARK if category(char)[0] == "M" else OTHER


def _tokenized_class(char: str) -> int:
    """Between spaces everything is part of a word, except control characters and line separators."""
    return OTHER if category(char) in ("Cc", "Zl", "Zp") or char == " " else LETTER


@lru_cache(maxsize=1)
def _moving_characters() -> frozenset[str]:
    """Characters that canonical composition may change, reorder or join to the one before."""
    moving = {chr(point) for point in _HANGUL_JAMO}
    for char in map(chr, range(0x20000)):
        parts = decomposition(char)
        if parts and not parts.startswith("<"):
            moving.update(chr(int(part, 16)) for part in parts.split()[1:])
            if normalize("NFC", char) != char:
                moving.add(char)
        if combining(char):
            moving.add(char)
    return frozenset(moving)


@dataclass(frozen=True)
class Scan:
    """A block's tokens as numbers of its own words; word 0 stands for words that were too long."""

    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]
    words: Words
    n_runs: int = 0  # words that are runs of a script without spaces, left whole


class Scanner:
    """Splits blocks by one tokenizer; `scan` may run in several threads at once."""

    def __init__(self, config: TokenizerConfig) -> None:
        self._tables = make_tables(config)
        self._split = make_splitter(config)
        self._max_chars = config.max_chars
        self._keeps_runs = not (config.cut_unspaced or config.pretokenized)
        clitics = language_of(config.language).clitics if not config.pretokenized else None
        self._is_final = not (clitics or config.lemmas)
        self._cache: dict[bytes, list[bytes]] = {}

    def scan(self, block: bytes) -> Scan:
        tokens, ends, words, hard = scan_block(np.frombuffer(block, np.uint8), self._tables)
        if not self._is_final:
            hard |= self._changes(words)
        if not hard.any():
            return Scan(tokens, ends, words)
        return self._split_hard(tokens, ends, words, hard)

    def _changes(self, words: Words) -> NDArray[np.uint8]:
        """Which words the kernel has found are not yet what the tokenizer makes of them: each is asked once."""
        data, offsets = words.pool.tobytes(), words.offsets.tolist()
        found = [data[start:stop] for start, stop in pairwise(offsets)]
        return np.array(
            [i > TOO_LONG and self._split_chunk(word) != [word] for i, word in enumerate(found)], np.uint8
        )

    def _split_hard(
        self, tokens: NDArray[np.int32], ends: NDArray[np.int64], words: Words, hard: NDArray[np.uint8]
    ) -> Scan:
        """Replace hard chunks by the words in them, numbered after the words that the kernel found."""
        n_words, is_hard = len(hard), hard.astype(bool)
        places = np.flatnonzero(is_hard)
        starts, stops = words.offsets[places].tolist(), words.offsets[places + 1].tolist()
        chunks = (words.pool[start:stop].tobytes() for start, stop in zip(starts, stops, strict=True))
        found = [self._split_chunk(chunk) for chunk in chunks]
        numbers: dict[bytes, int] = {b"": TOO_LONG}
        pieces = np.array(
            [numbers.setdefault(word, n_words + len(numbers) - 1) for split in found for word in split],
            np.int32,
        )
        sizes = np.array([len(split) for split in found], np.int64)
        occurrences = words.counts[is_hard]
        words = _with_more(words, list(numbers)[1:])
        words.counts[:n_words][is_hard] = 0
        np.add.at(words.counts, pieces, np.repeat(occurrences, sizes))
        lengths = np.ones(n_words, np.int64)
        lengths[is_hard] = sizes
        tokens, ends = _expand(tokens, ends, is_hard, lengths, pieces)
        n_runs = sum(int(words.counts[i]) for word, i in numbers.items() if i and self._is_run(word))
        return Scan(tokens, ends, words, n_runs)

    def _split_chunk(self, chunk: bytes) -> list[bytes]:
        """The words of a chunk, empty for one that is too long."""
        known = self._cache.get(chunk)
        if known is None:
            text = chunk.decode("utf-8", "replace")
            found = [w.encode() if len(w) <= self._max_chars else b"" for w in self._split(text)]
            if len(chunk) > LONGEST_CACHED:
                return found
            if len(self._cache) >= CACHE_LIMIT:
                self._cache.clear()
            known = self._cache[chunk] = found
        return known

    def _is_run(self, word: bytes) -> bool:
        return self._keeps_runs and not word.isascii() and UNSPACED.search(word.decode()) is not None


def _with_more(words: Words, more: list[bytes]) -> Words:
    """The words with `more` behind them, their counts zero."""
    pool = np.frombuffer(b"".join(more), np.uint8)
    offsets = np.cumsum([0, *map(len, more)], dtype=np.int64)
    hashes = np.empty(len(more), np.uint64)
    hash_words(pool, offsets, hashes)
    return Words(
        words.slots,
        np.concatenate([words.hashes, hashes]),
        np.concatenate([words.offsets, words.offsets[-1] + offsets[1:]]),
        np.concatenate([words.pool, pool]),
        np.concatenate([words.counts, np.zeros(len(more), np.int64)]),
    )


def _expand(
    tokens: NDArray[np.int32],
    ends: NDArray[np.int64],
    is_hard: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    pieces: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Tokens and ends after every hard chunk became `lengths` pieces."""
    first = np.concatenate([[0], np.cumsum(lengths)])
    parts = np.empty(first[-1], np.int32)
    from_hard = np.repeat(is_hard, lengths)
    parts[from_hard] = pieces
    parts[~from_hard] = np.flatnonzero(~is_hard)
    found: tuple[NDArray[np.int32], NDArray[np.int64]] = expand(tokens, ends, first, parts)
    return found
