"""Eq. (8) with weights from the distinct tree nodes of a context, which its paths share."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from adagram.kernels.arrays import padded
from adagram.kernels.jit import helper
from adagram.kernels.numerics import exp_of_minus, log_one_plus
from adagram.kernels.rows import dot_rows, dot_rows_of_two
from adagram.kernels.simd import WIDTH
from adagram.types import F32, I32, I64

_ZERO = np.float32(0.0)


class Nodes(NamedTuple):
    """Scratch space of one thread: the nodes of a context, each with the weight of the paths that pass it."""

    slots: I32  # (n_nodes,) place of a node in `rows`
    rows: I64  # (max nodes,)
    visits: F32  # (max nodes,) weight of the paths that pass the node
    lefts: F32  # (max nodes,) weight of those that turn left there
    dots: F32  # (2, max nodes) products with two senses


def make_nodes(n_nodes: int) -> Nodes:
    """Room for all nodes of a tree; memory that is never written to costs nothing."""
    wide = padded(n_nodes) + WIDTH
    return Nodes(
        slots=np.zeros(n_nodes, np.int32),
        rows=np.zeros(wide, np.int64),
        visits=np.zeros(wide, np.float32),
        lefts=np.zeros(wide, np.float32),
        dots=np.zeros((2, wide), np.float32),
    )


@helper
def add_path(tree, y, weight, nodes, size):
    """Add the path of context word y; returns the number of distinct nodes."""
    rows, slots, visits, lefts = nodes.rows, nodes.slots, nodes.visits, nodes.lefts
    for p in range(tree.offsets[y], tree.offsets[y + 1]):
        step = tree.steps[p]
        node = step >> 1
        slot = slots[node]
        # A slot is only valid if it points back: no clearing needed.
        if slot >= size or rows[slot] != node:
            slot = size
            slots[node], rows[slot] = slot, node
            visits[slot] = lefts[slot] = _ZERO
            size += 1
        visits[slot] += weight
        lefts[slot] += weight * np.float32(step & 1)
    return size


@helper
def pad(nodes, size):
    """Fill up to a multiple of eight nodes with ones that weigh nothing; returns their number."""
    while size % 8:
        nodes.rows[size] = 0
        nodes.visits[size] = nodes.lefts[size] = _ZERO
        size += 1
    return size


@helper
def log_p_nodes(nodes, k, size):
    """Eq. (3) in logs, weighted: Σ_n lefts·log σ(x_n) + rights·log σ(-x_n) over the nodes of a context."""
    visits, lefts, dots = nodes.visits, nodes.lefts, nodes.dots
    log_p = _ZERO
    for a in range(size):
        x = dots[k, a]
        rights = visits[a] - lefts[a]
        log_p += (
            lefts[a] * min(x, _ZERO) - rights * max(x, _ZERO) - visits[a] * log_one_plus(exp_of_minus(abs(x)))
        )
    return np.float64(log_p)


@helper
def write_posterior(model, first, last, nodes, size, values, at):
    """Eq. (8) for the senses in rows first:last, into values[at:]: E[π_k] Π_j p(y_j | w, k)^w_j, normalised."""
    row = first
    while row < last:
        values[at + row - first] = model.log_priors[row]
        if row + 1 < last:
            dot_rows_of_two(model.vectors, row, row + 1, model.output, nodes.rows, size, nodes.dots, 0)
            values[at + row - first] += log_p_nodes(nodes, 0, size)
            values[at + row + 1 - first] = model.log_priors[row + 1] + log_p_nodes(nodes, 1, size)
        else:
            dot_rows(model.vectors, row, model.output, nodes.rows, size, nodes.dots, 0)
            values[at + row - first] += log_p_nodes(nodes, 0, size)
        row += 2
    normalise(values, at, at + last - first, model.sharpness)


@helper
def normalise(values, begin, end, sharpness):
    """Log weights x to probabilities ∝ exp(x · sharpness), in place."""
    top = -np.inf
    for i in range(begin, end):
        top = max(top, values[i])
    mass = 0.0
    for i in range(begin, end):
        values[i] = math.exp((values[i] - top) * sharpness)
        mass += values[i]
    for i in range(begin, end):
        values[i] /= mass
