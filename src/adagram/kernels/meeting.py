"""Where threads wait for each other for less time than the system needs to wake one: they look until all are there."""

from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from adagram.kernels.arrays import LINE
from adagram.kernels.jit import kernel


@kernel
def arrive(arrived, thread):
    """Say that a thread has come once more; all that it wrote before is seen by who sees this."""
    _write(arrived, thread * LINE, arrived[thread * LINE] + 1)


@kernel
def is_complete(arrived, thread, n_looks):
    """Whether all have come as often as this thread, looked at so many times at most."""
    goal = arrived[thread * LINE]
    for other in range(len(arrived) // LINE):
        while _read(arrived, other * LINE) < goal:
            n_looks -= 1
            if n_looks < 0:
                return False
    return True


def _place(context, builder, signature, arguments):
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.get_item_pointer(
        context, builder, signature.args[0], view, arguments[1:2], wraparound=False
    )


@intrinsic
def _read(typing, array, i):
    """array[i] as it is now in memory; nothing that comes after it is read before it."""

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_place(context, builder, signature, arguments), "acquire", align=8)

    return types.int64(array, types.intp), generate


@intrinsic
def _write(typing, array, i, value):
    """array[i] = value, after all that was written before."""

    def generate(context, builder, signature, arguments):
        where = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], where, "release", align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), generate
