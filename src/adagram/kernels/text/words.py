"""A hash table of words: bytes in one pool, numbered in the order of first occurrence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.jit import helper, jit, kernel

HASH_START = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_HIGH = np.uint64(32)
_ONE = np.uint64(1)


class Words(NamedTuple):
    """Word i is pool[offsets[i]:offsets[i + 1]]; slots hold i + 1, or 0 where free (open addressing)."""

    slots: NDArray[np.int32]  # (power of two,)
    hashes: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    pool: NDArray[np.uint8]
    counts: NDArray[np.int64]


@helper
def hash_byte(h, byte):
    """FNV-1a, one byte at a time, so that a word is hashed while it is read."""
    return (h ^ np.uint64(byte)) * _PRIME


@helper
def hash_bytes(data, start, stop):
    h = HASH_START
    for i in range(start, stop):
        h = hash_byte(h, data[i])
    return h


@helper
def find_slot(words, h, data, start, stop):
    """The slot of the word data[start:stop], or the free slot where it belongs."""
    slots, hashes, offsets, pool, _ = words
    mask = np.uint64(len(slots) - 1)
    at = (h ^ (h >> _HIGH)) & mask
    size = stop - start
    found = slots[at] - 1
    while found >= 0:
        if hashes[found] == h:
            first = offsets[found]
            i = 0 if offsets[found + 1] - first == size else -1
            while 0 <= i < size and pool[first + i] == data[start + i]:
                i += 1
            if i == size:
                break
        at = (at + _ONE) & mask
        found = slots[at] - 1
    return at


@jit
def fill_slots(slots, hashes, n):
    """Enter words 0:n, known to be distinct, into empty slots."""
    mask = np.uint64(len(slots) - 1)
    for i in range(n):
        at = (hashes[i] ^ (hashes[i] >> _HIGH)) & mask
        while slots[at] != 0:
            at = (at + _ONE) & mask
        slots[at] = i + 1


@kernel
def merge_words(words, n, block, places):
    """Add a block's words and counts; places[i] becomes the number here of its word i, -1 if it never occurs.

    `words` has room for all of them. Returns the new number of words.
    """
    for i in range(len(places)):
        if block.counts[i] == 0:
            places[i] = -1
            continue
        h, start, stop = block.hashes[i], block.offsets[i], block.offsets[i + 1]
        at = find_slot(words, h, block.pool, start, stop)
        place = words.slots[at] - 1
        if place < 0:
            place = n
            n += 1
            end = words.offsets[place]
            for j in range(start, stop):
                words.pool[end] = block.pool[j]
                end += 1
            words.offsets[n], words.hashes[place], words.counts[place] = end, h, 0
            words.slots[at] = n
        words.counts[place] += block.counts[i]
        places[i] = place
    return n
