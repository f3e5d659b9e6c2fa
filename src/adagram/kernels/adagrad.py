"""Negative sampling pair by pair, with the steps of AdaGrad by dual averaging (Duchi et al. 2011).

A weight is η G / (√S + δ), where G is the sum of its initial value and of all gradients, and S that of their squares;
before the first gradient it is G. Only the weight and S are kept: G follows from them.
"""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.arrays import BOUND
from adagram.kernels.jit import helper
from adagram.kernels.negative_sampling import draw_noise
from adagram.kernels.numerics import exp_of_minus, log_one_plus

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


@helper
def step_pairs(span, i, noise, hot, vectors, row, squares, output, output_squares, rule, work):
    """For each context word of token i a step towards it, and one away from each of its k noise words.

    `rule` is (η, δ); with δ = 0 the steps are plain gradients of the token's learning rate.
    """
    rate, delta = rule
    drawn = span.places[i] * noise.shared
    for j in range(span.left[i], span.right[i]):
        if j == i:
            continue
        word, label = np.int64(span.tokens[j]), _ONE
        for k in range(noise.negatives + 1):
            if k > 0:
                word, label = draw_noise(noise, drawn), _ZERO
                drawn += 1
            at = word + (hot.shift if word < hot.size else 0)
            slope, log_p = score_pair(vectors, row, output, at, label)
            work.tally[BOUND] += log_p
            if delta > _ZERO:
                adagrad_pair(
                    vectors, row, squares, output, at, output_squares, word, slope, (rate, delta, span.reach)
                )
            else:
                plain_pair(vectors, row, output, at, span.rates[i] * slope, span.reach)


@helper
def score_pair(vectors, row, output, at, label):
    """The slope label - σ(x) of x = in·out, and log σ(x) for a context word or log σ(-x) for a noise word."""
    x = _ZERO
    for d in range(vectors.shape[1]):
        x += vectors[row, d] * output[at, d]
    e = exp_of_minus(abs(x))
    sigma = _ONE / (_ONE + e) if x >= _ZERO else e / (_ONE + e)
    against = -x if label > _ZERO else x
    return label - sigma, -max(against, _ZERO) - log_one_plus(e)


@helper
def adagrad_pair(vectors, row, squares, output, at, output_squares, word, slope, rule):
    """Move in by slope·out and out by slope·in, both taken at the old values."""
    rate, delta, reach = rule
    for d in range(vectors.shape[1]):
        v, o = vectors[row, d], output[at, d]
        vectors[row, d], squares[row, d] = adagrad(v, squares[row, d], slope * o, rate, delta)
        moved = adagrad(o, output_squares[word, d], slope * v * reach, rate, delta)
        output[at, d], output_squares[word, d] = moved


@helper
def adagrad(value, square, gradient, rate, delta):
    """η (G + g) / (√(S + g²) + δ) and S + g², where η G = value · (√S + δ)."""
    more = square + gradient * gradient
    before = math.sqrt(square) + delta if square > _ZERO else rate
    after = math.sqrt(more) + delta if more > _ZERO else rate
    return (value * before + rate * gradient) / after, more


@helper
def plain_pair(vectors, row, output, at, step, reach):
    """in ← in + ρ slope·out, out ← out + ρ slope·in, both taken at the old values."""
    for d in range(vectors.shape[1]):
        v, o = vectors[row, d], output[at, d]
        vectors[row, d] = v + step * o
        output[at, d] = o + step * reach * v
