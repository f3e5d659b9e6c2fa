"""Characters of UTF-8 text, one at a time."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper
from adagram.kernels.text.words import hash_byte

ASCII = 128


@helper
def decode(text, at):
    """(code point, length) of the UTF-8 character at `at`; length 0 if invalid or beyond the basic plane."""
    lead, point, length = np.int64(text[at]), np.int64(0), 0
    if lead < ASCII:
        point, length = lead, 1
    elif 0xC2 <= lead < 0xE0 and at + 1 < len(text):
        second = np.int64(text[at + 1])
        if second >> 6 == 2:
            point, length = (lead & 0x1F) << 6 | (second & 0x3F), 2
    elif 0xE0 <= lead < 0xF0 and at + 2 < len(text):
        second, third = np.int64(text[at + 1]), np.int64(text[at + 2])
        point = (lead & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F)
        if second >> 6 == 2 and third >> 6 == 2 and point >= 0x800 and not 0xD800 <= point < 0xE000:
            length = 3
    return point, length


@helper
def append(pool, end, h, point):
    """Write a character to the pool as UTF-8: (new end, new hash)."""
    start = end
    if point < ASCII:
        pool[end] = point
    elif point < 0x800:
        pool[end] = 0xC0 | point >> 6
    else:
        pool[end] = 0xE0 | point >> 12
        end += 1
        pool[end] = 0x80 | point >> 6 & 0x3F
    end += 1
    if point >= ASCII:
        pool[end] = 0x80 | point & 0x3F
        end += 1
    for i in range(start, end):
        h = hash_byte(h, pool[i])
    return end, h
