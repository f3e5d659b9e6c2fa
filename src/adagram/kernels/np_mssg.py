"""NP-MSSG (Neelakantan et al. 2014): MSSG where a context far from all clusters of its word founds a new one."""

from __future__ import annotations

import numpy as np

from adagram.kernels.adagrad import step_pairs
from adagram.kernels.adagram import STREAMS_OF_WORD, draw_row
from adagram.kernels.arrays import BIRTHS, CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import helper, jit
from adagram.kernels.mssg import nearest_sense, sum_context, update_centre

CENTRES = STREAMS_OF_WORD // 2  # random streams of the centres come after those of the senses


@jit
def train_span(span, noise, senses, clusters, output, output_squares, hot, work, options):
    """Train on the tokens first:last of a span; returns the token at which it stopped for want of spare rows."""
    n_multi, rule, threshold, max_senses, key = options
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0 or span.right[i] - span.left[i] < 2:
            continue
        row = w
        if w < n_multi:
            sum_context(span, i, output, hot, work)
            row, cosine, n = nearest_sense(w, senses, clusters.centres, work)
            # s = K(w) + 1 where max_k cos(μ(w, k), v_context) < λ
            if cosine < threshold and n < max_senses:
                if work.spare[0] >= work.spare[1]:
                    return i
                row = found_sense(w, span.tokens[i], n, senses, clusters.centres, work, key)
            update_centre(row, senses, clusters.centres, work)
        step_pairs(
            span, i, noise, hot, senses.vectors, row, clusters.squares, output, output_squares, rule, work
        )
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += 1
    return span.last


@helper
def found_sense(w, token, n, senses, centres, work, key):
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
