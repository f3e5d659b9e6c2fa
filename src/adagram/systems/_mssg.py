"""Kernel of MSSG and NP-MSSG: negative sampling pair by pair, with AdaGrad by dual averaging (Duchi et al. 2011).

A weight is η G / (√S + δ), where G is the sum of its initial value and of all gradients, and S that of their squares;
before the first gradient it is G. Only the weight and S are kept: G follows from them.
"""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.arrays import BIRTHS, BOUND
from adagram.kernels.block import dot
from adagram.kernels.jit import jit, part
from adagram.kernels.math import exp_of_minus, log_one_plus
from adagram.kernels.simd import borrow, load, multiply_add, splat, store
from adagram.systems._adagram import STREAMS_OF_WORD, add_to_tally, draw_row
from adagram.systems._skipgram import draw_noise

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


@part
def step_pairs(span, i, noise, n_hot, vectors, row, squares, output, output_squares, rule, work):
    """Step towards each context word of token i, and away from each of its k noise words.

    `rule` is (η, δ); with δ = 0 the steps are plain gradients of the token's learning rate.
    """
    rate, delta = rule
    drawn = span.positions[i] * noise.shared
    for j in range(span.left[i], span.right[i]):
        if j == i:
            continue
        word, label = np.int64(span.tokens[j]), _ONE
        for k in range(noise.negatives + 1):
            if k > 0:
                word, label = draw_noise(noise, drawn), _ZERO
                drawn += 1
            at = word + (span.shifts[i] if word < n_hot else 0)
            slope, log_p = score_pair(vectors, row, output, at, label)
            work.tally[BOUND] += log_p
            if delta > _ZERO:
                adagrad_pair(vectors, row, squares, output, at, output_squares, word, slope, (rate, delta))
            else:
                plain_pair(vectors, row, output, at, span.rates[i] * slope)


@part
def score_pair(vectors, row, output, at, label):
    """Return the slope label - σ(x) of x = in·out, and log σ(x) for a context word or log σ(-x) for a noise word."""
    x = _ZERO
    for d in range(vectors.shape[1]):
        x += vectors[row, d] * output[at, d]
    e = exp_of_minus(abs(x))
    sigma = _ONE / (_ONE + e) if x >= _ZERO else e / (_ONE + e)
    against = -x if label > _ZERO else x
    return label - sigma, -max(against, _ZERO) - log_one_plus(e)


@part
def adagrad_pair(vectors, row, squares, output, at, output_squares, word, slope, rule):
    """Move in by slope·out and out by slope·in, both taken at the old values."""
    rate, delta = rule
    for d in range(vectors.shape[1]):
        v, o = vectors[row, d], output[at, d]
        vectors[row, d], squares[row, d] = adagrad(v, squares[row, d], slope * o, rate, delta)
        moved = adagrad(o, output_squares[word, d], slope * v, rate, delta)
        output[at, d], output_squares[word, d] = moved


@part
def adagrad(value, square, gradient, rate, delta):
    """η (G + g) / (√(S + g²) + δ) and S + g², where η G = value · (√S + δ)."""
    more = square + gradient * gradient
    before = math.sqrt(square) + delta if square > _ZERO else rate
    after = math.sqrt(more) + delta if more > _ZERO else rate
    return (value * before + rate * gradient) / after, more


@part
def plain_pair(vectors, row, output, at, step):
    """in ← in + ρ slope·out, out ← out + ρ slope·in, both taken at the old values."""
    for d in range(vectors.shape[1]):
        v, o = vectors[row, d], output[at, d]
        vectors[row, d] = v + step * o
        output[at, d] = o + step * v


SUM = 0  # row of `work.moves.grads` for the sum of the context
CENTRES = STREAMS_OF_WORD // 2  # random streams of the centres come after those of the senses
_TINY = np.float32(1e-30)


@jit
def train_span(span, noise, senses, clusters, output, output_squares, n_hot, work, options):
    """Train on the tokens first:last of a span; words from n_multi on have a single sense.

    A word gets a new sense if all cosines are below `threshold`, -inf for MSSG. Return span.last, or the token at which
    there was no spare row.
    """
    span, noise, senses, clusters, work = borrow((span, noise, senses, clusters, work))
    output, output_squares = borrow((output, output_squares))
    n_multi, rule, threshold, max_senses, key = options
    for i in range(span.first, span.last):
        w = np.int64(span.tokens[i])
        if span.right[i] - span.left[i] < 2:
            continue
        row = w
        if w < n_multi:
            sum_context(span, i, output, n_hot, work)
            row, cosine, n = nearest_sense(w, senses, clusters.centres, work)
            # s = K(w) + 1 if max_k cos(μ(w, k), v_context) < λ
            if cosine < threshold and n < max_senses:
                if work.spare[0] >= work.spare[1]:
                    return i
                row = add_sense(w, span.tokens[i], n, senses, clusters.centres, work, key)
            update_centre(row, senses, clusters.centres, work)
        step_pairs(span, i, noise, n_hot, senses.vectors, row, clusters.squares, output, output_squares, rule, work)
        add_to_tally(span, i, 1, 0.0, work)
    return span.last


@part
def sum_context(span, i, output, n_hot, work):
    """v_context = Σ_j v_g(y_j), the sum of the context's global (output) vectors, into work.moves.grads[SUM]."""
    work.moves.grads[SUM] = np.float32(0.0)
    one = splat(np.float32(1.0))
    for j in range(span.left[i], span.right[i]):
        if j != i:
            word = np.int64(span.tokens[j])
            at = word + (span.shifts[i] if word < n_hot else 0)
            for d in range(0, work.moves.grads.shape[1], 8):
                store(work.moves.grads, SUM, d, multiply_add(one, load(output, at, d), load(work.moves.grads, SUM, d)))


@part
def nearest_sense(w, senses, centres, work):
    """s = arg max_k cos(μ(w, k), v_context). Return its row, the cosine and the number of senses."""
    best, best_cosine, n = w, -np.inf, 0
    row, width, context = w, centres.shape[1], work.moves.grads
    length = dot(context, SUM, context, SUM, width)
    while row >= 0 and n < len(senses.counts):
        lengths = np.float64(max(dot(centres, row, centres, row, width) * length, _TINY))
        cosine = np.float64(dot(centres, row, context, SUM, width)) / math.sqrt(lengths)
        if cosine > best_cosine:
            best, best_cosine = row, cosine
        n += 1
        row = np.int64(senses.next_row[row])
    return best, best_cosine, n


@part
def update_centre(row, senses, centres, work):
    """μ ← μ + (v_context - μ) / (n + 1): the mean of the random start and of the n contexts of the cluster."""
    senses.counts[row] += 1.0
    step = splat(np.float32(1.0 / (senses.counts[row] + 1.0)))
    rest = splat(np.float32(1.0 - 1.0 / (senses.counts[row] + 1.0)))
    zero = splat(np.float32(0.0))
    for d in range(0, centres.shape[1], 8):
        old = multiply_add(rest, load(centres, row, d), zero)
        store(centres, row, d, multiply_add(step, load(work.moves.grads, SUM, d), old))


@part
def add_sense(w, token, n, senses, centres, work, key):
    """Link a row with a random vector and a random centre after the n senses of w."""
    row = work.spare[0]
    work.spare[0] += 1
    stream = np.int64(token) * STREAMS_OF_WORD + n
    draw_row(senses.vectors, row, key, stream, work.dim)
    draw_row(centres, row, key, stream + CENTRES, work.dim)
    senses.counts[row] = 0.0
    senses.next_row[row] = -1
    last = w
    while senses.next_row[last] >= 0:
        last = np.int64(senses.next_row[last])
    senses.next_row[last] = row  # last, so that other threads only see a finished row
    work.tally[BIRTHS] += 1
    return row
