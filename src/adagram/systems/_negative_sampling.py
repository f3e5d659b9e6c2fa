"""Negative sampling: the words of a window against noise words, which all its context words share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.kernels.jit import helper
from adagram.kernels.math import random_bits
from adagram.kernels.simd import prefetch
from adagram.kernels.windows import next_target
from adagram.types import F32, I32

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Noise(NamedTuple):
    """An alias table of the noise distribution, which is sampled in constant time."""

    chances: F32  # (n_words,) of keeping the word that was hit
    aliases: I32  # (n_words,) the word taken otherwise
    negatives: int  # k, noise words that each context word is compared with
    shared: int  # noise words drawn for a window, at most
    key: np.uint64


@helper
def draw_noise(noise, counter):
    """Draw a word from the noise distribution for this counter."""
    bits = random_bits(noise.key, counter)
    word = np.int64(((bits >> _HALF) * np.uint64(len(noise.aliases))) >> _HALF)
    if np.float32(bits & _LOW) * np.float32(2.0**-32) < noise.chances[word]:
        return word
    return np.int64(noise.aliases[word])


@helper
def n_noise(noise, n_contexts):
    """Return the number of noise words for a window: at most k for each context word."""
    return min(noise.shared, noise.negatives * n_contexts)


@helper
def find_slot(word, size, shift, n_hot, work):
    """Return the slot of a word's output row in `work.rows`, a new one if needed, and the number of slots."""
    row = word + (shift if word < n_hot else 0)
    slot = np.int64(work.slots[word])
    if slot < size and work.rows[slot] == row:  # a valid slot points back, so none is cleared
        return slot, size
    work.slots[word] = size
    work.rows[size] = row
    work.visits[0, size] = work.lefts[0, size] = np.float32(0.0)
    return size, size + 1


@helper
def collect_words(span, i, noise, n_hot, work, padding):
    """Collect the distinct words of token i: lefts = times in the context, visits = these + times as noise.

    A window has m noise words, each with the weight k/m for every context word, except for that word itself. Return the
    number of rows, padded to a multiple of eight.
    """
    size, shift = np.int64(0), span.shifts[i]
    for j in range(span.left[i], span.right[i]):
        if j != i:
            slot, size = find_slot(np.int64(span.tokens[j]), size, shift, n_hot, work)
            work.lefts[0, slot] += np.float32(1.0)
            work.visits[0, slot] += np.float32(1.0)
    n = span.right[i] - span.left[i] - 1
    m = n_noise(noise, n)
    share = np.float32(noise.negatives) / np.float32(max(m, 1))
    for d in range(m):
        word = draw_noise(noise, span.positions[i] * noise.shared + d)
        slot, size = find_slot(word, size, shift, n_hot, work)
        work.visits[0, slot] += share * (np.float32(n) - work.lefts[0, slot])
    while size % 8:
        work.rows[size] = padding
        work.visits[0, size] = work.lefts[0, size] = np.float32(0.0)
        size += 1
    return size


@helper
def prefetch_words(span, i, noise, vectors, output):
    """Prefetch the vector of the next token to train, the last word of its window, and its noise words."""
    i = next_target(span, i)
    if i == span.last:
        return
    prefetch(vectors, span.targets[i], 0)
    prefetch(output, span.tokens[span.right[i] - 1], 0)
    for d in range(n_noise(noise, span.right[i] - span.left[i] - 1)):
        prefetch(output, draw_noise(noise, span.positions[i] * noise.shared + d), 0)
