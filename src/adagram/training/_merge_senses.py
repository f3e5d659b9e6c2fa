"""Kernels that count and sample pairs of near occurrences of a word, and sum the posteriors of their senses."""

from __future__ import annotations

from adagram.kernels.jit import jit
from adagram.kernels.math import uniform
from adagram.kernels.predict import collect_around, write_posterior

NEAR = 15  # words: closer occurrences share their context and count as one
FAR = 300  # words: beyond it another passage begins


@jit
def find_pairs(tokens, ends, chances, key, last, counts, firsts, seconds):
    """Find words that occur again NEAR to FAR words on in the same line; `last` is -1 for every word.

    counts[w] is the number of pairs of word w. Sample each with probability chances[w], as positions in the text;
    return the number of sampled pairs.
    """
    n = begin = 0
    for end in ends:
        for i in range(begin, end):
            w = tokens[i]
            if last[w] >= begin and NEAR < i - last[w] <= FAR:
                counts[w] += 1
                if n < len(firsts) and uniform(key, i) < chances[w]:
                    firsts[n], seconds[n] = last[w], i
                    n += 1
            if last[w] < begin or i - last[w] > NEAR:
                last[w] = i
        begin = end
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


@jit
def add_uses(text, begin, end, chances, key, start, model, nodes, posterior, sums):
    """Add γ of a sample of the tokens begin:end to the senses' sums; word w is sampled with probability chances[w].

    Token i is number start + i of the whole text, whatever part of it `text` is.
    """
    line, line_begin = 0, 0
    for i in range(begin, end):
        while text.ends[line] <= i:
            line_begin = text.ends[line]
            line += 1
        w = text.tokens[i]
        if chances[w] > 0.0 and uniform(key, start + i) < chances[w]:
            first, last = model.offsets[w], model.offsets[w + 1]
            size = collect_around(model.tree, text, line_begin, text.ends[line], i, nodes)
            write_posterior(model, first, last, nodes, size, posterior, 0)
            for row in range(first, last):
                sums[row] += posterior[row - first]
