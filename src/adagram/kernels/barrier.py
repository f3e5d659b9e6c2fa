"""A spin barrier: waits are shorter than a context switch."""

from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from adagram.kernels.arrays import LINE
from adagram.kernels.jit import kernel


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
    return cgutils.get_item_pointer(
        context, builder, signature.args[0], view, arguments[1:2], wraparound=False
    )


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
