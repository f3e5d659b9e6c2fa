"""Counting and joining neighbouring tokens: the inner loops of phrase finding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.jit import helper, jit

_HALF_WORD, _MIX, _DOWN, _ONE = np.uint64(32), np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(1)
NO_PAIR = np.uint64(0)  # ids start at 1, so no pair is 0


class Pairs(NamedTuple):
    """Open addressing from a pair of ids to a number."""

    keys: NDArray[np.uint64]  # (power of two,)
    values: NDArray[np.int64]


@helper
def pair_key(first, second):
    return np.uint64(first) << _HALF_WORD | np.uint64(second)


@helper
def find_pair(keys, key):
    """The slot of `key`, or the free slot where it belongs."""
    mask = np.uint64(len(keys) - 1)
    h = key * _MIX
    at = (h ^ (h >> _DOWN)) & mask
    while keys[at] != NO_PAIR and keys[at] != key:
        at = (at + _ONE) & mask
    return at


@jit
def enter_pairs(pairs, keys, values):
    """Enter distinct keys with their values into an empty table."""
    for i in range(len(keys)):
        at = find_pair(pairs.keys, keys[i])
        pairs.keys[at], pairs.values[at] = keys[i], values[i]


@jit
def count_pairs(tokens, ends, start, previous, counted, pairs, size):
    """Count neighbours of which both are `counted`, from `start` until the table is half full.

    `previous` is the token before, 0 where a sentence starts. Returns (where it stopped, token before that, size).
    """
    e = np.searchsorted(ends, start)
    at = start
    while at < len(tokens) and 2 * size < len(pairs.keys):
        if e < len(ends) and ends[e] == at:
            previous = np.uint32(0)
            e += 1
        token = tokens[at]
        if counted[previous] and counted[token]:
            key = pair_key(previous, token)
            slot = find_pair(pairs.keys, key)
            if pairs.keys[slot] == NO_PAIR:
                pairs.keys[slot] = key
                size += 1
            pairs.values[slot] += 1
        previous = token
        at += 1
    return at, previous, size


@jit
def join_pairs(tokens, ends, phrases, out, out_ends, counts):
    """Replace neighbours that are a phrase by its id, from the left, and count what results.

    Returns (tokens written, joins, whether the last token could still be joined to what follows).
    """
    n, n_joins, e, can_join = 0, 0, 0, False
    for at in range(len(tokens)):
        token = tokens[at]
        phrase = np.int64(-1)
        if can_join:
            slot = find_pair(phrases.keys, pair_key(out[n - 1], token))
            if phrases.keys[slot] != NO_PAIR:
                phrase = phrases.values[slot]
        if phrase >= 0:
            counts[out[n - 1]] -= 1
            out[n - 1] = phrase
            counts[phrase] += 1
            n_joins += 1
        else:
            out[n] = token
            counts[token] += 1
            n += 1
        can_join = bool(phrase < 0 and token != 0)
        if e < len(ends) and ends[e] == at + 1:
            out_ends[e] = n
            e += 1
            can_join = False
    return n, n_joins, can_join
