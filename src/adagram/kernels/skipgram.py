"""Skip-gram with hierarchical softmax: one vector per word, so no posterior, no counts, no births."""

from __future__ import annotations

import numpy as np

from adagram.kernels.adagram import COLD
from adagram.kernels.arrays import BOUND, CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import jit
from adagram.kernels.numerics import score_nodes
from adagram.kernels.rows import add_row, dot_rows, step_rows
from adagram.kernels.windows import collect_nodes, prefetch_next


@jit
def train_span(span, tree, vectors, output, hot, work):
    """θ ← θ + ρ ∇ Σ_j log p(y_j | w), Eq. (2) and (3), one step per token."""
    padding = output.shape[0] - 1
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0:
            continue
        size, _ = collect_nodes(tree, span, i, hot, work, padding)
        if size == 0:
            continue
        prefetch_next(tree, span, i, vectors, output, COLD)
        dot_rows(vectors, w, output, work.rows, size, work.dots, 0)
        work.tally[BOUND] += score_nodes(work.dots, 0, work.visits, work.lefts, work.slopes, size)
        rate = span.rates[i]
        for a in range(size):
            work.slopes[0, a] *= rate
        step_rows(vectors, w, work.grads, output, work.rows, size, work.slopes, 0, span.reach)
        add_row(vectors, w, work.grads, 0)
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += 1
    return span.last
