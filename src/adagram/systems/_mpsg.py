"""Multi-prototype Skip-gram (Tian et al. 2014): K senses for every word, with priors π_wk learned by online EM.

The K senses of word w are rows K·w to K·w + K - 1; π_wk = n_wk / n_w.
"""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.block import correct_products, move_block
from adagram.kernels.jit import kernel, part
from adagram.kernels.math import normalise, score_nodes
from adagram.kernels.simd import borrow
from adagram.systems._adagram import NEGLIGIBLE, add_to_tally, begin_block, choose_moves


@kernel
def train_span(span, tree, senses, output, n_hot, work, n_senses):
    """One iteration of EM per token: posterior of its senses, then one step of θ and π with it."""
    span, tree, senses, work, output = borrow((span, tree, senses, work, output))
    i = span.first
    while i < span.last:
        n, size = begin_block(span, i, tree, senses, output, n_hot, n_senses, n_senses, work)
        if n == 0:
            break
        i = work.centres[n - 1] + 1
        active = np.int64(0)
        for b in range(n):
            j = work.centres[b]
            w = np.int64(span.tokens[j])
            bound = score_senses(w, b, active, senses, work, n_senses)
            for k in range(n_senses):
                work.sense_rates[k] = span.rates[j]
            active = choose_moves(b, n_senses, NEGLIGIBLE, active, senses, work)
            update_priors(w, span.count_rates[j], senses, work, n_senses)
            add_to_tally(span, j, n_senses, bound, work)
        move_block(n, work.moves, size, senses.vectors, output, work.nodes)
    return span.last


@part
def score_senses(w, b, active, senses, work, n_senses):
    """E-step: γ_k ∝ π_wk Π_j p(y_j | w, k), where p is the hierarchical softmax, Eq. (3); return their log sum."""
    nodes, begin = work.nodes, work.begins[b]
    for k in range(n_senses):
        row = w * n_senses + k
        work.sense_rows[k] = row
        correct_products(work.vectors, begin + k, work.dots, work.moves, active)
        log_p = score_nodes(
            work.dots, begin + k, nodes.visits, nodes.lefts, nodes.scales, b, work.slopes, k, nodes.ends[b]
        )
        work.posterior[k] = math.log(senses.counts[row] / senses.totals[w]) + log_p
    return normalise(work.posterior, 0, n_senses)


@part
def update_priors(w, rate, senses, work, n_senses):
    """M-step of the priors, online: π_wk ← (1-λ) π_wk + λ γ_k, kept as n_wk = n_w π_wk."""
    step = np.float64(rate)
    gain = step * senses.totals[w]
    for k in range(n_senses):
        row = w * n_senses + k
        senses.counts[row] += gain * work.posterior[k] - step * senses.counts[row]
