"""Algorithm 1 of the paper, with senses born when the text asks for them."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.arrays import BIRTHS, BOUND, CONTEXTS, LIVE, TOKENS
from adagram.kernels.jit import jit
from adagram.kernels.numerics import digamma, score_nodes, uniform
from adagram.kernels.rows import (
    add_row,
    dot_rows,
    dot_rows_of_two,
    step_rows,
    step_rows_of_many,
    step_rows_of_two,
)
from adagram.kernels.windows import collect_nodes, prefetch_next

BIRTH = 1e-3  # posterior of all unborn sticks at which the next one gets a vector
TAIL = 1e-3  # sticks that share less than this of what the unborn ones have are left out
NEGLIGIBLE = 1e-4  # a sense with less posterior than this is not moved by the window
COLD = 2048  # rows of rarer nodes are prefetched
STREAMS_OF_WORD = 4096  # random streams, one for each sense: more than max_senses can be
NUMBERS_OF_STREAM = 65536  # one for each place of a vector: more than dim can be
_LOG_2 = math.log(2.0)


@jit
def train_span(span, tree, senses, output, hot, work, alpha, max_senses, key):
    """Train on the tokens first:last of a span; returns the token at which it stopped for want of spare rows."""
    padding = output.shape[0] - 1
    shares = unborn_shares(alpha, max_senses)
    for i in range(span.first, span.last):
        w = np.int64(span.owned[i])
        if w < 0:
            continue
        rate = span.rates[i]
        size, steps = collect_nodes(tree, span, i, hot, work, padding)
        if size == 0:
            continue
        prefetch_next(tree, span, i, senses.vectors, output, COLD)
        live, scored, bound = score_senses(w, size, steps, senses, output, work, alpha, shares)
        born, unborn = decide_births(live, scored, work.posterior)
        if born - live > work.spare[1] - work.spare[0]:
            return i
        for k in range(live, born):
            bear_sense(w, span.tokens[i], k, size, senses, work, shares, key)
        live = born
        update_vectors(live, size, rate, span.reach, senses, output, work)
        update_counts(w, live, unborn, rate, senses, work)
        work.tally[BOUND] += bound
        work.tally[CONTEXTS] += span.right[i] - span.left[i] - 1
        work.tally[TOKENS] += 1
        work.tally[LIVE] += live
    return span.last


@jit
def score_senses(w, size, steps, senses, output, work, alpha, shares):
    """Eq. (5): posterior of each live sense of w and, after them, of the unborn sticks; dots and slopes are kept.

    Returns the number of live senses, the end of what it wrote to `posterior`, and the log-sum-exp of all.
    """
    posterior, after, max_senses = work.posterior, work.after, len(shares)
    live = 0
    row = w
    while row >= 0 and live < max_senses:
        work.sense_rows[live] = row
        work.sense_counts[live] = senses.counts[row]  # read once: other threads may be changing it
        live += 1
        row = np.int64(senses.next_row[row])
    after[live] = senses.pending[w]
    for k in range(live, 0, -1):
        after[k - 1] = after[k] + work.sense_counts[k - 1]  # Σ_{r>=k-1} n_r
    for k in range(0, live - 1, 2):
        first, second = work.sense_rows[k], work.sense_rows[k + 1]
        dot_rows_of_two(senses.vectors, first, second, output, work.rows, size, work.dots, k)
    if live % 2:
        dot_rows(senses.vectors, work.sense_rows[live - 1], output, work.rows, size, work.dots, live - 1)
    log_rest = 0.0  # Σ_{r<k} E[log(1 - β_r)]
    for k in range(live):
        log_p = score_nodes(work.dots, k, work.visits, work.lefts, work.slopes, size)
        if k == max_senses - 1:
            posterior[k] = log_rest + log_p
        else:
            whole = digamma(1.0 + alpha + after[k])
            posterior[k] = log_rest + digamma(1.0 + work.sense_counts[k]) - whole + log_p
            log_rest += digamma(alpha + after[k + 1]) - whole
    n = score_unborn(live, log_rest, after[live], _LOG_2 * steps, alpha, shares, posterior)
    return live, n, normalise(posterior, n)


@jit
def decide_births(live, scored, posterior):
    """Sticks get a vector in their order until those without one have a posterior of at most BIRTH together.

    Returns the number of live senses then, and what is left to the unborn.
    """
    unborn = 0.0
    for k in range(live, scored):
        unborn += posterior[k]
    while unborn > BIRTH and live < scored:
        unborn -= posterior[live]
        live += 1
    return live, max(unborn, 0.0)  # differences of posteriors may round to less


@jit
def unborn_shares(alpha, max_senses):
    """Which share of the sticks k, k+1, ... the stick k has while none has a count, (T,).

    There E[log β] = ψ(1) - ψ(1+alpha) and E[log(1-β)] = -1/alpha, but for the last stick, which takes what is left.
    """
    stick, rest = math.exp(digamma(1.0) - digamma(1.0 + alpha)), math.exp(-1.0 / alpha)
    shares = np.ones(max_senses)
    total = 1.0
    for k in range(max_senses - 2, -1, -1):
        total = stick + rest * total
        if stick < (1.0 - TAIL) * total:
            shares[k] = stick / total
    return shares


@jit
def score_unborn(live, log_rest, count, log_p, alpha, shares, posterior):
    """Eq. (5) for the sticks that have no vector yet; returns the end of what it wrote to `posterior`.

    Their vectors are (near) zero, so every node gives them log(1/2), and no product is needed. Of their counts only the
    sum is kept; each has its share of it.
    """
    left = 1.0
    for k in range(live, len(shares)):
        if k == len(shares) - 1:
            posterior[k] = log_rest - log_p
            return k + 1
        own = count * shares[k]
        whole = digamma(1.0 + alpha + count)
        posterior[k] = log_rest + digamma(1.0 + own) - whole - log_p
        left *= 1.0 - shares[k]
        if left < TAIL:
            return k + 1
        count -= own
        log_rest += digamma(alpha + count) - whole
    return live


@jit
def normalise(log_weights, n):
    """Turn n log weights into a distribution in place; returns their log-sum-exp."""
    top = log_weights[0]
    for k in range(1, n):
        top = max(top, log_weights[k])
    total = 0.0
    for k in range(n):
        log_weights[k] = math.exp(log_weights[k] - top)
        total += log_weights[k]
    for k in range(n):
        log_weights[k] /= total
    return top + math.log(total)


@jit
def bear_sense(w, token, k, size, senses, work, shares, key):
    """Give the next stick of w a vector from Uniform(-0.5/D, 0.5/D); its products are still (near) zero.

    The vector is drawn by the token, which is the same whoever owns the word.
    """
    row = work.spare[0]
    work.spare[0] += 1
    draw_row(senses.vectors, row, key, np.int64(token) * STREAMS_OF_WORD + k, work.dim)
    senses.counts[row] = senses.pending[w] * shares[k]
    senses.pending[w] = max(0.0, senses.pending[w] - senses.counts[row])
    senses.next_row[row] = -1
    senses.next_row[work.sense_rows[k - 1]] = row  # last, so that other threads only see a finished row
    work.sense_rows[k] = row
    for a in range(size):
        work.slopes[k, a] = work.lefts[a] - np.float32(0.5) * work.visits[a]
    work.tally[BIRTHS] += 1


@jit
def draw_row(vectors, row, key, stream, dim):
    """Uniform(-0.5/D, 0.5/D) in the first `dim` places, zero in the padding."""
    for d in range(vectors.shape[1]):
        vectors[row, d] = np.float32(0.0)
    for d in range(dim):
        vectors[row, d] = np.float32((uniform(key, stream * NUMBERS_OF_STREAM + d) - 0.5) / dim)


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
def update_counts(w, live, unborn, rate, senses, work):
    """n_wk ← (1-λ) n_wk + λ n_w γ_k for the live senses and, together, the unborn ones."""
    step = np.float64(rate)
    gain = step * senses.totals[w]
    for k in range(live):
        row = work.sense_rows[k]
        senses.counts[row] = (1.0 - step) * senses.counts[row] + gain * work.posterior[k]
    # Not if another thread bore that stick meanwhile: its count would be put on the one after it.
    if senses.next_row[work.sense_rows[live - 1]] < 0:
        senses.pending[w] = (1.0 - step) * senses.pending[w] + gain * unborn
