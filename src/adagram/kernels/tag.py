"""The most probable sense of every word of a text (section 3.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from adagram.arrays import I32
from adagram.kernels.arrays import Hot
from adagram.kernels.jit import jit
from adagram.kernels.lanes import load, multiply_add, splat, store, total
from adagram.kernels.numerics import score_nodes
from adagram.kernels.rows import dot_rows
from adagram.kernels.windows import collect_nodes

_ALL_SHARED = Hot(0, 0)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Windows(NamedTuple):
    """Words of a text; token i has the context left[i]:right[i] without i itself."""

    tokens: I32
    left: I32
    right: I32


@jit
def bound_in_lines(window, ends, left, right):
    """Contexts of `window` words on either side that do not leave the line; line i ends before ends[i]."""
    begin = 0
    for end in ends:
        for i in range(begin, end):
            left[i] = max(begin, i - window)
            right[i] = min(end, i + window + 1)
        begin = end


@jit
def assign_by_tree(windows, model, work, rows, probabilities):
    """Eq. (8): row and posterior of the likeliest sense of every token; a word with one sense needs no scoring."""
    vectors, output, tree, offsets, log_priors = model
    for i in range(len(rows)):
        first, last = offsets[windows.tokens[i]], offsets[windows.tokens[i] + 1]
        rows[i], probabilities[i] = first, 1.0
        if last - first == 1:
            continue
        size, _ = collect_nodes(tree, windows, i, _ALL_SHARED, work, 0)
        best, mass = -np.inf, 0.0  # mass: Σ_k exp(log weight - best), kept while the best changes
        for row in range(first, last):
            dot_rows(vectors, row, output, work.rows, size, work.dots, 0)
            log_weight = log_priors[row] + score_nodes(
                work.dots, 0, work.visits, work.lefts, work.slopes, size
            )
            if log_weight > best:
                mass = mass * math.exp(best - log_weight) + 1.0
                best, rows[i] = log_weight, row
            else:
                mass += math.exp(log_weight - best)
        probabilities[i] = 1.0 / mass


@jit
def assign_by_centres(windows, model, mean, rows, probabilities):
    """The sense whose context centre has the highest cosine with the mean of the context's vectors."""
    output, centres, offsets, inverse_norms = model
    for i in range(len(rows)):
        first, last = offsets[windows.tokens[i]], offsets[windows.tokens[i] + 1]
        rows[i], probabilities[i] = first, 1.0
        if last - first == 1 or windows.right[i] - windows.left[i] <= 1:
            continue
        sum_context(windows, i, output, mean)
        best = -np.inf
        for row in range(first, last):
            s = splat(_ZERO)
            for d in range(0, centres.shape[1], 8):
                s = multiply_add(load(centres, row, d), load(mean, 0, d), s)
            cosine = total(s) * inverse_norms[row]
            if cosine > best:
                best, rows[i] = cosine, row


@jit
def sum_context(windows, i, output, mean):
    """mean[0] = Σ_j output[y_j]; a cosine does not ask for the division."""
    for d in range(0, output.shape[1], 8):
        s = splat(_ZERO)
        for j in range(windows.left[i], windows.right[i]):
            if j != i:
                s = multiply_add(splat(_ONE), load(output, windows.tokens[j], d), s)
        store(mean, 0, d, s)
