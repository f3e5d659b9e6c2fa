"""Multi-prototype Skip-gram (Tian et al. 2014): K senses for every word, with priors learned by online EM."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from adagram.kernels.adagram import COLD, NEGLIGIBLE, normalise
from adagram.kernels.arrays import F32, F64
from adagram.kernels.jit import jit
from adagram.kernels.numerics import score_nodes
from adagram.kernels.rows import add_row, dot_rows, step_rows, step_rows_of_many, step_rows_of_two
from adagram.kernels.windows import collect_nodes, prefetch_next


class Mixture(NamedTuple):
    """The K senses of word w are rows K·w to K·w + K - 1."""

    vectors: F32  # (n_words · K, padded dim)
    counts: F64  # (n_words · K,) n_wk; π_wk = n_wk / n_w
    totals: F64  # (n_words,) n_w


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
        work.tally[1] += span.right[i] - span.left[i] - 1
        work.tally[2] += 1
        work.tally[3] += n_senses
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
    work.tally[0] += normalise(work.posterior, n_senses)


@jit
def update_vectors(live, size, rate, reach, senses, output, work):
    """θ ← θ + ρ ∇ Σ_k γ_k Σ_j log p(y_j | w, k): one step, every gradient taken at the old θ.

    Output rows move `reach` times as far: 1, or more where the token stands for those of other machines too.
    """
    active = 0
    for k in range(live):
        if work.posterior[k] > NEGLIGIBLE:
            work.active[active] = k
            active += 1
            weight = rate * np.float32(work.posterior[k])
            for a in range(size):
                work.slopes[k, a] *= weight
    # No sense is active when all posteriors are NaN: nothing moves, and the trainer sees the bound.
    if active == 1:
        k = work.active[0]
        row = work.sense_rows[k]
        step_rows(senses.vectors, row, work.grads, output, work.rows, size, work.slopes, k, reach)
    elif active == 2:
        j, k = work.active[0], work.active[1]
        first, second = work.sense_rows[j], work.sense_rows[k]
        step_rows_of_two(
            senses.vectors, first, second, work.grads, output, work.rows, size, work.slopes, j, k, reach
        )
    elif active > 2:
        step_rows_of_many(
            senses.vectors,
            work.sense_rows,
            work.grads,
            output,
            work.rows,
            size,
            work.slopes,
            work.active,
            active,
            reach,
        )
    for j in range(active):
        add_row(senses.vectors, work.sense_rows[work.active[j]], work.grads, work.active[j])


@jit
def update_priors(w, rate, mixture, work, n_senses):
    """M-step of the priors, online: π_wk ← (1-λ) π_wk + λ γ_k, kept as n_wk = n_w π_wk."""
    step = np.float64(rate)
    gain = step * mixture.totals[w]
    for k in range(n_senses):
        row = w * n_senses + k
        mixture.counts[row] += gain * work.posterior[k] - step * mixture.counts[row]
