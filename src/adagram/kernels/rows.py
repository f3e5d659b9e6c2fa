"""Products and updates of vector rows, eight output rows at a time so that each sense vector is loaded once for eight.

`rows` lists output rows, padded to a multiple of eight with a row whose coefficients are zero.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper
from adagram.kernels.simd import load, multiply_add, splat, store, store_halves, totals

_ZERO = np.float32(0.0)


@helper
def dot_rows(vectors, row, output, rows, size, dots, k):
    """dots[k, a] = vectors[row] · output[rows[a]]"""
    dim = vectors.shape[1]
    for a in range(0, size, 8):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        r4, r5, r6, r7 = rows[a + 4], rows[a + 5], rows[a + 6], rows[a + 7]
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = splat(_ZERO)
        for d in range(0, dim, 8):
            v = load(vectors, row, d)
            s0 = multiply_add(v, load(output, r0, d), s0)
            s1 = multiply_add(v, load(output, r1, d), s1)
            s2 = multiply_add(v, load(output, r2, d), s2)
            s3 = multiply_add(v, load(output, r3, d), s3)
            s4 = multiply_add(v, load(output, r4, d), s4)
            s5 = multiply_add(v, load(output, r5, d), s5)
            s6 = multiply_add(v, load(output, r6, d), s6)
            s7 = multiply_add(v, load(output, r7, d), s7)
        store(dots, k, a, totals(s0, s1, s2, s3, s4, s5, s6, s7))


@helper
def dot_rows_of_two(vectors, first, second, output, rows, size, dots, k):
    """`dot_rows` for two senses at once, into dots[k] and dots[k + 1]: each output row is loaded once for both."""
    dim = vectors.shape[1]
    for a in range(0, size, 4):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = splat(_ZERO)
        for d in range(0, dim, 8):
            v, u = load(vectors, first, d), load(vectors, second, d)
            o0, o1, o2, o3 = (
                load(output, r0, d),
                load(output, r1, d),
                load(output, r2, d),
                load(output, r3, d),
            )
            s0, s1 = multiply_add(v, o0, s0), multiply_add(v, o1, s1)
            s2, s3 = multiply_add(v, o2, s2), multiply_add(v, o3, s3)
            t0, t1 = multiply_add(u, o0, t0), multiply_add(u, o1, t1)
            t2, t3 = multiply_add(u, o2, t2), multiply_add(u, o3, t3)
        store_halves(dots, k, k + 1, a, totals(s0, s1, s2, s3, t0, t1, t2, t3))


@helper
def step_rows(vectors, row, grads, output, rows, size, steps, k, reach):
    """grads[k] += Σ_a steps[k, a]·output[rows[a]], then output[rows[a]] += steps[k, a]·reach·vectors[row]"""
    dim = vectors.shape[1]
    far, zero = splat(reach), splat(_ZERO)
    for a in range(0, size, 8):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        r4, r5, r6, r7 = rows[a + 4], rows[a + 5], rows[a + 6], rows[a + 7]
        c0, c1, c2, c3 = (
            splat(steps[k, a]),
            splat(steps[k, a + 1]),
            splat(steps[k, a + 2]),
            splat(steps[k, a + 3]),
        )
        c4, c5, c6, c7 = (
            splat(steps[k, a + 4]),
            splat(steps[k, a + 5]),
            splat(steps[k, a + 6]),
            splat(steps[k, a + 7]),
        )
        for d in range(0, dim, 8):
            v = multiply_add(far, load(vectors, row, d), zero)
            g = load(grads, k, d)
            o0, o1, o2, o3 = (
                load(output, r0, d),
                load(output, r1, d),
                load(output, r2, d),
                load(output, r3, d),
            )
            g = multiply_add(c0, o0, multiply_add(c1, o1, multiply_add(c2, o2, multiply_add(c3, o3, g))))
            store(output, r0, d, multiply_add(c0, v, o0))
            store(output, r1, d, multiply_add(c1, v, o1))
            store(output, r2, d, multiply_add(c2, v, o2))
            store(output, r3, d, multiply_add(c3, v, o3))
            o4, o5, o6, o7 = (
                load(output, r4, d),
                load(output, r5, d),
                load(output, r6, d),
                load(output, r7, d),
            )
            g = multiply_add(c4, o4, multiply_add(c5, o5, multiply_add(c6, o6, multiply_add(c7, o7, g))))
            store(output, r4, d, multiply_add(c4, v, o4))
            store(output, r5, d, multiply_add(c5, v, o5))
            store(output, r6, d, multiply_add(c6, v, o6))
            store(output, r7, d, multiply_add(c7, v, o7))
            store(grads, k, d, g)


@helper
def gather_rows(grads, output, rows, size, steps, k):
    """grads[k] += Σ_a steps[k, a]·output[rows[a]]"""
    dim = grads.shape[1]
    for a in range(0, size, 4):
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        c0, c1, c2, c3 = (
            splat(steps[k, a]),
            splat(steps[k, a + 1]),
            splat(steps[k, a + 2]),
            splat(steps[k, a + 3]),
        )
        for d in range(0, dim, 8):
            g = load(grads, k, d)
            g = multiply_add(c0, load(output, r0, d), multiply_add(c1, load(output, r1, d), g))
            g = multiply_add(c2, load(output, r2, d), multiply_add(c3, load(output, r3, d), g))
            store(grads, k, d, g)


@helper
def add_row(vectors, row, grads, k):
    """vectors[row] += grads[k], and grads[k] = 0 for the next window."""
    one, zero = splat(np.float32(1.0)), splat(_ZERO)
    for d in range(0, vectors.shape[1], 8):
        store(vectors, row, d, multiply_add(one, load(grads, k, d), load(vectors, row, d)))
        store(grads, k, d, zero)
