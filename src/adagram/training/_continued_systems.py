"""Kernels of continued models: Algorithm 1, and a search of uses of known words that their senses do not fit.

Known words have a rate for each sense, and get no sense but their candidate.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import MAX_BIRTHS
from adagram.kernels.block import move_block
from adagram.kernels.jit import helper, jit, kernel, part
from adagram.kernels.simd import borrow
from adagram.systems._adagram import (
    NEGLIGIBLE,
    add_sense,
    add_to_tally,
    begin_block,
    choose_moves,
    decide_births,
    score_senses,
    set_unborn_shares,
    unborn_share,
    update_counts,
)

ROUNDS = 4  # of choosing the uses of a new meaning again; they hardly change after the second
TINY = np.float32(1e-6)
DOUBTFUL = 0.05  # posterior above which a window updates a sense of a known word, which is trained already


@kernel
def train_span(span, base_rates, n_learned, tree, senses, output, n_hot, work, alpha, max_senses, key):
    """As `systems._adagram.train_span`; n_learned[w] > 0 if the previous model had learned word w."""
    span, tree, senses, work, output = borrow((span, tree, senses, work, output))
    set_unborn_shares(alpha, work.shares)
    i = span.first
    while i < span.last:
        n, size = begin_block(span, i, tree, senses, output, n_hot, max_senses, work)
        if n <= 0:
            return span.last if n == 0 else work.centres[0]
        i = work.centres[n - 1] + 1
        active, births = np.int64(0), 0
        for b in range(n):
            j = work.centres[b]
            w = np.int64(span.tokens[j])
            is_known = n_learned[w] > 0
            live, scored, bound = score_senses(w, b, active, senses, work, alpha)
            if is_known:
                born, unborn = live, unborn_share(live, scored, work.posterior)
            else:
                born, unborn = decide_births(live, scored, work.posterior)
            births += born - live
            if b == 0 and births > work.spare[1] - work.spare[0]:
                return j
            if b > 0 and born > live and births > MAX_BIRTHS:
                n, i = b, j
                break
            for k in range(live, born):
                add_sense(w, span.tokens[j], k, b, senses, work, key)
            set_rates(w, born, span.rates[j], base_rates[j], n_learned, senses, work)
            active = choose_moves(b, born, DOUBTFUL if is_known else NEGLIGIBLE, active, senses, work)
            update_counts(w, born, unborn, span.count_rates[j], senses, work)
            add_to_tally(span, j, born, bound, work)
        move_block(n, work.moves, size, senses.vectors, output, work.nodes)
    return span.last


@part
def set_rates(w, live, rate, base_rate, n_learned, senses, work):
    """Set ρ of each sense.

    If the uses n_w of the word limit it below `base_rate`, a sense that the previous model had not learned is limited
    by its own uses n_wk instead, to ρ n_w / n_wk: it learns as a sense of a new word does.
    """
    for k in range(live):
        work.sense_rates[k] = rate
        if rate < base_rate and k >= n_learned[w]:
            count = max(senses.counts[work.sense_rows[k]], 1.0)
            work.sense_rates[k] = min(base_rate, np.float32(rate * senses.totals[w] / count))


@jit
def list_uses(tokens, wanted, uses, begins, seen, positions):
    """positions[begins[j]:begins[j+1]]: evenly spaced uses of each word w with j = wanted[w] >= 0, of uses[w]."""
    for i in range(len(tokens)):
        w = tokens[i]
        j = wanted[w]
        if j >= 0:
            n = begins[j + 1] - begins[j]
            slot = seen[j] * n // uses[w]
            seen[j] += 1
            if seen[j] * n // uses[w] > slot:
                positions[begins[j] + slot] = i


@jit
def find_directions(tokens, radius, means, positions, begins, senses, offsets, found, apart):
    """found[j]: the direction, of length 1, of the uses of word j that its senses offsets[j]:offsets[j+1] fit least.

    A use has the direction of the sum of the `means` of the words around it; its fit to a sense is their cosine. Start
    with the third of the uses with the lowest fit; then, ROUNDS times, choose the uses that fit their own mean better
    than any sense. If there are none the direction is zero. apart[j]: see `mean_margin`.
    """
    most = 0
    for j in range(len(begins) - 1):
        most = max(most, begins[j + 1] - begins[j])
    contexts = np.empty((most, means.shape[1]), np.float32)
    fits, chosen = np.empty(most, np.float32), np.empty(most, np.bool_)
    for j in range(len(begins) - 1):
        n = begins[j + 1] - begins[j]
        for u in range(n):
            add_around(tokens, positions[begins[j] + u], radius, means, contexts[u])
            normalise(contexts[u])
            fits[u] = np.float32(-1.0)
            for k in range(offsets[j], offsets[j + 1]):
                fits[u] = max(fits[u], product(contexts[u], senses[k]))
        least = np.sort(fits[:n])[n // 3] if n else np.float32(0.0)
        for u in range(n):
            chosen[u] = fits[u] <= least
        length = add_chosen(n, chosen, contexts, found[j])
        for _ in range(ROUNDS):
            for u in range(n):
                chosen[u] = product(contexts[u], found[j]) > fits[u]
            length = add_chosen(n, chosen, contexts, found[j])
        apart[j] = mean_margin(n, chosen, contexts, fits, found[j], length)


@helper
def mean_margin(n, chosen, contexts, fits, found, length):
    """Return by how much, on average, a chosen use fits the other chosen ones better than any sense.

    With the sum length·found of all of them, that of the others than the use c is length·found - c.
    """
    total, size = np.float32(0.0), 0
    for u in range(n):
        if chosen[u]:
            own = length * product(contexts[u], found)
            others = np.sqrt(max(length * length - np.float32(2.0) * own + np.float32(1.0), TINY))
            total += (own - np.float32(1.0)) / others - fits[u]
            size += 1
    return total / size if size > 1 else np.float32(0.0)


@helper
def add_around(tokens, position, radius, means, context):
    """Sum the means around a position; skip zeros, which are most of a running text."""
    context[:] = np.float32(0.0)
    for i in range(max(0, position - radius), min(len(tokens), position + radius + 1)):
        row = means[tokens[i]]
        if i != position and row[0] != np.float32(0.0):
            for d in range(len(context)):
                context[d] += row[d]


@helper
def add_chosen(n, chosen, contexts, found):
    """Write the direction of the sum of the chosen contexts to `found`; return its length."""
    found[:] = np.float32(0.0)
    for u in range(n):
        if chosen[u]:
            for d in range(len(found)):
                found[d] += contexts[u, d]
    return normalise(found)


@helper
def normalise(vector):
    length = np.sqrt(product(vector, vector))
    if length > np.float32(0.0):
        for d in range(len(vector)):
            vector[d] /= length
    return length


@helper
def product(a, b):
    total = np.float32(0.0)
    for d in range(len(a)):
        total += a[d] * b[d]
    return total
