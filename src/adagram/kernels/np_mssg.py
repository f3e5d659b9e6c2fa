"""NP-MSSG (Neelakantan et al. 2014): MSSG where a context far from all clusters of its word founds a new one."""

from __future__ import annotations

import numpy as np

from adagram.kernels.adagram import STREAMS_OF_WORD, draw_row
from adagram.kernels.arrays import BIRTHS, CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import jit
from adagram.kernels.mssg import average_context, nearest_sense, update_centre
from adagram.kernels.negative_sampling import collect_words, prefetch_words
from adagram.kernels.skipgram_ns import step_word


@jit
def train_span(span, noise, senses, centres, output, hot, work, growth):
    """Train on the tokens first:last of a span; returns the token at which it stopped for want of spare rows."""
    n_multi, threshold, max_senses, key = growth
    padding = output.shape[0] - 1
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0:
            continue
        size, n_distinct = collect_words(span, i, noise, hot, work, padding)
        if size == 0:
            continue
        prefetch_words(span, i, noise, senses.vectors, output)
        row = w
        if w < n_multi:
            average_context(span, i, n_distinct, output, work)
            row, cosine, n = nearest_sense(w, senses, centres, work)
            # s = K(w) + 1 where max_k cos(μ(w, k), v_context) < λ
            if cosine < threshold and n < max_senses:
                if work.spare[0] >= work.spare[1]:
                    return i
                row = found_sense(w, span.tokens[i], n, senses, work, key)
            update_centre(row, senses, centres, work)
        step_word(senses.vectors, row, output, size, span.rates[i], span.reach, work)
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += 1
    return span.last


@jit
def found_sense(w, token, n, senses, work, key):
    """Link a row with a random vector and an empty cluster after the n senses of w."""
    row = work.spare[0]
    work.spare[0] += 1
    draw_row(senses.vectors, row, key, np.int64(token) * STREAMS_OF_WORD + n, work.dim)
    senses.counts[row] = 0.0
    senses.next_row[row] = -1
    last = w
    while senses.next_row[last] >= 0:
        last = np.int64(senses.next_row[last])
    senses.next_row[last] = row  # last, so that other threads only see a finished row
    work.tally[BIRTHS] += 1
    return row
