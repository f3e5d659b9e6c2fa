"""Kernels of prediction: posteriors of contexts and texts, Eq. (8), likelihood, Eq. (9), and search by int8 vectors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.arrays import padded
from adagram.kernels.block import dot
from adagram.kernels.jit import jit, part
from adagram.kernels.math import LOG_2, exp_of_minus, log_one_plus, normalise
from adagram.kernels.rows import STRIP, add_path, dot_rows, dot_strip_of_two, pad_rows
from adagram.kernels.simd import WIDTH, load, multiply_add, splat, store
from adagram.paper.softmax import Huffman
from adagram.types import F32, I32, I64, Floats

_ZERO = np.float32(0.0)


class Nodes(NamedTuple):
    """Scratch space of one thread: the nodes of a context, each with the weight of the paths that pass it."""

    slots: I32  # (n_nodes,) place of a node in `rows`
    rows: I64  # (max nodes,)
    scales: F32  # (max nodes,) of the rows
    visits: F32  # (1, max nodes) weight of the paths that pass the node
    lefts: F32  # (1, max nodes) weight of those that turn left there
    dots: F32  # (2, max nodes) products with two senses


def make_nodes(n_nodes: int) -> Nodes:
    """Allocate space for all nodes of a tree; pages that are never written to cost nothing."""
    wide = padded(n_nodes) + WIDTH
    return Nodes(
        slots=np.zeros(n_nodes, np.int32),
        rows=np.zeros(wide, np.int64),
        scales=np.zeros(wide, np.float32),
        visits=np.zeros((1, wide), np.float32),
        lefts=np.zeros((1, wide), np.float32),
        dots=np.zeros((2, wide), np.float32),
    )


@part
def log_p_nodes(nodes, k, size, scale):
    """Eq. (3) in logs, weighted: Σ_n lefts·log σ(x_n) + rights·log σ(-x_n) over the nodes of a context.

    x_n is the product times the scales of the output row and of the sense.
    """
    visits, lefts, dots, scales = nodes.visits, nodes.lefts, nodes.dots, nodes.scales
    log_p = _ZERO
    for a in range(size):
        x, visit, left = scale * scales[a] * dots[k, a], visits[0, a], lefts[0, a]
        log_p += left * min(x, _ZERO) - (visit - left) * max(x, _ZERO) - visit * log_one_plus(exp_of_minus(abs(x)))
    return np.float64(log_p)


@part
def write_posterior(model, first, last, nodes, size, values, at):
    """Eq. (8) for the senses in rows first:last, into values[at:]: E[π_k] Π_j p(y_j | w, k)^w_j, normalised."""
    for a in range(size):
        nodes.scales[a] = model.output_scales[nodes.rows[a]]
    row = first
    while row < last:
        n = min(2, last - row)
        if n == 1:
            dot_rows(model.vectors, row, model.output, nodes.rows, size, nodes.dots, 0)
        else:
            for u in range(0, size, STRIP):
                dot_strip_of_two(model.vectors, row, model.output, nodes.rows, u, nodes.dots, 0)
        for k in range(n):
            log_p = log_p_nodes(nodes, k, size, model.scales[row + k])
            values[at + row + k - first] = model.log_priors[row + k] + log_p
        row += n
    normalise(values, at, at + last - first)


@part
def log_p_word(model, row, begin, end):
    """Eq. (3) in logs: Σ_n log σ(ch(n) in·out_n) over one path."""
    vectors, output, steps = model.vectors, model.output, model.tree.steps
    log_p = 0.0
    for p in range(begin, end):
        node = np.int64(steps[p] >> 1)
        x = model.scales[row] * model.output_scales[node] * dot(vectors, row, output, node, vectors.shape[1])
        if not steps[p] & 1:
            x = -x
        log_p += min(x, np.float32(0.0)) - log_one_plus(exp_of_minus(abs(x)))
    return log_p


class TreeSenses(NamedTuple):
    """The senses of a model with a tree: those of word w are rows offsets[w]:offsets[w+1].

    A vector is its row, of float32 or int8, times the scale of the row.
    """

    vectors: NDArray[Any]
    output: NDArray[Any]
    scales: F32
    output_scales: F32
    tree: Huffman
    offsets: I64
    log_priors: Floats


class Batch(NamedTuple):
    """Context i of words[i] is ids[bounds[i]:bounds[i+1]], with weights."""

    words: I64
    ids: I32
    weights: Floats
    bounds: I64


@jit
def posteriors(batch, model, nodes, places, values):
    """Eq. (8) for every context of a batch, into values[places[i]:]."""
    for i in range(len(batch.words)):
        w = batch.words[i]
        first, last = model.offsets[w], model.offsets[w + 1]
        values[places[i]] = 1.0
        if last - first == 1:
            continue
        size = np.int64(0)
        for j in range(batch.bounds[i], batch.bounds[i + 1]):
            size = add_path(model.tree, batch.ids[j], np.float32(batch.weights[j]), 0, 0, nodes, size)
        write_posterior(model, first, last, nodes, pad_rows(nodes, size, 0), values, places[i])


@jit
def predictive(tokens, start, stop, window, model, unlearned, log_p, totals):
    """Add Eq. (9) for the windows of tokens[start:stop] to totals.

    totals: Σ log Σ_k π_k p(y_j | w, k) over context words, the same jointly per context, context words, contexts.
    `log_p` is scratch of at least (2 · window, most senses of a word). An unlearned sense turns left with
    probability 1/2 at every node of a path.
    """
    offsets, log_priors, paths = model.offsets, model.log_priors, model.tree.offsets
    log_learned, log_unlearned = unlearned
    for i in range(start, stop):
        w = tokens[i]
        first, last = offsets[w], offsets[w + 1]
        n, nodes = 0, 0
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j == i:
                continue
            y = tokens[j]
            for row in range(first, last):
                log_p[n, row - first] = log_p_word(model, row, paths[y], paths[y + 1])
            length = paths[y + 1] - paths[y]
            learned = log_learned[w] + log_mean(log_p[n], log_priors, first, last)
            totals[0] += log_sum(learned, log_unlearned[w] - length * LOG_2)
            n += 1
            nodes += length
        if n == 0:
            continue
        for k in range(last - first):  # jointly: sum over the context inside the sum over senses
            for j in range(1, n):
                log_p[0, k] += log_p[j, k]
        learned = log_learned[w] + log_mean(log_p[0], log_priors, first, last)
        totals[1] += log_sum(learned, log_unlearned[w] - nodes * LOG_2)
        totals[2] += n
        totals[3] += 1


@part
def log_mean(log_p, log_priors, first, last):
    """log Σ_k π_k exp(log_p[k])"""
    top = -np.inf
    for row in range(first, last):
        top = max(top, log_priors[row] + log_p[row - first])
    mass = 0.0
    for row in range(first, last):
        mass += math.exp(log_priors[row] + log_p[row - first] - top)
    return top + math.log(mass)


@part
def log_sum(a, b):
    """log(exp(a) + exp(b)), for finite a"""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


class Text(NamedTuple):
    """Lines of known words; a context stays in its line and extends until each side weighs `window`."""

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
    nearest: float  # minimum distance to a centre


@jit
def by_tree(text, model, nodes, places, values):
    """Eq. (8) for every token, into values[places[i]:]."""
    begin = 0
    for end in text.ends:
        for i in range(begin, end):
            write_token(text, begin, end, i, model, nodes, values, places[i])
        begin = end


@jit
def by_tree_at(text, where, model, nodes, places, values):
    """As `by_tree` for the tokens where[i] of a text of one line, into values[places[i]:]."""
    for i in range(len(where)):
        write_token(text, 0, len(text.tokens), where[i], model, nodes, values, places[i])


@part
def write_token(text, begin, end, i, model, nodes, values, at):
    """Eq. (8) for token i in the line begin:end, into values[at:]; a word with one sense needs no scoring."""
    w = text.tokens[i]
    first, last = model.offsets[w], model.offsets[w + 1]
    values[at] = 1.0
    if last - first > 1:
        size = collect_around(model.tree, text, begin, end, i, nodes)
        write_posterior(model, first, last, nodes, size, values, at)


@part
def collect_around(tree, text, begin, end, i, nodes):
    """Collect the distinct tree nodes of the context of token i in the line begin:end; return their padded number."""
    size = np.int64(0)
    for side in (-1, 1):
        room, j = text.window, i + side
        while begin <= j < end and room > 0.0:
            y = text.tokens[j]
            weight = min(text.weights[y], room)
            size = add_path(tree, y, np.float32(weight), 0, 0, nodes, size)
            room -= weight
            j += side
    return pad_rows(nodes, size, 0)


@jit
def by_centres(text, model, mean, places, values):
    """A posterior ∝ 1/(1 - cosine) to the centres for every token, into values[places[i]:]; the prior if alone."""
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
            length = math.sqrt(max(np.float64(dot(mean, 0, mean, 0, mean.shape[1])), 1e-24))
            for row in range(first, last):
                cosine = np.float64(dot(model.centres, row, mean, 0, mean.shape[1])) * model.inverse_norms[row] / length
                values[places[i] + row - first] = -math.log(max(1.0 - cosine, model.nearest))
            normalise(values, places[i], places[i] + last - first)
        begin = end


@part
def sum_around(text, begin, end, i, output, mean):
    """mean[0] = Σ_j w_j output[y_j] over the context of token i; a cosine needs no division."""
    mean[0, :] = _ZERO
    for side in (-1, 1):
        room, j = text.window, i + side
        while begin <= j < end and room > 0.0:
            weight = min(text.weights[text.tokens[j]], room)
            add_row(mean, output, text.tokens[j], np.float32(weight))
            room -= weight
            j += side


@part
def add_row(total_row, rows, row, weight):
    for d in range(0, rows.shape[1], 8):
        store(total_row, 0, d, multiply_add(splat(weight), load(rows, row, d), load(total_row, 0, d)))


@jit
def likeliest(firsts, places, values, rows, probabilities):
    """Write the row and the probability of the likeliest sense of every token; the first of equals."""
    for i in range(len(rows)):
        k, probabilities[i] = likeliest_sense(places, values, i)
        rows[i] = firsts[i] + k


@part
def likeliest_sense(places, values, i):
    """Return the number and the posterior of the likeliest sense of token i."""
    best = places[i]
    for v in range(places[i] + 1, places[i + 1]):
        if values[v] > values[best]:
            best = v
    return best - places[i], values[best]


@jit
def word_bounds(codes, scales, lost, bounds, query, is_wanted, low, high):
    """Bound the greatest product of a query with the int8 rows bounds[w]:bounds[w+1] of each word w.

    A row is scales[i] · codes[i], and `lost[i]` is the greatest error of its product. A word that is not wanted or has
    no rows has -inf.
    """
    for w in range(len(low)):
        low[w] = high[w] = -np.inf
        if not is_wanted[w]:
            continue
        for i in range(bounds[w], bounds[w + 1]):
            dot = np.float32(0.0)
            for d in range(codes.shape[1]):
                dot += np.float32(codes[i, d]) * query[d]
            low[w] = max(low[w], scales[i] * dot - lost[i])
            high[w] = max(high[w], scales[i] * dot + lost[i])
