"""Output rows that many threads write: each keeps its own copy of the hot ones and folds the differences back."""

from __future__ import annotations

from adagram.kernels.jit import jit


@jit
def fold_rows(output, private, base, weights):
    """shared += weight · (private - base), then private = base = shared, for the first len(weights) output rows."""
    for r in range(len(weights)):
        for d in range(output.shape[1]):
            value = output[r, d] + weights[r] * (output[private + r, d] - base[r, d])
            output[r, d] = value
            output[private + r, d] = value
            base[r, d] = value
