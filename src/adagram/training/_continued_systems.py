"""Kernels of continued models: Algorithm 1, and a sample of the uses of known words.

Known words have a rate for each sense, and get no sense but their candidate.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import MAX_BIRTHS
from adagram.kernels.block import move_block
from adagram.kernels.jit import jit, kernel, part
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

DOUBTFUL = 0.05  # posterior above which a window updates a sense of a known word, which is trained already


@kernel
def train_span(span, base_rates, n_learned, tree, senses, output, n_hot, work, alpha, max_senses, key):
    """As `systems._adagram.train_span`; n_learned[w] > 0 if the previous model had learned word w."""
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
