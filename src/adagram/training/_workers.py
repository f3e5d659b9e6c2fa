"""Kernels of the workers: subsampling, the context of each token, and a spin barrier of threads."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from adagram.kernels.jit import jit, kernel
from adagram.kernels.math import random_bits, uniform

LINE = 8  # int64 in a cache line


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


@kernel
def arrive(arrived, thread):
    """Count an arrival of a thread, with release order: all that it wrote before is visible."""
    _write(arrived, thread * LINE, arrived[thread * LINE] + 1)


@kernel
def is_complete(arrived, thread, n_spins):
    """Return whether all threads have arrived as often as this one, after at most n_spins checks."""
    goal = arrived[thread * LINE]
    for other in range(len(arrived) // LINE):
        while _read(arrived, other * LINE) < goal:
            n_spins -= 1
            if n_spins < 0:
                return False
    return True


def _place(context, builder, signature, arguments):
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], view, arguments[1:2], wraparound=False)


@intrinsic
def _read(typing, array, i):
    """Load array[i] with acquire order."""

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_place(context, builder, signature, arguments), "acquire", align=8)

    return types.int64(array, types.intp), generate


@intrinsic
def _write(typing, array, i, value):
    """Store array[i] = value with release order."""

    def generate(context, builder, signature, arguments):
        where = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], where, "release", align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), generate
