"""Multi-prototype Skip-gram (Tian et al. 2014): K senses for every word, with priors learned by online EM."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from adagram.arrays import F32, Floats
from adagram.kernels.adagram import COLD, normalise, update_vectors
from adagram.kernels.arrays import BOUND, CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import jit
from adagram.kernels.numerics import score_nodes
from adagram.kernels.rows import dot_rows
from adagram.kernels.windows import collect_nodes, prefetch_next


class Mixture(NamedTuple):
    """The K senses of word w are rows K·w to K·w + K - 1."""

    vectors: F32  # (n_words · K, padded dim)
    counts: Floats  # (n_words · K,) n_wk; π_wk = n_wk / n_w
    totals: Floats  # (n_words,) n_w


@jit
def train_span(span, tree, mixture, output, hot, work, n_senses):
    """One turn of EM per token: posterior of its senses, then one step of θ and π with it."""
    padding = output.shape[0] - 1
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0:
            continue
        rate = span.rates[i]
        size, _ = collect_nodes(tree, span, i, hot, work, padding)
        if size == 0:
            continue
        prefetch_next(tree, span, i, mixture.vectors, output, COLD)
        score_senses(w, size, mixture, output, work, n_senses)
        update_vectors(n_senses, size, rate, span.reach, mixture, output, work)
        update_priors(w, rate, mixture, work, n_senses)
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += n_senses
    return span.last


@jit
def score_senses(w, size, mixture, output, work, n_senses):
    """E-step: γ_k ∝ π_wk Π_j p(y_j | w, k), where p is the hierarchical softmax, Eq. (3)."""
    for k in range(n_senses):
        row = w * n_senses + k
        work.sense_rows[k] = row
        dot_rows(mixture.vectors, row, output, work.rows, size, work.dots, k)
        log_p = score_nodes(work.dots, k, work.visits, work.lefts, work.slopes, size)
        work.posterior[k] = math.log(mixture.counts[row] / mixture.totals[w]) + log_p
    work.tally[BOUND] += normalise(work.posterior, n_senses)


@jit
def update_priors(w, rate, mixture, work, n_senses):
    """M-step of the priors, online: π_wk ← (1-λ) π_wk + λ γ_k, kept as n_wk = n_w π_wk."""
    step = np.float64(rate)
    gain = step * mixture.totals[w]
    for k in range(n_senses):
        row = w * n_senses + k
        mixture.counts[row] += gain * work.posterior[k] - step * mixture.counts[row]
