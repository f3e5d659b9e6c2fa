"""A numba type of eight float32, with which inner loops state what is in a register.

LLVM maps eight floats to one AVX register or two NEON registers. Rows are padded to a multiple of `WIDTH`, so no loop
has a remainder, which would cost more than the loop itself at common dimensions.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

WIDTH = 8
_FLOAT = ir.FloatType()
_INT = ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, WIDTH)
_INT_VECTOR = ir.VectorType(_INT, WIDTH)
_BYTES = ir.VectorType(ir.IntType(8), WIDTH)


class Vector8(types.Type):
    """The numba type of eight floats."""

    def __init__(self) -> None:
        super().__init__(name="vector8")


vector8 = Vector8()


@register_model(Vector8)
class _Vector8Model(models.PrimitiveModel):
    def __init__(self, manager, type_):
        super().__init__(manager, type_, _VECTOR)


def _pointer(context, builder, array_type, array, indices, kind=_VECTOR):
    view = context.make_array(array_type)(context, builder, array)
    element = cgutils.get_item_pointer(context, builder, array_type, view, indices, wraparound=False)
    return builder.bitcast(element, kind.as_pointer())


@intrinsic
def load(typing, array, row, d):
    """array[row, d:d+8] of an array of float32 or int8"""
    is_int8 = array.dtype == types.int8

    def generate(context, builder, signature, arguments):
        kind = _BYTES if is_int8 else _VECTOR
        where = _pointer(context, builder, signature.args[0], arguments[0], arguments[1:], kind)
        loaded = builder.load(where, align=1 if is_int8 else 4)
        return builder.sitofp(builder.sext(loaded, _INT_VECTOR), _VECTOR) if is_int8 else loaded

    return vector8(array, types.intp, types.intp), generate


@intrinsic
def store(typing, array, row, d, value):
    """array[row, d:d+8] = value"""

    def generate(context, builder, signature, arguments):
        where = _pointer(context, builder, signature.args[0], arguments[0], arguments[1:3])
        builder.store(arguments[3], where, align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, vector8), generate


def _in_all(builder, value):
    single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_INT, 0))
    order = ir.Constant(_INT_VECTOR, [0] * WIDTH)
    return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), order)


@intrinsic
def splat(typing, value):
    """Return a vector of eight equal floats."""

    def generate(context, builder, signature, arguments):
        return _in_all(builder, arguments[0])

    return vector8(types.float32), generate


@intrinsic
def spread(typing, array, row, d):
    """array[row, d] in all eight floats"""

    def generate(context, builder, signature, arguments):
        where = _pointer(context, builder, signature.args[0], arguments[0], arguments[1:], _FLOAT)
        return _in_all(builder, builder.load(where, align=4))

    return vector8(array, types.intp, types.intp), generate


@intrinsic
def multiply_add(typing, a, b, c):
    """a * b + c"""

    def generate(context, builder, signature, arguments):
        product = builder.fmul(arguments[0], arguments[1], flags=("contract",))
        return builder.fadd(product, arguments[2], flags=("contract",))

    return vector8(vector8, vector8, vector8), generate


@intrinsic
def total(typing, a):
    """Return the sum of the eight floats."""

    def generate(context, builder, signature, arguments):
        halves = arguments[0]
        for width in (4, 2, 1):
            order = ir.Constant(ir.VectorType(_INT, WIDTH), [(i + width) % WIDTH for i in range(WIDTH)])
            halves = builder.fadd(halves, builder.shuffle_vector(halves, halves, order))
        return builder.extract_element(halves, ir.Constant(_INT, 0))

    return types.float32(vector8), generate


def _combine(builder, a, b, even, odd):
    """shuffle(a, b, even) + shuffle(a, b, odd)"""
    one = builder.shuffle_vector(a, b, ir.Constant(_INT_VECTOR, even))
    other = builder.shuffle_vector(a, b, ir.Constant(_INT_VECTOR, odd))
    return builder.fadd(one, other)


@intrinsic
def totals(typing, a, b, c, d, e, f, g, h):
    """Return the sums of eight vectors, in order: a tree of seven additions instead of eight separate sums."""

    def generate(context, builder, signature, arguments):
        even, odd = [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]
        pairs = [_combine(builder, x, y, even, odd) for x, y in zip(arguments[::2], arguments[1::2], strict=True)]
        even, odd = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
        fours = [_combine(builder, x, y, even, odd) for x, y in zip(pairs[::2], pairs[1::2], strict=True)]
        return _combine(builder, *fours, [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15])

    return vector8(*[vector8] * WIDTH), generate


@intrinsic
def store_halves(typing, array, row, other, d, value):
    """array[row, d:d+4] and array[other, d:d+4] = the lower and the upper half of value"""

    def generate(context, builder, signature, arguments):
        array_type, half = signature.args[0], ir.VectorType(_FLOAT, WIDTH // 2)
        for start, row in ((0, arguments[1]), (WIDTH // 2, arguments[2])):
            order = ir.Constant(ir.VectorType(_INT, WIDTH // 2), [start + i for i in range(WIDTH // 2)])
            part = builder.shuffle_vector(arguments[4], arguments[4], order)
            where = _pointer(context, builder, array_type, arguments[0], [row, arguments[3]], half)
            builder.store(part, where, align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, types.intp, vector8), generate


@intrinsic
def prefetch(typing, array, row, d):
    """Prefetch array[row, d] into the cache; never faults."""

    def generate(context, builder, signature, arguments):
        where = _pointer(context, builder, signature.args[0], arguments[0], arguments[1:], ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [where.type, _INT, _INT, _INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [where, ir.Constant(_INT, 1), ir.Constant(_INT, 3), ir.Constant(_INT, 1)])
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp), generate


@intrinsic
def float_of(typing, bits):
    """Return the float32 with this bit pattern."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], _FLOAT)

    return types.float32(types.int32), generate


@intrinsic
def borrow(typing, value):
    """Return an array, or a tuple of arrays and tuples, without its reference count: the caller keeps it alive.

    Otherwise each call of a part counts references to all arrays of its arguments: 1.6 times the time of training.
    """

    def strip(builder, kind, value):
        if isinstance(kind, types.Array):
            for member in (0, 1):  # memory info and parent object
                null = ir.Constant(value.type.elements[member], None)
                value = builder.insert_value(value, null, member)
        elif isinstance(kind, types.BaseTuple):
            for i, each in enumerate(kind.types):
                value = builder.insert_value(value, strip(builder, each, builder.extract_value(value, i)), i)
        return value

    def generate(context, builder, signature, arguments):
        return strip(builder, signature.args[0], arguments[0])

    return value(value), generate
