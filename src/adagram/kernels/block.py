"""Train on blocks of up to four tokens, with the result of training on one after the other.

Windows of neighbouring tokens share most of their nodes. A block reads the row out_u of each node twice: once for its
products with the senses of all centres, and once to be moved by one centre after the other. The products are those
of before the block. Let g_a[u] be the step of an active sense a of an earlier centre at node u, which will move out_u
by g_a[u]·in_a. So before a sense s of this centre is scored,

    in_s · out_u   grows by   Σ_a g_a[u] (in_s · in_a)

and has the value that it would have had if the earlier centres had been trained first. The words of a block differ, so
no in_s changes within it.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import BLOCK, BLOCK_SPAN
from adagram.kernels.jit import part
from adagram.kernels.rows import (
    STRIP,
    dot_strip,
    dot_strip_of_three,
    dot_strip_of_two,
    move_strip_of_many,
    move_strip_of_two,
    step_strip,
)
from adagram.kernels.simd import load, multiply_add, prefetch, splat, store, total

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
BITS = 16  # of a mark for each centre
MARK = (1 << BITS) - 1
MAX_DISTANCE = 2 * BLOCK  # centres further apart share too few nodes


@part
def choose_centres(span, i, centres):
    """Choose the next tokens to train from i on, up to a word that the block already has; return their number.

    A block has tokens of one lane. None crosses a multiple of BLOCK_SPAN in the run, so blocks do not depend on how the
    text is cut at those.
    """
    while i < span.last and not has_context(span, i):
        i += 1
    n, end = 0, min(span.last, i + MAX_DISTANCE)
    while end > i and span.shifts[end - 1] != span.shifts[i]:
        end -= 1
    for j in range(i, end):
        if span.positions[j] // BLOCK_SPAN != span.positions[i] // BLOCK_SPAN:
            return n
        if not has_context(span, j):
            continue
        for b in range(n):
            if span.tokens[centres[b]] == span.tokens[j]:
                return n
        centres[n] = j
        n += 1
        if n == BLOCK:
            break
    return n


@part
def has_context(span, i):
    return span.right[i] - span.left[i] > 1


@part
def collect_block(tree, span, n, centres, n_hot, nodes):
    """Collect the distinct nodes on the paths of all contexts of the block, with each centre's visits and left turns.

    Return their number. The nodes of centre b are among the first ends[b].
    """
    rows, slots, steps = nodes.rows, nodes.slots, tree.steps
    begin, end = span.left[centres[0]], span.right[centres[0]]
    for b in range(n):
        begin, end = min(begin, span.left[centres[b]]), max(end, span.right[centres[b]])
        nodes.lengths[b] = 0
    size, shift = 0, span.shifts[centres[0]]
    for j in range(begin, end):
        y = span.tokens[j]
        first, last = tree.offsets[y], tree.offsets[y + 1]
        mark = 0  # one in the bits of every centre that has this word in its context
        for b in range(n):
            i = centres[b]
            if span.left[i] <= j < span.right[i] and j != i:
                mark |= 1 << (BITS * b)
                nodes.lengths[b] += last - first
        for p in range(first, last):
            step = np.int64(steps[p])
            node = step >> 1
            row = node + (shift if node < n_hot else 0)
            slot = np.int64(slots[node])
            is_new = (slot >= size) | (rows[slot] != row)  # a valid slot points back, so none is cleared
            slot = size if is_new else slot
            size += is_new
            slots[node] = slot
            rows[slot] = row
            nodes.visit_marks[slot] += mark
            nodes.left_marks[slot] += mark & -(step & 1)
        for b in range(n):
            if mark >> (BITS * b) & 1:
                nodes.ends[b] = size
    return size


@part
def spread_marks(n, size, nodes, padding):
    """Unpack visits and left turns of each centre from the marks, look up the rows' scales, and reset the marks.

    Return `size` padded to a multiple of a strip by the row `padding`, which no context visits; `ends` are padded too,
    and rise from centre to centre.
    """
    while size % STRIP:
        nodes.rows[size] = padding
        size += 1
    reached = 0
    for b in range(n):
        reached = max(reached, nodes.ends[b])
        nodes.ends[b] = -(-reached // STRIP) * STRIP
        for u in range(nodes.ends[b]):
            nodes.visits[b, u] = np.float32(nodes.visit_marks[u] >> (BITS * b) & MARK)
            nodes.lefts[b, u] = np.float32(nodes.left_marks[u] >> (BITS * b) & MARK)
    for u in range(size):
        nodes.visit_marks[u] = nodes.left_marks[u] = 0
        nodes.scales[u] = nodes.row_scales[nodes.rows[u]]
    return size


@part
def multiply_block(n_senses, vectors, size, output, nodes, begins, dots):
    """dots[m, u] = in_m · out_u for the live senses of the block and every node u up to their centre's end."""
    b = 0
    for u in range(0, size, STRIP):
        while nodes.ends[b] <= u:
            b += 1
        m = begins[b]
        while m + 3 <= n_senses:
            dot_strip_of_three(vectors, m, output, nodes.rows, u, dots, m)
            m += 3
        if m + 2 == n_senses:
            dot_strip_of_two(vectors, m, output, nodes.rows, u, dots, m)
        elif m + 1 == n_senses:
            dot_strip(vectors, m, output, nodes.rows, u, dots, m)


@part
def correct_products(vectors, m, dots, moves, active):
    """in_m · out_u += Σ_a g_a[u] (in_m · in_a) over the first `active` moves, which are of earlier centres."""
    for a in range(active):
        gram = splat(dot(vectors, m, moves.vectors, a, vectors.shape[1]))
        for u in range(0, moves.ends[a], 8):
            store(dots, m, u, multiply_add(gram, load(moves.steps, a, u), load(dots, m, u)))


@part
def dot(left, i, right, j, width):
    """left[i, :width] · right[j, :width]"""
    even, odd = splat(_ZERO), splat(_ZERO)
    for d in range(0, width - 8, 16):
        even = multiply_add(load(left, i, d), load(right, j, d), even)
        odd = multiply_add(load(left, i, d + 8), load(right, j, d + 8), odd)
    if width % 16:
        even = multiply_add(load(left, i, width - 8), load(right, j, width - 8), even)
    return total(even) + total(odd)


@part
def move_block(n, moves, size, vectors, output, nodes):
    """θ ← θ + ρ ∇: update each strip of rows by one centre after the other, then their senses."""
    b = 0
    for u in range(0, size, STRIP):
        while nodes.ends[b] <= u:
            b += 1
        for c in range(b, n):
            first, last = moves.begins[c], moves.begins[c + 1]
            if last - first == 1:
                step_strip(moves.vectors, first, moves.grads, output, nodes.rows, moves.steps, first, u)
            elif last - first == 2:
                move_strip_of_two(moves, first, output, nodes.rows, u)
            elif last > first:
                move_strip_of_many(moves, first, last, output, nodes.rows, u)
    one, zero = splat(_ONE), splat(_ZERO)
    for a in range(moves.begins[n]):
        for d in range(0, vectors.shape[1], 8):
            moved = multiply_add(one, load(moves.grads, a, d), load(vectors, moves.rows[a], d))
            store(vectors, moves.rows[a], d, moved)
            store(moves.grads, a, d, zero)


@part
def prefetch_block(tree, span, i, vectors, output, cold):
    """Prefetch the first senses of the next centres, and deep output rows of the last words of their windows."""
    for j in range(i, min(span.last, i + BLOCK)):
        prefetch_row(vectors, span.tokens[j])
        y = span.tokens[span.right[j] - 1]
        for p in range(tree.offsets[y + 1] - 1, tree.offsets[y] - 1, -1):
            node = tree.steps[p] >> 1
            if node < cold:
                break
            prefetch_row(output, node)


@part
def prefetch_row(array, row):
    for d in range(0, array.shape[1], 16):
        prefetch(array, row, d)
