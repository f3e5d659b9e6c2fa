"""Joining words that go together, in the manner of word2phrase, on token ids instead of text.

score(a, b) = (n_ab - min_count) · n / (n_a · n_b); pairs above the threshold become one token a_b.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.config import EncodeOptions
from adagram.corpus.words import Candidates
from adagram.corpus.writer import Spool
from adagram.kernels.text.pairs import NO_PAIR, Pairs, count_pairs, enter_pairs, join_pairs

JOINER = "_"
MAX_SLOTS = 1 << 25  # at most half are used; beyond that the rarest pairs are forgotten
_LOW = np.uint64(0xFFFFFFFF)


def join_phrases(
    spool: Spool, candidates: Candidates, options: EncodeOptions, folder: Path, number: int
) -> tuple[Spool, Candidates, int]:
    """One pass of joining: the new spool, the words with their new counts, and the number of joins."""
    found = _score(_count(spool, candidates.counts, options.phrase_min_count), candidates.counts, options)
    words, phrases = _name(found, candidates)
    counts = np.zeros(len(candidates.counts) + len(words), np.int64)
    joined = Spool(folder, f"phrases{number}.")
    n_joins = _join(spool, joined, phrases, counts)
    joined.close()
    counts[: len(candidates.counts)][candidates.counts == 0] = 0  # what was forgotten stays so
    n_before = len(candidates.counts)

    def word(i: int) -> str:
        return candidates.word(i) if i < n_before else words[i - n_before]

    return joined, Candidates(counts, word), n_joins


def _count(spool: Spool, counts: NDArray[np.int64], min_count: int) -> Pairs:
    """Counts of neighbouring words that are frequent enough themselves."""
    counted = counts >= min_count
    pairs, size = _table(1 << 16), 0
    previous = np.uint32(0)
    for tokens, ends in spool.read():
        at = 0
        while at < len(tokens):
            at, previous, size = count_pairs(tokens, ends, at, previous, counted, pairs, size)
            if 2 * size >= len(pairs.keys):
                pairs, size = _grow(pairs)
        if len(ends) and ends[-1] == len(tokens):
            previous = np.uint32(0)
    return pairs


def _table(slots: int) -> Pairs:
    return Pairs(np.zeros(slots, np.uint64), np.zeros(slots, np.int64))


def _grow(pairs: Pairs) -> tuple[Pairs, int]:
    """Twice the slots, or where that is too much the same number without the rarer half of the pairs."""
    used = pairs.keys != NO_PAIR
    keys, values, slots = pairs.keys[used], pairs.values[used], 2 * len(pairs.keys)
    if slots > MAX_SLOTS:
        slots = len(pairs.keys)
        frequent = values > np.partition(values, len(values) // 2)[len(values) // 2]
        keys, values = keys[frequent], values[frequent]
    larger = _table(slots)
    enter_pairs(larger, keys, values)
    return larger, len(keys)


def _score(pairs: Pairs, counts: NDArray[np.int64], options: EncodeOptions) -> list[tuple[int, int]]:
    """The pairs above the threshold, in a fixed order."""
    often = pairs.values >= options.phrase_min_count
    keys, together = pairs.keys[often], pairs.values[often].astype(float)
    first, second = (keys >> np.uint64(32)).astype(np.int64), (keys & _LOW).astype(np.int64)
    scores = (together - options.phrase_min_count) * float(counts.sum()) / counts[first] / counts[second]
    chosen = np.sort(keys[scores > options.phrase_threshold])
    return list(zip((chosen >> np.uint64(32)).tolist(), (chosen & _LOW).tolist(), strict=True))


def _name(found: list[tuple[int, int]], candidates: Candidates) -> tuple[list[str], Pairs]:
    """The new words, and the id of every pair; a phrase that is a word already keeps that word's id."""
    known = {}
    for i in np.flatnonzero(candidates.counts).tolist():
        if JOINER in (word := candidates.word(i)):
            known[word] = i
    words: list[str] = []
    ids = []
    for first, second in found:
        phrase = f"{candidates.word(first)}{JOINER}{candidates.word(second)}"
        if phrase not in known:
            known[phrase] = len(candidates.counts) + len(words)
            words.append(phrase)
        ids.append(known[phrase])
    phrases = _table(1 << max(len(found) * 4, 8).bit_length())
    keys = np.array([first << 32 | second for first, second in found], np.uint64)
    enter_pairs(phrases, keys, np.array(ids, np.int64))
    return words, phrases


def _join(spool: Spool, joined: Spool, phrases: Pairs, counts: NDArray[np.int64]) -> int:
    total = 0
    kept_back = np.empty(0, np.uint32)
    for batch, batch_ends in spool.read():
        tokens, ends = np.concatenate([kept_back, batch]), batch_ends + len(kept_back)
        counts[kept_back] -= 1  # counted again with its sentence
        out, out_ends = np.empty(len(tokens), np.uint32), np.empty(len(ends), np.int64)
        n, n_joins, goes_on = join_pairs(tokens, ends, phrases, out, out_ends, counts)
        kept_back = out[n - int(goes_on) : n].copy()
        joined.write(out[: n - int(goes_on)], out_ends)
        total += n_joins
    joined.write(kept_back, np.empty(0, np.int64))
    return total
