"""Output rows that several workers changed: their changes are added up, with a weight for each row."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import jit


@jit
def add_changes(base, at, values, places, changes, squares):
    """changes[places[at[r]]] += values[r] - base[at[r]] for every row r of one worker; `squares` adds up their |·|²."""
    for r in range(len(at)):
        row = at[r]
        place = places[row]
        square = np.float32(0.0)
        for d in range(base.shape[1]):
            change = values[r, d] - base[row, d]
            changes[place, d] += change
            square += change * change
        squares[place] += square


@jit
def apply_changes(base, at, changes, squares):
    """base[at[r]] += w · changes[r] with w = Σ|change|² / |Σ change|², at most 1; new rows are left in `changes`."""
    for r in range(len(at)):
        square = np.float32(0.0)
        for d in range(base.shape[1]):
            square += changes[r, d] * changes[r, d]
        weight = np.float32(1.0)
        if square > squares[r]:
            weight = squares[r] / square
        for d in range(base.shape[1]):
            value = base[at[r], d] + weight * changes[r, d]
            base[at[r], d] = value
            changes[r, d] = value
