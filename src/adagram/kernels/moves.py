"""Pairs of near occurrences of a word, and which senses they have."""

from __future__ import annotations

from adagram.kernels.jit import jit
from adagram.kernels.numerics import uniform

NEAR = 15  # words: closer occurrences share their context, and are taken for one
FAR = 300  # words: beyond it a passage is another


@jit
def count_pairs(tokens, last, counts):
    """counts[w]: how often word w occurs again NEAR to FAR words on; `last` is -1 for every word."""
    for i in range(len(tokens)):
        w = tokens[i]
        since = i - last[w]
        if last[w] >= 0 and since <= FAR and since > NEAR:
            counts[w] += 1
        if last[w] < 0 or since > NEAR:
            last[w] = i


@jit
def sample_pairs(tokens, chances, key, last, firsts, seconds):
    """Each such pair of word w with probability chances[w], by places in the text; returns how many there are."""
    n = 0
    for i in range(len(tokens)):
        w = tokens[i]
        since = i - last[w]
        if (
            last[w] >= 0
            and since <= FAR
            and since > NEAR
            and n < len(firsts)
            and uniform(key, i) < chances[w]
        ):
            firsts[n], seconds[n] = last[w], i
            n += 1
        if last[w] < 0 or since > NEAR:
            last[w] = i
    return n


@jit
def add_pairs(words, places, values, sizes, begins, sums):
    """sums[begins[w] + i K + j] += γ_i γ'_j over pairs: the posterior of pair p is row p, its partner's row n + p."""
    n = len(words)
    for p in range(n):
        w = words[p]
        size = sizes[w]
        for i in range(size):
            first = values[places[p] + i]
            for j in range(size):
                sums[begins[w] + i * size + j] += first * values[places[n + p] + j]
