"""Multi-sense Skip-gram (Neelakantan et al. 2014): the sense of a token is the context cluster that it falls into."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.adagrad import step_pairs
from adagram.kernels.arrays import CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import helper, jit
from adagram.kernels.simd import load, multiply_add, splat, store, total

SUM = 0  # row of `work.grads` that serves the sum of the context
_TINY = np.float32(1e-30)


@jit
def train_span(span, noise, senses, clusters, output, output_squares, hot, work, options):
    """Train on the tokens first:last of a span; words from n_multi on have a single sense."""
    n_multi, rule = options
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0 or span.right[i] - span.left[i] < 2:
            continue
        row = w
        if w < n_multi:
            sum_context(span, i, output, hot, work)
            row, _, _ = nearest_sense(w, senses, clusters.centres, work)
            update_centre(row, senses, clusters.centres, work)
        step_pairs(
            span, i, noise, hot, senses.vectors, row, clusters.squares, output, output_squares, rule, work
        )
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += 1
    return span.last


@helper
def sum_context(span, i, output, hot, work):
    """v_context = Σ_j v_g(y_j), the sum of the context's global (output) vectors, into work.grads[SUM]."""
    work.grads[SUM] = np.float32(0.0)
    one = splat(np.float32(1.0))
    for j in range(span.left[i], span.right[i]):
        if j != i:
            word = np.int64(span.tokens[j])
            at = word + (hot.shift if word < hot.size else 0)
            for d in range(0, work.grads.shape[1], 8):
                store(work.grads, SUM, d, multiply_add(one, load(output, at, d), load(work.grads, SUM, d)))


@helper
def nearest_sense(w, senses, centres, work):
    """s = arg max_k cos(μ(w, k), v_context). Returns its row, the cosine and the number of senses."""
    best, best_cosine, n = w, -np.inf, 0
    row = w
    while row >= 0 and n < len(senses.counts):
        cosine = centre_cosine(centres, row, work)
        if cosine > best_cosine:
            best, best_cosine = row, cosine
        n += 1
        row = np.int64(senses.next_row[row])
    return best, best_cosine, n


@helper
def centre_cosine(centres, row, work):
    """cos(μ, v_context)"""
    dots = lengths = means = splat(np.float32(0.0))
    for d in range(0, centres.shape[1], 8):
        c, v = load(centres, row, d), load(work.grads, SUM, d)
        dots = multiply_add(c, v, dots)
        lengths = multiply_add(c, c, lengths)
        means = multiply_add(v, v, means)
    return np.float64(total(dots)) / math.sqrt(np.float64(max(total(lengths) * total(means), _TINY)))


@helper
def update_centre(row, senses, centres, work):
    """μ ← μ + (v_context - μ) / (n + 1): the mean of the random start and of the n contexts of the cluster."""
    senses.counts[row] += 1.0
    step = splat(np.float32(1.0 / (senses.counts[row] + 1.0)))
    rest = splat(np.float32(1.0 - 1.0 / (senses.counts[row] + 1.0)))
    zero = splat(np.float32(0.0))
    for d in range(0, centres.shape[1], 8):
        old = multiply_add(rest, load(centres, row, d), zero)
        store(centres, row, d, multiply_add(step, load(work.grads, SUM, d), old))
