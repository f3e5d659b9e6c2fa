"""From token ids to windows: subsampling, the context of each token, and the tree nodes of a context."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper, jit
from adagram.kernels.math import random_bits, uniform
from adagram.kernels.simd import prefetch

MAX_PAIRS = 1 << 12  # of a token; more than a window has


@jit
def keep_tokens(tokens, start, stop, window, keep, key, kept, positions):
    """Subsample tokens[start:stop] and up to `window` kept tokens on either side; return (n, first, last).

    Whether a token is kept depends only on its position and the key, not on how the corpus is cut.
    """
    begin, first = start, 0
    while begin > 0 and first < window:
        begin -= 1
        first += uniform(key, begin) < keep[tokens[begin]]
    n, last = 0, first
    for at in range(begin, len(tokens)):
        if at >= stop and n == last + window:
            break
        if uniform(key, at) < keep[tokens[at]]:
            kept[n], positions[n] = tokens[at], at
            n += 1
            last += start <= at < stop
    return n, first, last


@jit
def keep_all(tokens, start, stop, window, kept, positions):
    """As `keep_tokens`, without subsampling."""
    begin, end = max(0, start - window), min(len(tokens), stop + window)
    for at in range(begin, end):
        kept[at - begin], positions[at - begin] = tokens[at], at
    return end - begin, start - begin, stop - begin


@jit
def bound_windows(n, window, shrink, key, positions, left, right):
    """Set the context of each of n tokens: `window` words on either side, or a random 1..window if `shrink`."""
    for i in range(n):
        radius = window
        if shrink:
            radius = 1 + np.int64(random_bits(key, positions[i]) % np.uint64(window))
        left[i] = max(0, i - radius)
        right[i] = min(n, i + radius + 1)


@jit
def cut_at_ends(n, positions, ends, left, right):
    """Keep each context inside the sentence or document of its word."""
    sentence = np.searchsorted(ends, np.uint64(positions[0]), side="right")
    begin = 0
    for i in range(n):
        while sentence < len(ends) and ends[sentence] <= np.uint64(positions[i]):
            for j in range(begin, i):
                right[j] = min(right[j], i)
            begin = i
            sentence += 1
        left[i] = max(left[i], begin)


@jit
def write_pairs(span, pairs):
    """Write each token of a span with each word of its context, as if the text were these pairs; return their end."""
    n = 0
    for i in range(span.first, span.last):
        if span.targets[i] < 0:
            continue
        for j in range(span.left[i], span.right[i]):
            if j == i:
                continue
            pairs.tokens[n], pairs.tokens[n + 1] = span.tokens[i], span.tokens[j]
            pairs.targets[n], pairs.targets[n + 1] = span.targets[i], -1
            pairs.left[n], pairs.right[n] = n, n + 2
            pairs.rates[n] = span.rates[i]
            pairs.positions[n] = span.positions[i] * MAX_PAIRS + j - span.left[i]
            n += 2
    return n


@helper
def collect_nodes(tree, span, i, n_hot, work, padding):
    """Collect the distinct tree nodes on the paths of token i's context, with their visits and left turns.

    Return the number of nodes, padded to a multiple of eight with the row `padding` and no visits.
    """
    rows, slots, visits, lefts = work.rows, work.slots, work.visits, work.lefts
    size, shift = 0, span.shifts[i]
    for j in range(span.left[i], span.right[i]):
        if j == i:
            continue
        y = span.tokens[j]
        begin, end = tree.offsets[y], tree.offsets[y + 1]
        for p in range(begin, end):
            step = tree.steps[p]
            node = step >> 1
            row = np.int64(node) + (shift if node < n_hot else 0)
            slot = slots[node]
            if slot >= size or rows[slot] != row:  # a valid slot points back, so none is cleared
                slot = size
                slots[node], rows[slot] = slot, row
                visits[0, slot] = lefts[0, slot] = np.float32(0.0)
                work.scales[slot] = work.row_scales[row]
                size += 1
            visits[0, slot] += np.float32(1.0)
            lefts[0, slot] += np.float32(step & 1)
    while size % 8:
        rows[size] = padding
        visits[0, size] = lefts[0, size] = np.float32(0.0)
        size += 1
    return size


@helper
def next_target(span, i):
    """Return the next token of the span to train, or span.last."""
    i += 1
    while i < span.last and span.targets[i] < 0:
        i += 1
    return i


@helper
def prefetch_next(tree, span, i, vectors, output, cold):
    """Prefetch the sense row of the next token to train, and deep output rows of the last word of its window."""
    i = next_target(span, i)
    if i == span.last:
        return
    prefetch(vectors, span.targets[i], 0)
    y = span.tokens[span.right[i] - 1]
    for p in range(tree.offsets[y], tree.offsets[y + 1]):
        node = tree.steps[p] >> 1
        if node >= cold:
            prefetch(output, node, 0)
