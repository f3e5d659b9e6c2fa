"""Blocks of text to word numbers: the compiled scan, with Python for the few chunks it leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.rules import make_rules
from adagram.kernels.scan import TOO_LONG, expand, hash_words, scan_block
from adagram.kernels.words import Words
from adagram.text.tokenizer import TokenizerConfig, make_splitter

CACHE_LIMIT = 200_000  # split chunks remembered
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True)
class Scan:
    """A block's tokens as numbers of its own words; word 0 stands for words that were too long."""

    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]
    words: Words
    n_replaced: int  # invalid UTF-8 sequences


class Scanner:
    """Splits blocks by one tokenizer; `scan` may run in several threads at once."""

    def __init__(self, config: TokenizerConfig) -> None:
        self._rules = make_rules(config)
        self._split = make_splitter(config)
        self._max_chars = config.max_chars
        self._cache: dict[bytes, tuple[list[bytes], int]] = {}

    def scan(self, block: bytes) -> Scan:
        tokens, ends, words, hard = scan_block(np.frombuffer(block, np.uint8), self._rules)
        if not hard.any():
            return Scan(tokens, ends, words, 0)
        return self._split_hard(tokens, ends, words, hard)

    def _split_hard(
        self, tokens: NDArray[np.int32], ends: NDArray[np.int64], words: Words, hard: NDArray[np.uint8]
    ) -> Scan:
        """Replace hard chunks by the words in them, numbered after the words that the kernel found."""
        n_words, is_hard = len(hard), hard.astype(bool)
        data, offsets = words.pool.tobytes(), words.offsets.tolist()
        chunks = [data[offsets[i] : offsets[i + 1]] for i in np.flatnonzero(is_hard)]
        found = [self._split_chunk(chunk) for chunk in chunks]
        numbers: dict[bytes, int] = {b"": TOO_LONG}
        pieces = np.array(
            [numbers.setdefault(word, n_words + len(numbers) - 1) for split, _ in found for word in split],
            np.int32,
        )
        sizes = np.array([len(split) for split, _ in found], np.int64)
        occurrences = words.counts[is_hard]
        words = _with_more(words, list(numbers)[1:])
        words.counts[:n_words][is_hard] = 0
        np.add.at(words.counts, pieces, np.repeat(occurrences, sizes))
        n_replaced = int(occurrences @ np.array([n_bad for _, n_bad in found], np.int64))
        lengths = np.ones(n_words, np.int64)
        lengths[is_hard] = sizes
        tokens, ends = _expand(tokens, ends, is_hard, lengths, pieces)
        return Scan(tokens, ends, words, n_replaced)

    def _split_chunk(self, chunk: bytes) -> tuple[list[bytes], int]:
        """The words of a chunk (empty for one that is too long) and how many invalid sequences it has."""
        known = self._cache.get(chunk)
        if known is None:
            text = chunk.decode("utf-8", "replace")
            n_bad = text.count(_REPLACEMENT) - chunk.count(_REPLACEMENT.encode())
            found = [w.encode() if len(w) <= self._max_chars else b"" for w in self._split(text)]
            if len(self._cache) >= CACHE_LIMIT:
                self._cache.clear()
            known = self._cache[chunk] = (found, n_bad)
        return known


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
    n_before = np.concatenate([[0], np.cumsum(lengths[tokens])])
    out = np.empty(n_before[-1], np.int32)
    expand(tokens, first, parts, out)
    return out, n_before[ends]
