"""Multi-sense Skip-gram (Neelakantan et al. 2014): the sense of a token is the context cluster that it falls into."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.arrays import CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import jit
from adagram.kernels.lanes import load, multiply_add, splat, store, total
from adagram.kernels.negative_sampling import collect_words, prefetch_words
from adagram.kernels.rows import gather_rows
from adagram.kernels.skipgram_ns import step_word

MEAN = 1  # row of `work.grads` and `work.slopes` that serves the context's mean; row 0 serves the gradient
_TINY = np.float32(1e-30)


@jit
def train_span(span, noise, senses, centres, output, hot, work, n_multi):
    """Train on the tokens first:last of a span; words from n_multi on have a single sense."""
    padding = output.shape[0] - 1
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0:
            continue
        size, n_distinct = collect_words(span, i, noise, hot, work, padding)
        if size == 0:
            continue
        prefetch_words(span, i, noise, senses.vectors, output)
        row = w
        if w < n_multi:
            average_context(span, i, n_distinct, output, work)
            row, _, _ = nearest_sense(w, senses, centres, work)
            update_centre(row, senses, centres, work)
        step_word(senses.vectors, row, output, size, span.rates[i], span.reach, work)
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += 1
    return span.last


@jit
def average_context(span, i, n_distinct, output, work):
    """v_context = 1/n Σ_j v_g(y_j), the mean of the context's global (output) vectors, into work.grads[MEAN]."""
    inverse = np.float32(1.0) / np.float32(span.right[i] - span.left[i] - 1)
    # gather_rows takes four rows at a time; the rest are noise, with no weight
    size = n_distinct + -n_distinct % 4
    for a in range(size):
        work.slopes[MEAN, a] = work.lefts[a] * inverse
    zero = splat(np.float32(0.0))
    for d in range(0, work.grads.shape[1], 8):
        store(work.grads, MEAN, d, zero)
    gather_rows(work.grads, output, work.rows, size, work.slopes, MEAN)


@jit
def nearest_sense(w, senses, centres, work):
    """s = arg max_k cos(μ(w, k), v_context); a cluster that is still empty takes the context. Returns (row, cos, k)."""
    best, best_cosine, n = w, -np.inf, 0
    row = w
    while row >= 0 and n < len(senses.counts):
        if senses.counts[row] == 0.0:
            return row, 1.0, n
        cosine = centre_cosine(centres, row, work)
        if cosine > best_cosine:
            best, best_cosine = row, cosine
        n += 1
        row = np.int64(senses.next_row[row])
    return best, best_cosine, n


@jit
def centre_cosine(centres, row, work):
    """cos(μ, v_context)"""
    dots = lengths = means = splat(np.float32(0.0))
    for d in range(0, centres.shape[1], 8):
        c, v = load(centres, row, d), load(work.grads, MEAN, d)
        dots = multiply_add(c, v, dots)
        lengths = multiply_add(c, c, lengths)
        means = multiply_add(v, v, means)
    return np.float64(total(dots)) / math.sqrt(np.float64(max(total(lengths) * total(means), _TINY)))


@jit
def update_centre(row, senses, centres, work):
    """μ ← μ + (v_context - μ) / n: the centre stays the mean of the contexts that fell into its cluster."""
    senses.counts[row] += 1.0
    step = splat(np.float32(1.0 / senses.counts[row]))
    rest = splat(np.float32(1.0 - 1.0 / senses.counts[row]))
    zero = splat(np.float32(0.0))
    for d in range(0, centres.shape[1], 8):
        old = multiply_add(rest, load(centres, row, d), zero)
        store(centres, row, d, multiply_add(step, load(work.grads, MEAN, d), old))
