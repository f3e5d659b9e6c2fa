"""Prediction for many contexts (section 3.2): posteriors, Eq. (8), and the posterior predictive, Eq. (9)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from adagram.kernels.arrays import Tree
from adagram.kernels.jit import helper, jit
from adagram.kernels.nodes import add_path, pad, write_posterior
from adagram.kernels.numerics import exp_of_minus, log_one_plus
from adagram.kernels.simd import load, multiply_add, splat, total
from adagram.types import F32, I32, I64, Floats

LOG_2 = math.log(2.0)


@helper
def log_p_word(vectors, row, output, steps, begin, end):
    """Eq. (3) in logs: Σ_n log σ(ch(n) in·out_n) over one path."""
    log_p = 0.0
    for p in range(begin, end):
        node = np.int64(steps[p] >> 1)
        s = splat(np.float32(0.0))
        for d in range(0, vectors.shape[1], 8):
            s = multiply_add(load(vectors, row, d), load(output, node, d), s)
        x = total(s)
        if not steps[p] & 1:
            x = -x
        log_p += min(x, np.float32(0.0)) - log_one_plus(exp_of_minus(abs(x)))
    return log_p


class TreeSenses(NamedTuple):
    """The senses of a model with a tree: those of word w are rows offsets[w]:offsets[w+1]."""

    vectors: F32
    output: F32
    tree: Tree
    offsets: I64
    log_priors: Floats
    sharpness: float  # 1 / temperature


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
        size = 0
        for j in range(batch.bounds[i], batch.bounds[i + 1]):
            size = add_path(model.tree, batch.ids[j], np.float32(batch.weights[j]), nodes, size)
        write_posterior(model, first, last, nodes, pad(nodes, size), values, places[i])


@jit
def predictive(tokens, start, stop, window, model, unlearned, log_p, totals):
    """Eq. (9) for the windows of tokens[start:stop], added to totals.

    totals: Σ log Σ_k π_k p(y_j | w, k) over context words, the same jointly per context, context words, contexts.
    `log_p` is scratch of at least (2 · window, most senses of a word). An unlearned sense goes either way with
    probability 1/2 at every node of a path.
    """
    vectors, output, tree, offsets, log_priors = (
        model.vectors,
        model.output,
        model.tree,
        model.offsets,
        model.log_priors,
    )
    steps, paths = tree.steps, tree.offsets
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
                log_p[n, row - first] = log_p_word(vectors, row, output, steps, paths[y], paths[y + 1])
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


@helper
def log_mean(log_p, log_priors, first, last):
    """log Σ_k π_k exp(log_p[k])"""
    top = -np.inf
    for row in range(first, last):
        top = max(top, log_priors[row] + log_p[row - first])
    mass = 0.0
    for row in range(first, last):
        mass += math.exp(log_priors[row] + log_p[row - first] - top)
    return top + math.log(mass)


@helper
def log_sum(a, b):
    """log(exp(a) + exp(b)), for finite a"""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))
