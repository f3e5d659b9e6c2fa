"""All words of the corpus with their counts while it is read, in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.select import Candidates
from adagram.kernels.scan import TOO_LONG
from adagram.kernels.words import Words, fill_slots, merge_words

DROPPED = 0  # the provisional id of tokens that are no word; real ids start at 1


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
