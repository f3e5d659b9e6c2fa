"""Kernels of Skip-gram, with hierarchical softmax and with negative sampling."""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import BOUND, CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import helper, jit
from adagram.kernels.math import score_nodes
from adagram.kernels.rows import add_row, dot_rows, step_rows
from adagram.kernels.windows import collect_nodes, prefetch_next
from adagram.systems._adagram import COLD
from adagram.systems._negative_sampling import collect_words, prefetch_words


@jit
def train_span(span, tree, vectors, output, n_hot, work):
    """θ ← θ + ρ ∇ Σ_j log p(y_j | w), Eq. (2) and (3), one step per token."""
    padding = output.shape[0] - 1
    for i in range(span.first, span.last):
        if span.targets[i] < 0:
            continue
        size = collect_nodes(tree, span, i, n_hot, work, padding)
        if size == 0:
            continue
        prefetch_next(tree, span, i, vectors, output, COLD)
        step_word(span, i, vectors, output, size, work)
    return span.last


@jit
def train_span_ns(span, noise, vectors, output, n_hot, work):
    """θ ← θ + ρ ∇ Σ_j [log σ(in_w·out_j) + Σ_noise log σ(-in_w·out_noise)], one step per token (their Eq. 4)."""
    padding = output.shape[0] - 1
    for i in range(span.first, span.last):
        if span.targets[i] < 0:
            continue
        size = collect_words(span, i, noise, n_hot, work, padding)
        if size == 0:
            continue
        prefetch_words(span, i, noise, vectors, output)
        step_word(span, i, vectors, output, size, work)
    return span.last


@helper
def step_word(span, i, vectors, output, size, work):
    """One gradient step of the vector of token i and of all collected output rows, both taken at the old values."""
    row, rate = np.int64(span.targets[i]), span.rates[i]
    dot_rows(vectors, row, output, work.rows, size, work.dots, 0)
    work.tally[BOUND] += score_nodes(
        work.dots, 0, work.visits, work.lefts, work.scales, 0, work.slopes, 0, size
    )
    for a in range(size):
        work.slopes[0, a] *= rate
    step_rows(vectors, row, work.grads, output, work.rows, size, work.slopes, 0)
    add_row(vectors, row, work.grads, 0)
    work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
    work.tally[TOKENS] += 1
    work.tally[LIVE] += 1
