"""Counting which words stand around which senses, in a table of fixed size."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper, jit
from adagram.kernels.tally import likeliest_sense

FULL = 0.6  # of the slots of a table
_MIX = np.uint64(0x9E3779B97F4A7C15)


@helper
def slot_of(keys, key):
    """Where a key is in the table, or where it would go; keys are above 0, and the size is a power of two."""
    mask = np.uint64(len(keys) - 1)
    h = np.uint64(key) * _MIX
    at = (h ^ (h >> np.uint64(29))) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@jit
def count_around(uses, line_ends, line, window, choice, table, totals, used):
    """Count (sense, context word) pairs around the words that are due, from a line on until the table is nearly full.

    Returns the line to go on with and how many slots are used.

    choice: `rates` (n_words,) how many of a word's uses are counted, `phases` (n_words,) how far the next is away,
    `is_common` (n_words,) context words that say nothing. totals: uses and pairs per sense, pairs per context word.
    """
    ids, offsets, places, values = uses
    rates, phases, is_common = choice
    keys, counts = table
    uses_of, pairs_of, pairs_with = totals
    n_words, limit = len(rates), FULL * len(keys)
    begin = line_ends[line - 1] if line > 0 else 0
    while line < len(line_ends) and used < limit:
        end = line_ends[line]
        for i in range(begin, end):
            w = ids[i]
            phases[w] += rates[w]
            if phases[w] < 1.0:
                continue
            phases[w] -= 1.0
            row = offsets[w] + likeliest_sense(places, values, i)[0]
            uses_of[row] += 1
            for j in range(max(begin, i - window), min(end, i + window + 1)):
                c = ids[j]
                if is_common[c] or c == w:
                    continue
                pairs_of[row] += 1
                pairs_with[c] += 1
                key = row * n_words + c + 1
                at = slot_of(keys, key)
                if keys[at] == 0:
                    if used > len(keys) - 2:
                        continue  # an endless line: the search needs a free slot to end
                    keys[at] = key
                    used += 1
                counts[at] += 1
        begin = end
        line += 1
    return line, used


@jit
def keep_above(old_keys, old_counts, least, keys, counts):
    """Move the pairs that were counted more than `least` times into an empty table; returns how many."""
    used = 0
    for i in range(len(old_keys)):
        if old_counts[i] > least:
            at = slot_of(keys, old_keys[i])
            keys[at], counts[at] = old_keys[i], old_counts[i]
            used += 1
    return used
