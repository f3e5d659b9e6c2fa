"""Products and updates of vector rows, eight output rows at a time: a sense vector is loaded once for eight.

`rows` lists output rows, padded to a multiple of eight with a row whose coefficients are zero.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper, kernel, part
from adagram.kernels.simd import (
    borrow,
    load,
    multiply_add,
    splat,
    spread,
    store,
    store_halves,
    total,
    totals,
)

_ZERO = np.float32(0.0)


STRIP = 8  # rows at a time


@helper
def dot_rows(vectors, row, output, rows, size, dots, k):
    """dots[k, a] = vectors[row] · output[rows[a]]"""
    for a in range(0, size, STRIP):
        store(dots, k, a, strip_products(vectors, row, output, rows, a))


@part
def dot_strip(vectors, m, output, rows, u, dots):
    """dots[m, a] = vectors[m] · output[rows[a]] for the strip u <= a < u + 8"""
    store(dots, m, u, strip_products(vectors, m, output, rows, u))


@part
def strip_products(vectors, m, output, rows, u):
    """Return the products of vectors[m] with the output rows of the strip u <= a < u + 8."""
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
    return totals(s0, s1, s2, s3, s4, s5, s6, s7)


@helper
def dot_rows_of_two(vectors, first, second, output, rows, size, dots, k):
    """`dot_rows` for two senses at once, into dots[k] and dots[k + 1]: each output row is loaded once for both."""
    for a in range(0, size, 4):
        store_halves(dots, k, k + 1, a, half_strip_products(vectors, first, second, output, rows, a))


@part
def dot_strip_of_two(vectors, m, output, rows, u, dots):
    """`dot_strip` for the vectors m and m + 1."""
    for a in range(u, u + STRIP, 4):
        store_halves(dots, m, m + 1, a, half_strip_products(vectors, m, m + 1, output, rows, a))


@part
def half_strip_products(vectors, first, second, output, rows, a):
    """Return the products of vectors[first], then of vectors[second], with the output rows rows[a:a+4]."""
    r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
    s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = splat(_ZERO)
    for d in range(0, vectors.shape[1], 8):
        v, x = load(vectors, first, d), load(vectors, second, d)
        o0, o1, o2, o3 = load(output, r0, d), load(output, r1, d), load(output, r2, d), load(output, r3, d)
        s0, s1, s2, s3 = (
            multiply_add(v, o0, s0),
            multiply_add(v, o1, s1),
            multiply_add(v, o2, s2),
            multiply_add(v, o3, s3),
        )
        t0, t1, t2, t3 = (
            multiply_add(x, o0, t0),
            multiply_add(x, o1, t1),
            multiply_add(x, o2, t2),
            multiply_add(x, o3, t3),
        )
    return totals(s0, s1, s2, s3, t0, t1, t2, t3)


@part
def dot_strip_of_three(vectors, m, output, rows, u, dots):
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
        store_halves(dots, m, m + 1, a, totals(s0, s1, s2, s3, t0, t1, t2, t3))
        store_halves(dots, m + 2, m + 2, a, totals(q0, q1, q2, q3, q0, q1, q2, q3))


@helper
def step_rows(vectors, row, grads, output, rows, size, steps, k):
    """grads[k] += Σ_a steps[k, a]·output[rows[a]], then output[rows[a]] += steps[k, a]·vectors[row]"""
    for a in range(0, size, STRIP):
        step_strip(vectors, row, grads, output, rows, steps, k, a)


@part
def move_strip(moves, j, output, rows, u):
    """grads[j] += Σ_a steps[j, a]·output[rows[a]], then output[rows[a]] += steps[j, a]·vectors[j], in one strip"""
    step_strip(moves.vectors, j, moves.grads, output, rows, moves.steps, j, u)


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


@helper
def add_row(vectors, row, grads, k):
    """vectors[row] += grads[k], and grads[k] = 0 for the next window."""
    one, zero = splat(np.float32(1.0)), splat(_ZERO)
    for d in range(0, vectors.shape[1], 8):
        store(vectors, row, d, multiply_add(one, load(grads, k, d), load(vectors, row, d)))
        store(grads, k, d, zero)


@part
def move_strip_of_two(moves, j, output, rows, u):
    """`move_strip` for two senses j and j + 1 of one centre: both gradients at the old output rows."""
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
    """`move_strip` for the senses first:last of one centre."""
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
