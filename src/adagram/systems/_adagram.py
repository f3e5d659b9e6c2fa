"""The kernel of Algorithm 1; senses are created on demand."""

from __future__ import annotations

import math

import numpy as np

from adagram.kernels.arrays import BIRTHS, BOUND, CONTEXTS, LIVE, MAX_BIRTHS, TOKENS
from adagram.kernels.block import (
    choose_centres,
    collect_block,
    correct_products,
    move_block,
    multiply_block,
    prefetch_block,
    spread_marks,
)
from adagram.kernels.jit import kernel, part
from adagram.kernels.math import LOG_2, digamma, normalise, score_nodes, uniform
from adagram.kernels.simd import borrow, load, store

BIRTH = 1e-3  # posterior of all unborn sticks above which the next one gets a vector
TAIL = 1e-3  # unborn sticks after the ones with all but this share are left out
NEGLIGIBLE = 1e-3  # a sense with less posterior than this is not moved by the window
COLD = 512  # rows of rarer nodes are prefetched: they are not in the cache
STREAMS_OF_WORD = 4096  # random streams, one for each sense: more than max_senses can be
NUMBERS_OF_STREAM = 65536  # one for each place of a vector: more than dim can be


@kernel
def train_span(span, tree, senses, output, n_hot, work, alpha, max_senses, key):
    """Algorithm 1: train on the tokens first:last of a span.

    Return span.last, or the token at which it stopped because there were too few spare rows.
    """
    span, tree, senses, work, output = borrow((span, tree, senses, work, output))
    set_unborn_shares(alpha, work.shares)
    i = span.first
    while i < span.last:
        n, size = begin_block(span, i, tree, senses, output, n_hot, max_senses, 1, work)
        if n <= 0:
            return span.last if n == 0 else work.centres[0]
        i = work.centres[n - 1] + 1
        active, births = np.int64(0), 0
        for b in range(n):
            j = work.centres[b]
            w = np.int64(span.tokens[j])
            live, scored, bound = score_senses(w, b, active, senses, work, alpha)
            born, unborn = decide_births(live, scored, work.posterior)
            births += born - live
            if b == 0 and births > work.spare[1] - work.spare[0]:
                return j
            if b > 0 and born > live and births > MAX_BIRTHS:
                n, i = b, j
                break
            for k in range(live, born):
                add_sense(w, span.tokens[j], k, b, senses, work, key)
            for k in range(born):
                work.sense_rates[k] = span.rates[j]
            active = choose_moves(b, born, NEGLIGIBLE, active, senses, work)
            update_counts(w, born, unborn, span.count_rates[j], senses, work)
            add_to_tally(span, j, born, bound, work)
        move_block(n, work.moves, size, senses.vectors, output, work.nodes)
    return span.last


@part
def begin_block(span, i, tree, senses, output, n_hot, max_senses, stride, work):
    """Choose the next tokens from i on, and compute the products of their senses with the nodes of their windows.

    The first sense of word w is row stride · w. Return the numbers of tokens and nodes; the first is 0 if no token
    is left, -1 if there are too few spare rows.
    """
    n = choose_centres(span, i, work.centres)
    if n == 0:
        return n, n
    n_senses = list_senses(span, n, stride, senses, work)
    if work.spare[1] - work.spare[0] < min(MAX_BIRTHS, n * max_senses - n_senses):
        return -1, n
    prefetch_block(tree, span, work.centres[n - 1] + 1, senses.vectors, output, COLD)
    size = collect_block(tree, span, n, work.centres, n_hot, work.nodes)
    size = spread_marks(n, size, work.nodes, output.shape[0] - 1)
    multiply_block(n_senses, work.vectors, size, output, work.nodes, work.begins, work.dots)
    return n, size


@part
def add_to_tally(span, j, live, bound, work):
    work.tally[BOUND] += bound
    work.tally[CONTEXTS] += span.right[j] - span.left[j] - 1
    work.tally[TOKENS] += 1
    work.tally[LIVE] += live


@part
def list_senses(span, n, stride, senses, work):
    """Copy the vectors of the live senses of every centre side by side; return their number."""
    m = 0
    for b in range(n):
        work.begins[b] = m
        row = np.int64(span.tokens[work.centres[b]]) * stride
        while row >= 0 and m - work.begins[b] < len(work.shares):
            work.live_rows[m] = row
            for d in range(0, work.vectors.shape[1], 8):
                store(work.vectors, m, d, load(senses.vectors, row, d))
            m += 1
            row = np.int64(senses.next_row[row])
    work.begins[n] = m
    return m


@part
def score_senses(w, b, active, senses, work, alpha):
    """Eq. (5): posterior of each live sense of centre b and, after them, of the unborn sticks; slopes are kept.

    Return the number of live senses, the end of what it wrote to `posterior`, and the log-sum-exp of all.
    """
    max_senses = len(work.shares)
    posterior, after, nodes, begin = work.posterior, work.after, work.nodes, work.begins[b]
    live = work.begins[b + 1] - begin
    for k in range(live):
        work.sense_rows[k] = work.live_rows[begin + k]
        # Read once: other threads may be changing it.
        work.sense_counts[k] = senses.counts[work.sense_rows[k]]
    after[live] = senses.pending[w]
    for k in range(live, 0, -1):
        after[k - 1] = after[k] + work.sense_counts[k - 1]  # Σ_{r>=k-1} n_r
    log_rest = 0.0  # Σ_{r<k} E[log(1 - β_r)]
    others = digamma(alpha + after[0])
    for k in range(live):
        correct_products(work.vectors, begin + k, work.dots, work.moves, active)
        log_p = score_nodes(
            work.dots, begin + k, nodes.visits, nodes.lefts, nodes.scales, b, work.slopes, k, nodes.ends[b]
        )
        if k == max_senses - 1:
            posterior[k] = log_rest + log_p
        else:
            whole = others + 1.0 / (alpha + after[k])  # ψ(1 + y) = ψ(y) + 1/y
            posterior[k] = log_rest + digamma(1.0 + work.sense_counts[k]) - whole + log_p
            others = digamma(alpha + after[k + 1])
            log_rest += others - whole
    log_p = LOG_2 * nodes.lengths[b]
    n = score_unborn(live, log_rest, others, after[live], log_p, alpha, work.shares, posterior)
    return live, n, normalise(posterior, 0, n)


@part
def decide_births(live, scored, posterior):
    """Give vectors to unborn sticks, in order, until those without one have at most BIRTH of the posterior.

    Return the number of live senses then, and the posterior of the unborn ones.
    """
    unborn = unborn_share(live, scored, posterior)
    while unborn > BIRTH and live < scored:
        unborn -= posterior[live]
        live += 1
    return live, max(unborn, 0.0)  # differences of posteriors may round to less


@part
def unborn_share(live, scored, posterior):
    """Return the posterior of all unborn sticks."""
    unborn = 0.0
    for k in range(live, scored):
        unborn += posterior[k]
    return unborn


@part
def set_unborn_shares(alpha, shares):
    """shares[k]: the share of stick k among the sticks k, k+1, ... while none has a count, (T,).

    There E[log β] = ψ(1) - ψ(1+alpha) and E[log(1-β)] = -1/alpha; the last stick has all that is left.
    """
    stick, rest = math.exp(digamma(1.0) - digamma(1.0 + alpha)), math.exp(-1.0 / alpha)
    total = 1.0
    shares[len(shares) - 1] = 1.0
    for k in range(len(shares) - 2, -1, -1):
        total = stick + rest * total
        shares[k] = stick / total if stick < (1.0 - TAIL) * total else 1.0


@part
def score_unborn(live, log_rest, others, count, log_p, alpha, shares, posterior):
    """Eq. (5) for the unborn sticks, which have no vector; return the end of what it wrote to `posterior`.

    Their vectors are (near) zero, so every node gives them log(1/2), and no product is needed. Of their counts only the
    sum is kept; each has its share of it. `others` is ψ(alpha + count).
    """
    left = 1.0
    for k in range(live, len(shares)):
        if k == len(shares) - 1:
            posterior[k] = log_rest - log_p
            return k + 1
        own = count * shares[k]
        whole = others + 1.0 / (alpha + count)
        posterior[k] = log_rest + digamma(1.0 + own) - whole - log_p
        left *= 1.0 - shares[k]
        if left < TAIL:
            return k + 1
        count -= own
        others = digamma(alpha + count)
        log_rest += others - whole
    return live


@part
def add_sense(w, token, k, b, senses, work, key):
    """Give the next stick of w a vector from Uniform(-0.5/D, 0.5/D); its products are still (near) zero."""
    row = work.spare[0]
    work.spare[0] += 1
    draw_row(senses.vectors, row, key, np.int64(token) * STREAMS_OF_WORD + k, work.dim)
    senses.counts[row] = senses.pending[w] * work.shares[k]
    senses.pending[w] = max(0.0, senses.pending[w] - senses.counts[row])
    senses.next_row[row] = -1
    senses.next_row[work.sense_rows[k - 1]] = row  # last, so that other threads only see a finished row
    work.sense_rows[k] = row
    nodes = work.nodes
    for u in range(nodes.ends[b]):
        work.slopes[k, u] = nodes.scales[u] * (nodes.lefts[b, u] - np.float32(0.5) * nodes.visits[b, u])
    work.tally[BIRTHS] += 1


@part
def draw_row(vectors, row, key, stream, dim):
    """Uniform(-0.5/D, 0.5/D) in the first `dim` places, zero in the padding."""
    for d in range(vectors.shape[1]):
        vectors[row, d] = np.float32(0.0)
    for d in range(dim):
        vectors[row, d] = np.float32((uniform(key, stream * NUMBERS_OF_STREAM + d) - 0.5) / dim)


@part
def choose_moves(b, live, threshold, active, senses, work):
    """Add the senses of centre b with a posterior above `threshold` to the `active` moves; return their number.

    The step of a sense at a node is ρ γ_k times its slope.
    """
    moves, end = work.moves, work.nodes.ends[b]
    for k in range(live):
        if work.posterior[k] > threshold:
            row, weight = work.sense_rows[k], work.sense_rates[k] * np.float32(work.posterior[k])
            for u in range(end):
                moves.steps[active, u] = weight * work.slopes[k, u]
            for d in range(0, senses.vectors.shape[1], 8):
                store(moves.vectors, active, d, load(senses.vectors, row, d))
            moves.rows[active], moves.ends[active] = row, end
            active += 1
    moves.begins[b + 1] = active
    # No sense is active when all posteriors are NaN: nothing moves, and the trainer sees the bound.
    return active


@part
def update_counts(w, live, unborn, rate, senses, work):
    """n_wk ← (1-λ) n_wk + λ n_w γ_k for the live senses and, together, the unborn ones."""
    step = np.float64(rate)
    gain = step * senses.totals[w]
    for k in range(live):
        row = work.sense_rows[k]
        senses.counts[row] = (1.0 - step) * senses.counts[row] + gain * work.posterior[k]
    # Unless another thread has created that stick meanwhile: its count would go to the one after it.
    if senses.next_row[work.sense_rows[live - 1]] < 0:
        senses.pending[w] = (1.0 - step) * senses.pending[w] + gain * unborn
