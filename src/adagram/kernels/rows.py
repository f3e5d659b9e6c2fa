"""The distinct output rows of a window, and products and updates of rows, eight at a time.

A sense vector is loaded once for eight output rows. `rows` lists output rows, padded to a multiple of eight with a row
whose coefficients are zero.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import kernel, part
from adagram.kernels.simd import borrow, load, multiply_add, splat, spread, store, store_halves, total, totals

_ZERO = np.float32(0.0)
STRIP = 8  # rows at a time


@part
def find_slot(node, row, size, nodes):
    """Return the place of an output row among the collected ones, a new one if needed, and their number."""
    slot = np.int64(nodes.slots[node])
    if slot < size and nodes.rows[slot] == row:  # a valid slot points back, so none is cleared
        return slot, size
    nodes.slots[node], nodes.rows[size] = size, row
    nodes.visits[0, size] = nodes.lefts[0, size] = _ZERO
    return size, size + 1


@part
def add_path(tree, y, weight, shift, n_hot, nodes, size):
    """Add the nodes on the path of context word y; return the number of distinct nodes."""
    for p in range(tree.offsets[y], tree.offsets[y + 1]):
        step = np.int64(tree.steps[p])
        node = step >> 1
        slot, size = find_slot(node, node + (shift if node < n_hot else 0), size, nodes)
        nodes.visits[0, slot] += weight
        nodes.lefts[0, slot] += weight * np.float32(step & 1)
    return size


@part
def pad_rows(nodes, size, padding):
    """Pad to a multiple of a strip by the row `padding`, without visits; return the number of rows."""
    while size % STRIP:
        nodes.rows[size] = padding
        nodes.visits[0, size] = nodes.lefts[0, size] = _ZERO
        size += 1
    return size


@part
def dot_rows(vectors, row, output, rows, size, dots, k):
    """dots[k, a] = vectors[row] · output[rows[a]]"""
    for a in range(0, size, STRIP):
        dot_strip(vectors, row, output, rows, a, dots, k)


@part
def dot_strip(vectors, m, output, rows, u, dots, k):
    """dots[k, a] = vectors[m] · output[rows[a]] for the strip u <= a < u + 8"""
    r0, r1, r2, r3 = rows[u], rows[u + 1], rows[u + 2], rows[u + 3]
    r4, r5, r6, r7 = rows[u + 4], rows[u + 5], rows[u + 6], rows[u + 7]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = splat(_ZERO)
    for d in range(0, vectors.shape[1], 8):
        v = load(vectors, m, d)
        s0 = multiply_add(v, load(output, r0, d), s0)
        s1 = multiply_add(v, load(output, r1, d), s1)
        s2 = multiply_add(v, load(output, r2, d), s2)
        s3 = multiply_add(v, load(output, r3, d), s3)
        s4 = multiply_add(v, load(output, r4, d), s4)
        s5 = multiply_add(v, load(output, r5, d), s5)
        s6 = multiply_add(v, load(output, r6, d), s6)
        s7 = multiply_add(v, load(output, r7, d), s7)
    store(dots, k, u, totals(s0, s1, s2, s3, s4, s5, s6, s7))


@part
def dot_strip_of_two(vectors, m, output, rows, u, dots, k):
    """`dot_strip` for the vectors m and m + 1, into dots[k] and dots[k + 1]: each row is loaded once for both."""
    for a in range(u, u + STRIP, 4):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = splat(_ZERO)
        for d in range(0, vectors.shape[1], 8):
            v, x = load(vectors, m, d), load(vectors, m + 1, d)
            o = load(output, r0, d)
            s0, t0 = multiply_add(v, o, s0), multiply_add(x, o, t0)
            o = load(output, r1, d)
            s1, t1 = multiply_add(v, o, s1), multiply_add(x, o, t1)
            o = load(output, r2, d)
            s2, t2 = multiply_add(v, o, s2), multiply_add(x, o, t2)
            o = load(output, r3, d)
            s3, t3 = multiply_add(v, o, s3), multiply_add(x, o, t3)
        store_halves(dots, k, k + 1, a, totals(s0, s1, s2, s3, t0, t1, t2, t3))


@part
def dot_strip_of_three(vectors, m, output, rows, u, dots, k):
    """`dot_strip` for the vectors m, m + 1 and m + 2."""
    for a in range(u, u + STRIP, 4):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = q0 = q1 = q2 = q3 = splat(_ZERO)
        for d in range(0, vectors.shape[1], 8):
            v, x, y = load(vectors, m, d), load(vectors, m + 1, d), load(vectors, m + 2, d)
            o = load(output, r0, d)
            s0, t0, q0 = multiply_add(v, o, s0), multiply_add(x, o, t0), multiply_add(y, o, q0)
            o = load(output, r1, d)
            s1, t1, q1 = multiply_add(v, o, s1), multiply_add(x, o, t1), multiply_add(y, o, q1)
            o = load(output, r2, d)
            s2, t2, q2 = multiply_add(v, o, s2), multiply_add(x, o, t2), multiply_add(y, o, q2)
            o = load(output, r3, d)
            s3, t3, q3 = multiply_add(v, o, s3), multiply_add(x, o, t3), multiply_add(y, o, q3)
        store_halves(dots, k, k + 1, a, totals(s0, s1, s2, s3, t0, t1, t2, t3))
        store_halves(dots, k + 2, k + 2, a, totals(q0, q1, q2, q3, q0, q1, q2, q3))


@part
def step_rows(vectors, row, grads, output, rows, size, steps, k):
    """grads[k] += Σ_a steps[k, a]·output[rows[a]], then output[rows[a]] += steps[k, a]·vectors[row]"""
    for a in range(0, size, STRIP):
        step_strip(vectors, row, grads, output, rows, steps, k, a)


@part
def step_strip(vectors, row, grads, output, rows, steps, k, u):
    """`step_rows` for the strip u <= a < u + 8."""
    r0, r1, r2, r3 = rows[u], rows[u + 1], rows[u + 2], rows[u + 3]
    r4, r5, r6, r7 = rows[u + 4], rows[u + 5], rows[u + 6], rows[u + 7]
    c0, c1 = spread(steps, k, u), spread(steps, k, u + 1)
    c2, c3 = spread(steps, k, u + 2), spread(steps, k, u + 3)
    c4, c5 = spread(steps, k, u + 4), spread(steps, k, u + 5)
    c6, c7 = spread(steps, k, u + 6), spread(steps, k, u + 7)
    for d in range(0, vectors.shape[1], 8):
        v, g = load(vectors, row, d), load(grads, k, d)
        o0, o1, o2, o3 = load(output, r0, d), load(output, r1, d), load(output, r2, d), load(output, r3, d)
        g = multiply_add(c0, o0, multiply_add(c1, o1, multiply_add(c2, o2, multiply_add(c3, o3, g))))
        store(output, r0, d, multiply_add(c0, v, o0))
        store(output, r1, d, multiply_add(c1, v, o1))
        store(output, r2, d, multiply_add(c2, v, o2))
        store(output, r3, d, multiply_add(c3, v, o3))
        o4, o5, o6, o7 = load(output, r4, d), load(output, r5, d), load(output, r6, d), load(output, r7, d)
        g = multiply_add(c4, o4, multiply_add(c5, o5, multiply_add(c6, o6, multiply_add(c7, o7, g))))
        store(output, r4, d, multiply_add(c4, v, o4))
        store(output, r5, d, multiply_add(c5, v, o5))
        store(output, r6, d, multiply_add(c6, v, o6))
        store(output, r7, d, multiply_add(c7, v, o7))
        store(grads, k, d, g)


@part
def add_row(vectors, row, grads, k):
    """vectors[row] += grads[k], and grads[k] = 0 for the next window."""
    one, zero = splat(np.float32(1.0)), splat(_ZERO)
    for d in range(0, vectors.shape[1], 8):
        store(vectors, row, d, multiply_add(one, load(grads, k, d), load(vectors, row, d)))
        store(grads, k, d, zero)


@part
def move_strip_of_two(moves, j, output, rows, u):
    """`step_strip` for two senses j and j + 1 of one centre: both gradients at the old output rows."""
    vectors, grads, steps = moves.vectors, moves.grads, moves.steps
    for a in range(u, u + STRIP, 4):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        k = j + 1
        b0, b1 = spread(steps, j, a), spread(steps, j, a + 1)
        b2, b3 = spread(steps, j, a + 2), spread(steps, j, a + 3)
        c0, c1 = spread(steps, k, a), spread(steps, k, a + 1)
        c2, c3 = spread(steps, k, a + 2), spread(steps, k, a + 3)
        for d in range(0, vectors.shape[1], 8):
            v, x, g, h = load(vectors, j, d), load(vectors, k, d), load(grads, j, d), load(grads, k, d)
            o0, o1 = load(output, r0, d), load(output, r1, d)
            o2, o3 = load(output, r2, d), load(output, r3, d)
            g = multiply_add(b0, o0, multiply_add(b1, o1, multiply_add(b2, o2, multiply_add(b3, o3, g))))
            h = multiply_add(c0, o0, multiply_add(c1, o1, multiply_add(c2, o2, multiply_add(c3, o3, h))))
            store(output, r0, d, multiply_add(b0, v, multiply_add(c0, x, o0)))
            store(output, r1, d, multiply_add(b1, v, multiply_add(c1, x, o1)))
            store(output, r2, d, multiply_add(b2, v, multiply_add(c2, x, o2)))
            store(output, r3, d, multiply_add(b3, v, multiply_add(c3, x, o3)))
            store(grads, j, d, g)
            store(grads, k, d, h)


@part
def move_strip_of_many(moves, first, last, output, rows, u):
    """`step_strip` for the senses first:last of one centre."""
    vectors, grads, steps = moves.vectors, moves.grads, moves.steps
    for a in range(u, u + STRIP, 4):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        for d in range(0, vectors.shape[1], 8):
            o0, o1 = load(output, r0, d), load(output, r1, d)
            o2, o3 = load(output, r2, d), load(output, r3, d)
            m0, m1, m2, m3 = o0, o1, o2, o3
            for j in range(first, last):
                v, g = load(vectors, j, d), load(grads, j, d)
                c0, c1 = spread(steps, j, a), spread(steps, j, a + 1)
                c2, c3 = spread(steps, j, a + 2), spread(steps, j, a + 3)
                g = multiply_add(c0, o0, multiply_add(c1, o1, multiply_add(c2, o2, multiply_add(c3, o3, g))))
                store(grads, j, d, g)
                m0, m1 = multiply_add(c0, v, m0), multiply_add(c1, v, m1)
                m2, m3 = multiply_add(c2, v, m2), multiply_add(c3, v, m3)
            store(output, r0, d, m0)
            store(output, r1, d, m1)
            store(output, r2, d, m2)
            store(output, r3, d, m3)


@kernel
def measure_changes(output, copies, squares):
    """squares[0, row] = |Σ_lanes Δ|² and squares[1, row] = Σ_lanes |Δ|² of each hot row, with Δ = copy - row."""
    output, squares = borrow((output, squares))
    begin, n_hot, n_lanes = copies
    minus_one = splat(np.float32(-1.0))
    for row in range(n_hot):
        of_sum = of_changes = splat(_ZERO)
        for d in range(0, output.shape[1], 8):
            change = splat(_ZERO)
            old = load(output, row, d)
            for lane in range(n_lanes):
                each = multiply_add(minus_one, old, load(output, begin + lane * n_hot + row, d))
                of_changes = multiply_add(each, each, of_changes)
                change = multiply_add(splat(np.float32(1.0)), each, change)
            of_sum = multiply_add(change, change, of_sum)
        squares[0, row], squares[1, row] = total(of_sum), total(of_changes)


@kernel
def merge_hot_rows(output, copies, weights):
    """row ← row + weight · Σ_lanes (copy - row) for each hot row; then all copies are set to the row."""
    output, weights = borrow((output, weights))
    begin, n_hot, n_lanes = copies
    one, minus_all = splat(np.float32(1.0)), splat(np.float32(-n_lanes))
    for row in range(n_hot):
        weight = splat(weights[row])
        for d in range(0, output.shape[1], 8):
            of_copies = splat(_ZERO)
            for lane in range(n_lanes):
                of_copies = multiply_add(one, load(output, begin + lane * n_hot + row, d), of_copies)
            old = load(output, row, d)
            new = multiply_add(weight, multiply_add(minus_all, old, of_copies), old)
            store(output, row, d, new)
            for lane in range(n_lanes):
                store(output, begin + lane * n_hot + row, d, new)
