"""Multi-prototype Skip-gram (Tian et al. 2014) in plain NumPy, float64: the oracle of the tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adagram.maths.huffman import Huffman
from adagram.maths.softmax import log_p_word, log_p_word_gradient
from adagram.maths.special import softmax
from adagram.types import Floats


class ReferenceMPSG:
    """K senses with vectors and priors for every word."""

    def __init__(self, tree: Huffman, vectors: Floats, output: Floats) -> None:
        self.tree = tree
        self.vectors = vectors  # (V, K, D)
        self.output = output  # (V, D); the last row is unused
        self.priors = np.full(vectors.shape[:2], 1.0 / vectors.shape[1])  # (V, K) π

    def posterior(self, w: int, context: Sequence[int]) -> Floats:
        """E-step: γ_k ∝ π_wk Π_j p(y_j | w, k)."""
        log_p = [sum(log_p_word(v, self.output, self.tree, y) for y in context) for v in self.vectors[w]]
        return softmax(np.log(self.priors[w]) + np.array(log_p))

    def step(self, w: int, context: Sequence[int], rate: float) -> None:
        """M-step, online: one gradient step of Σ_k γ_k Σ_j log p(y_j | w, k), and π ← (1-λ) π + λ γ."""
        posterior = self.posterior(w, context)
        to_in, to_out = np.zeros_like(self.vectors[w]), np.zeros_like(self.output)
        for k, gamma in enumerate(posterior):
            for y in context:
                in_part, out_part = log_p_word_gradient(self.vectors[w, k], self.output, self.tree, y)
                to_in[k] += gamma * in_part
                to_out[self.tree.path(y)[0]] += gamma * out_part
        self.vectors[w] += rate * to_in
        self.output += rate * to_out
        self.priors[w] += rate * (posterior - self.priors[w])
