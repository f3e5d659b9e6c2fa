"""Kernels that count and sample pairs of near occurrences of a word, and sum the posteriors of their senses."""

from __future__ import annotations

from adagram.kernels.jit import helper, jit
from adagram.kernels.math import uniform

NEAR = 15  # words: closer occurrences share their context and count as one
FAR = 300  # words: beyond it another passage begins


@jit
def count_pairs(tokens, ends, last, counts):
    """counts[w]: how often word w occurs again NEAR to FAR words on in the same line; `last` is -1 for every word."""
    begin = 0
    for end in ends:
        for i in range(begin, end):
            w = tokens[i]
            if is_pair(last[w], begin, i):
                counts[w] += 1
            if last[w] < begin or i - last[w] > NEAR:
                last[w] = i
        begin = end


@jit
def sample_pairs(tokens, ends, chances, key, last, firsts, seconds):
    """Sample each such pair of word w with probability chances[w], as positions in the text; return their number."""
    n = begin = 0
    for end in ends:
        for i in range(begin, end):
            w = tokens[i]
            if is_pair(last[w], begin, i) and n < len(firsts) and uniform(key, i) < chances[w]:
                firsts[n], seconds[n] = last[w], i
                n += 1
            if last[w] < begin or i - last[w] > NEAR:
                last[w] = i
        begin = end
    return n


@helper
def is_pair(first, begin, second):
    return first >= begin and NEAR < second - first <= FAR


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
