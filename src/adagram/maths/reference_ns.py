"""Skip-gram with negative sampling in plain NumPy, float64: the oracle of the tests. Noise words are given."""

from __future__ import annotations

from collections.abc import Sequence

from adagram.maths.negative_sampling import gradients
from adagram.types import Floats


class ReferenceNS:
    """Skip-gram with negative sampling: one vector per word."""

    def __init__(self, vectors: Floats, output: Floats, negatives: int) -> None:
        self.vectors = vectors  # (V, D)
        self.output = output  # (V, D)
        self.negatives = negatives

    def step(self, w: int, context: Sequence[int], noise: Sequence[int], rate: float) -> None:
        self._move(self.vectors[w], context, noise, rate)

    def _move(self, vector: Floats, context: Sequence[int], noise: Sequence[int], rate: float) -> None:
        to_in, to_out = gradients(vector, self.output, context, noise, self.negatives)
        vector += rate * to_in
        self.output += rate * to_out
