"""Posteriors of all words of running text (section 3.2), each from the weighted words around it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from adagram.kernels.jit import helper, jit
from adagram.kernels.nodes import add_path, normalise, pad, write_posterior
from adagram.kernels.simd import load, multiply_add, splat, store, total
from adagram.types import F32, I32, I64, Floats

_ZERO = np.float32(0.0)


class Text(NamedTuple):
    """Lines of known words; a context stays in its line and reaches until each side weighs `window`."""

    tokens: I32
    ends: I64  # line i ends before ends[i]
    weights: Floats  # (n_words,) how much a word counts as context
    window: float


class ClusterSenses(NamedTuple):
    """The senses of a model with context centres: those of word w are rows offsets[w]:offsets[w+1]."""

    output: F32
    centres: F32
    offsets: I64
    priors: Floats
    inverse_norms: F32  # (n_senses,) 1 / length of each centre
    sharpness: float  # 1 / temperature
    nearest: float  # the least distance that is told apart


@jit
def by_tree(text, model, nodes, places, values):
    """Eq. (8) for every token, into values[places[i]:]; a word with one sense needs no scoring."""
    begin = 0
    for end in text.ends:
        for i in range(begin, end):
            w = text.tokens[i]
            first, last = model.offsets[w], model.offsets[w + 1]
            values[places[i]] = 1.0
            if last - first > 1:
                size = collect_around(model.tree, text, begin, end, i, nodes)
                write_posterior(model, first, last, nodes, size, values, places[i])
        begin = end


@jit
def by_tree_at(text, where, model, nodes, places, values):
    """As `by_tree` for the tokens at some places of a text of one line: that of where[i] into values[places[i]:]."""
    for i in range(len(where)):
        w = text.tokens[where[i]]
        first, last = model.offsets[w], model.offsets[w + 1]
        values[places[i]] = 1.0
        if last - first > 1:
            size = collect_around(model.tree, text, 0, len(text.tokens), where[i], nodes)
            write_posterior(model, first, last, nodes, size, values, places[i])


@helper
def collect_around(tree, text, begin, end, i, nodes):
    """The distinct tree nodes of the context of token i in the line begin:end; returns their padded number."""
    size = 0
    room, j = text.window, i - 1
    while j >= begin and room > 0.0:
        y = text.tokens[j]
        weight = min(text.weights[y], room)
        size = add_path(tree, y, np.float32(weight), nodes, size)
        room -= weight
        j -= 1
    room, j = text.window, i + 1
    while j < end and room > 0.0:
        y = text.tokens[j]
        weight = min(text.weights[y], room)
        size = add_path(tree, y, np.float32(weight), nodes, size)
        room -= weight
        j += 1
    return pad(nodes, size)


@jit
def by_centres(text, model, mean, places, values):
    """A posterior ∝ 1/(1 - cosine) to the centres for every token, into values[places[i]:]; alone, the prior."""
    begin = 0
    for end in text.ends:
        for i in range(begin, end):
            w = text.tokens[i]
            first, last = model.offsets[w], model.offsets[w + 1]
            values[places[i]] = 1.0
            if last - first == 1:
                continue
            if end - begin == 1:
                values[places[i] : places[i] + last - first] = model.priors[first:last]
                continue
            sum_around(text, begin, end, i, model.output, mean)
            length = math.sqrt(max(dot(mean, 0, mean, 0), 1e-24))
            for row in range(first, last):
                cosine = dot(model.centres, row, mean, 0) * model.inverse_norms[row] / length
                values[places[i] + row - first] = -math.log(max(1.0 - cosine, model.nearest))
            normalise(values, places[i], places[i] + last - first, model.sharpness)
        begin = end


@helper
def sum_around(text, begin, end, i, output, mean):
    """mean[0] = Σ_j w_j output[y_j] over the context of token i; a cosine does not ask for the division."""
    mean[0, :] = _ZERO
    room, j = text.window, i - 1
    while j >= begin and room > 0.0:
        weight = min(text.weights[text.tokens[j]], room)
        add_row(mean, output, text.tokens[j], np.float32(weight))
        room -= weight
        j -= 1
    room, j = text.window, i + 1
    while j < end and room > 0.0:
        weight = min(text.weights[text.tokens[j]], room)
        add_row(mean, output, text.tokens[j], np.float32(weight))
        room -= weight
        j += 1


@helper
def add_row(total_row, rows, row, weight):
    for d in range(0, rows.shape[1], 8):
        store(total_row, 0, d, multiply_add(splat(weight), load(rows, row, d), load(total_row, 0, d)))


@helper
def dot(a, i, b, j):
    s = splat(_ZERO)
    for d in range(0, a.shape[1], 8):
        s = multiply_add(load(a, i, d), load(b, j, d), s)
    return np.float64(total(s))


@jit
def likeliest(firsts, places, values, rows, probabilities):
    """The row and the probability of the likeliest sense of every token; the first of equals."""
    for i in range(len(rows)):
        best = places[i]
        for at in range(places[i] + 1, places[i + 1]):
            if values[at] > values[best]:
                best = at
        rows[i], probabilities[i] = firsts[i] + best - places[i], values[best]
