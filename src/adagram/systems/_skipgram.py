"""Kernel of Skip-gram with negative sampling: all context words of a window share its noise words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.kernels.jit import jit, part
from adagram.kernels.math import random_bits, score_nodes
from adagram.kernels.rows import add_row, dot_rows, find_slot, pad_rows, step_rows
from adagram.kernels.simd import borrow, prefetch
from adagram.systems._adagram import add_to_tally
from adagram.types import F32, I32

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@jit
def train_span(span, noise, vectors, output, n_hot, work):
    """θ ← θ + ρ ∇ Σ_j [log σ(in_w·out_j) + Σ_noise log σ(-in_w·out_noise)], one step per token (their Eq. 4)."""
    span, noise, vectors, output, work = borrow((span, noise, vectors, output, work))
    nodes, padding = work.nodes, output.shape[0] - 1
    for i in range(span.first, span.last):
        size = collect_words(span, i, noise, n_hot, nodes, padding)
        if size == 0:
            continue
        prefetch_words(span, i, noise, vectors, output)
        row, scales = np.int64(span.tokens[i]), nodes.scales
        dot_rows(vectors, row, output, nodes.rows, size, work.dots, 0)
        bound = score_nodes(work.dots, 0, nodes.visits, nodes.lefts, scales, 0, work.slopes, 0, size)
        for a in range(size):
            work.slopes[0, a] *= span.rates[i]
        step_rows(vectors, row, work.moves.grads, output, nodes.rows, size, work.slopes, 0)
        add_row(vectors, row, work.moves.grads, 0)
        add_to_tally(span, i, 1, bound, work)
    return span.last


class Noise(NamedTuple):
    """An alias table of the noise distribution, which is sampled in constant time."""

    chances: F32  # (n_words,) of keeping the word that was hit
    aliases: I32  # (n_words,) the word taken otherwise
    negatives: int  # k, noise words that each context word is compared with
    shared: int  # noise words drawn for a window, at most
    key: np.uint64


@part
def draw_noise(noise, counter):
    """Draw a word from the noise distribution for this counter."""
    bits = random_bits(noise.key, counter)
    word = np.int64(((bits >> _HALF) * np.uint64(len(noise.aliases))) >> _HALF)
    if np.float32(bits & _LOW) * np.float32(2.0**-32) < noise.chances[word]:
        return word
    return np.int64(noise.aliases[word])


@part
def n_noise(noise, n_contexts):
    """Return the number of noise words for a window: at most k for each context word."""
    return min(noise.shared, noise.negatives * n_contexts)


@part
def add_word(word, shift, n_hot, nodes, size):
    """Return the slot of a word's output row, a new one if needed, and the number of slots."""
    return find_slot(word, word + (shift if word < n_hot else 0), size, nodes)


@part
def collect_words(span, i, noise, n_hot, nodes, padding):
    """Collect the distinct words of token i: lefts = times in the context, visits = these + times as noise.

    A window has m noise words, each with the weight k/m for every context word, except for that word itself. Return the
    number of rows, padded to a multiple of eight.
    """
    size, shift = np.int64(0), span.shifts[i]
    for j in range(span.left[i], span.right[i]):
        if j != i:
            slot, size = add_word(np.int64(span.tokens[j]), shift, n_hot, nodes, size)
            nodes.lefts[0, slot] += np.float32(1.0)
            nodes.visits[0, slot] += np.float32(1.0)
    n = span.right[i] - span.left[i] - 1
    m = n_noise(noise, n)
    share = np.float32(noise.negatives) / np.float32(max(m, 1))
    for d in range(m):
        word = draw_noise(noise, span.positions[i] * noise.shared + d)
        slot, size = add_word(word, shift, n_hot, nodes, size)
        nodes.visits[0, slot] += share * (np.float32(n) - nodes.lefts[0, slot])
    return pad_rows(nodes, size, padding)


@part
def prefetch_words(span, i, noise, vectors, output):
    """Prefetch the vector of the next token, the last word of its window, and its noise words."""
    i += 1
    if i == span.last:
        return
    prefetch(vectors, span.tokens[i], 0)
    prefetch(output, span.tokens[span.right[i] - 1], 0)
    for d in range(n_noise(noise, span.right[i] - span.left[i] - 1)):
        prefetch(output, draw_noise(noise, span.positions[i] * noise.shared + d), 0)
