"""Systems with negative sampling in plain NumPy, float64: the oracles of the tests. Noise words are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adagram.arrays import Floats
from adagram.maths.negative_sampling import gradients


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


class ReferenceMSSG(ReferenceNS):
    """Neelakantan et al. 2014, section 4: `contexts[w][k]` are the contexts that fell into the cluster of sense k."""

    def __init__(self, senses: list[list[Floats]], output: Floats, negatives: int) -> None:
        self.senses = senses
        self.output = output
        self.negatives = negatives
        self.contexts: list[list[list[Floats]]] = [[[] for _ in vectors] for vectors in senses]

    def step(self, w: int, context: Sequence[int], noise: Sequence[int], rate: float) -> None:
        k = 0
        if self.is_multi(w):
            mean = self.output[list(context)].mean(axis=0)  # v_context, of the global vectors
            k = self.choose(w, mean)
            self.contexts[w][k].append(mean)
        self._move(self.senses[w][k], context, noise, rate)

    def is_multi(self, w: int) -> bool:
        return len(self.senses[w]) > 1

    def choose(self, w: int, mean: Floats) -> int:
        """Section 4 there: s = arg max_k cos(μ(w, k), v_context); an empty cluster takes the context."""
        empty = [k for k, found in enumerate(self.contexts[w]) if not found]
        return empty[0] if empty else int(np.argmax(self.cosines(w, mean)))

    def cosines(self, w: int, mean: Floats) -> Floats:
        centres = np.array([np.mean(found, axis=0) for found in self.contexts[w]])  # (K, D) μ
        return np.asarray(centres @ mean / np.linalg.norm(centres, axis=1) / np.linalg.norm(mean))


class ReferenceNPMSSG(ReferenceMSSG):
    """Neelakantan et al. 2014, section 5: `born` are the vectors that the senses of each word will get."""

    def __init__(self, born: list[list[Floats]], output: Floats, negatives: int, threshold: float) -> None:
        super().__init__([vectors[:1] for vectors in born], output, negatives)
        self.born = born
        self.threshold = threshold

    def is_multi(self, w: int) -> bool:
        return len(self.born[w]) > 1

    def choose(self, w: int, mean: Floats) -> int:
        """Section 5 there: a new sense where max_k cos(μ(w, k), v_context) < λ, else the nearest."""
        k = super().choose(w, mean)
        n = len(self.senses[w])
        if self.contexts[w][k] and self.cosines(w, mean)[k] < self.threshold and n < len(self.born[w]):
            self.senses[w].append(self.born[w][n])
            self.contexts[w].append([])
            return n
        return k
