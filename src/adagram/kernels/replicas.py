"""Copies of a system that were trained apart on a piece of text each: one row after the other they are made equal.

What a copy changed is added to the shared row, times a weight; see `fold_weight`. A row that only one copy met becomes
what it is there. Rows are taken in bands, each by one thread, so the result does not depend on who comes first.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.adagram import STREAMS_OF_WORD, draw_row
from adagram.kernels.block import is_trained
from adagram.kernels.jit import kernel, part
from adagram.kernels.lanes import load, multiply_add, splat, store
from adagram.kernels.shared import fold_weight

_ONE = np.float32(1.0)

BAND = 64  # rows; neighbours share a cache line in the marks


@kernel
def note_span(span, tree, words, nodes):
    """Count the tokens of each word that a span trains, and mark the nodes on the paths of their contexts."""
    if span.first == span.last:
        return
    for i in range(span.first, span.last):
        if is_trained(span, i):
            words[span.owned[i]] += 1
    for j in range(span.left[span.first], span.right[span.last - 1]):
        y = span.tokens[j]
        for p in range(tree.offsets[y + 1] - 1, tree.offsets[y] - 1, -1):
            node = tree.steps[p] >> 1
            if nodes[node]:  # and so are all above it
                break
            nodes[node] = True


@kernel
def merge_nodes(shared, copies, met, which, pull, visits):
    """Make output rows equal that some copies met, (copies, rows); each was moved by pull · visits.

    Of the rows first:last of `which` only every n-th band, from the one that is named.
    """
    first, last, band, n_bands = which
    n_copies = len(copies)
    for begin in range(first + band * BAND, last, n_bands * BAND):
        for row in range(begin, min(last, begin + BAND)):
            n = 0
            for t in range(n_copies):
                n += met[t, row]
            if n:
                merge_row(shared, copies, met, row, row, fold_weight(pull * visits[row], n))


@part
def merge_row(shared, copies, met, place, row, weight):
    """shared += weight · Σ (copy - shared) over the copies that met[:, place]; then all copies are equal to it."""
    width, less, far = shared.shape[1], splat(-_ONE), splat(weight)
    n, last = 0, 0
    for t in range(len(copies)):
        if met[t, place]:
            n, last = n + 1, t
    for d in range(0, width, 8):
        old = load(shared, row, d)
        if n == 1:
            new = load(copies[last], row, d)
        else:
            new = old
            for t in range(len(copies)):
                if met[t, place]:
                    new = multiply_add(far, multiply_add(less, old, load(copies[t], row, d)), new)
        store(shared, row, d, new)
        for t in range(len(copies)):
            store(copies[t], row, d, new)


@kernel
def merge_senses(shared, copies, met, which, rate, curvature, stride):
    """Make the senses of words equal; met (copies, words) has the tokens of each word. `which` as in `merge_nodes`.

    The first sense of word w is row stride · w. A sense is moved by its share of the tokens.
    """
    first, last, band, n_bands = which
    vectors, counts, pending = copies
    n_copies = len(vectors)
    for begin in range(first + band * BAND, last, n_bands * BAND):
        for w in range(begin, min(last, begin + BAND)):
            n, tokens = 0, 0
            for t in range(n_copies):
                n += met[t, w] > 0
                tokens += met[t, w]
            if n == 0:
                continue
            row = np.int64(w * stride)
            while row >= 0:
                share = min(1.0, shared.counts[row] / shared.totals[w])
                weight = fold_weight(curvature * rate * share * tokens / n, n)
                merge_row(shared.vectors, vectors, met, w, row, weight)
                merge_count(shared.counts, counts, met, w, row, rate)
                row = np.int64(shared.next_row[row])
            merge_count(shared.pending, pending, met, w, w, rate)


@part
def merge_count(shared, copies, met, w, row, rate):
    """A count, which each token of word w turns into (1-λ) n + λ x: as if the copies had been trained in turns.

    A copy with m tokens that had begun at n, not at the shared value s, would be (1-λ)^m (n - s) further.
    """
    value = shared[row]
    for t in range(len(copies)):
        if met[t, w]:
            value = copies[t][row] + (1.0 - rate) ** met[t, w] * (value - shared[row])
    shared[row] = max(value, 0.0)
    for t in range(len(copies)):
        copies[t][row] = shared[row]


@kernel
def give_rows(senses, births, first, own, shares, key, dim):
    """Put births (word, stick, row before it) into rows from `first` on.

    Those that the copy bore itself have a place in `own`, with their vectors and counts; the others are as at birth.
    """
    places, vectors, counts = own
    for i in range(len(births)):
        w, stick, before = births[i, 0], births[i, 1], births[i, 2]
        row, place = first + i, places[i]
        if place >= 0:
            for d in range(vectors.shape[1]):
                senses.vectors[row, d] = vectors[place, d]
            senses.counts[row] = counts[place]
        else:
            draw_row(senses.vectors, row, key, w * STREAMS_OF_WORD + stick, dim)
            senses.counts[row] = senses.pending[w] * shares[stick]
            senses.pending[w] = max(0.0, senses.pending[w] - senses.counts[row])
        senses.next_row[row] = -1
        senses.next_row[before] = row
