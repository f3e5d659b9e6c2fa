"""Contexts of sampled occurrences, and how well sense vectors predict them: the data that moves are judged by."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import jit
from adagram.kernels.numerics import uniform
from adagram.kernels.predict import log_p_word


@jit
def sample_places(tokens, chances, key, counts, places):
    """Each occurrence of word w with probability chances[w]; returns how many were put into places.

    counts[w] is raised by one for each. Chance depends on the place and the key alone.
    """
    n = 0
    for at in range(len(tokens)):
        w = tokens[at]
        if chances[w] > 0.0 and n < len(places) and uniform(key, at) < chances[w]:
            places[n] = at
            counts[w] += 1
            n += 1
    return n


@jit
def context_of(tokens, place, window, keep, key, context):
    """The words that training would see around a place: up to `window` kept ones each side; returns how many."""
    n, at = 0, place - 1
    while at >= 0 and n < window:
        if uniform(key, at) < keep[tokens[at]]:
            context[n] = tokens[at]
            n += 1
        at -= 1
    left, at = n, place + 1
    while at < len(tokens) and n < left + window:
        if uniform(key, at) < keep[tokens[at]]:
            context[n] = tokens[at]
            n += 1
        at += 1
    return n


@jit
def score_places(tokens, places, window, keep, key, vectors, tree, context, log_p):
    """Eq. (3) in logs, summed over each place's context, for every row of `vectors`: log_p[place, row]."""
    output, steps, paths = tree
    for i in range(len(places)):
        n = context_of(tokens, places[i], window, keep, key, context)
        for row in range(vectors.shape[0]):
            total = 0.0
            for j in range(n):
                y = np.int64(context[j])
                total += log_p_word(vectors, row, output, steps, paths[y], paths[y + 1])
            log_p[i, row] = total
