"""Prediction with a hierarchical softmax (section 3.2), for one context at a time in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.maths.special import log_sigmoid, softmax


class TreePredictor:
    """p(y | w, k) from the sense vectors and the vectors of the tree's nodes."""

    def __init__(
        self, output: NDArray[np.float32], steps: NDArray[np.int32], paths: NDArray[np.int64]
    ) -> None:
        self.output, self.steps, self.paths = output, steps, paths

    def log_p(self, vectors: NDArray[np.float32], contexts: NDArray[np.int32]) -> Floats:
        """Eq. (3) in logs: log p(y | w, k) for each sense vector and each context word, (n_senses, n_contexts)."""
        if len(contexts) == 0:
            return np.zeros((len(vectors), 0))
        starts, stops = self.paths[contexts], self.paths[contexts + 1]
        steps = np.concatenate([self.steps[a:b] for a, b in zip(starts, stops, strict=True)])
        signs = np.where(steps & 1, 1.0, -1.0)  # ch(n)
        dots = (self.output[steps >> 1] @ vectors.T).T.astype(np.float64)  # (n_senses, n_steps)
        edges = np.append(0, (stops - starts).cumsum())[:-1]
        return np.add.reduceat(log_sigmoid(signs * dots), edges, axis=1)

    def posterior(self, vectors: NDArray[np.float32], priors: Floats, contexts: NDArray[np.int32]) -> Floats:
        """Eq. (8): p(z=k | w, y) ∝ E[π_k] Π_j p(y_j | w, k)."""
        return softmax(np.log(priors) + self.log_p(vectors, contexts).sum(axis=1))


class ClusterPredictor:
    """The sense whose context centre is nearest (cosine) to the mean of the context's vectors."""

    def __init__(self, output: NDArray[np.float32], centres: NDArray[np.float32] | None) -> None:
        self.output, self.centres = output, centres

    def posterior(self, senses: slice, contexts: NDArray[np.int32]) -> Floats:
        n = senses.stop - senses.start
        posterior = np.zeros(n)
        best = 0
        if n > 1 and len(contexts) and self.centres is not None:
            centres = self.centres[senses]
            mean = self.output[contexts].mean(axis=0)
            lengths = np.maximum(np.sqrt((centres * centres).sum(axis=1)), 1e-12)
            best = int(np.argmax(centres @ mean / lengths))
        posterior[best] = 1.0
        return posterior
