"""Prediction with a hierarchical softmax (section 3.2)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.model import arguments
from adagram.model.checks import finite
from adagram.model.context import Context, Weighted
from adagram.model.predictor import Posteriors, Predictor
from adagram.paper.stick_breaking import log_sigmoid, softmax
from adagram.types import I32, I64, Floats

if TYPE_CHECKING:
    from adagram.model.likelihood import Likelihood
    from adagram.model.model import Model


class TreePredictor(Predictor):
    """p(y | w, k) from the sense vectors and the vectors of the tree's nodes."""

    def __init__(self, model: Model, context: Context) -> None:
        super().__init__(model, context)
        self._model = model
        arrays = model.arrays
        self._output = arrays["output"][:, : model.config.dim]
        self._steps, self._paths = arrays["steps"], arrays["paths"]
        self._local = threading.local()

    def log_p(self, vectors: NDArray[np.float32], contexts: I32) -> Floats:
        """Eq. (3) in logs: log p(y | w, k) for each sense vector and each context word, (n_senses, n_contexts)."""
        if len(contexts) == 0:
            return np.zeros((len(vectors), 0))
        starts, stops = self._paths[contexts], self._paths[contexts + 1]
        steps = np.concatenate([self._steps[a:b] for a, b in zip(starts, stops, strict=True)])
        signs = np.where(steps & 1, 1.0, -1.0)  # ch(n)
        dots = (self._output[steps >> 1] @ vectors.T).T.astype(np.float64)  # (n_senses, n_steps)
        edges = np.append(0, (stops - starts).cumsum())[:-1]
        return np.add.reduceat(log_sigmoid(signs * dots), edges, axis=1)

    def _posterior(self, w: int, context: Weighted) -> Floats:
        """Eq. (8), each context word with its weight: p(z=k | w, y) ∝ E[π_k] Π_j p(y_j | w, k)^w_j."""
        rows = self.rows(w)
        log_p = self.log_p(self._model.vectors[rows], context.ids) @ context.weights
        return finite(softmax((np.log(self._model.priors[rows]) + log_p) * self._sharpness))

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        from adagram.kernels.predict import Batch, posteriors

        found = self._room(words)
        batch = Batch(words, contexts.ids, contexts.weights, bounds)
        posteriors(batch, self._kernel_model(), self._nodes(), found.places, found.values)
        finite(found.values)
        return found

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        from adagram.kernels.predict import Text, by_tree

        found = self._room(ids)
        text = Text(ids, ends, self.context.weights, float(self.context.window))
        by_tree(text, self._kernel_model(), self._nodes(), found.places, found.values)
        finite(found.values)
        return found

    def at_places(self, ids: I32, where: I64) -> Posteriors:
        """As `in_text`, for some places of one line."""
        from adagram.kernels.predict import Text, by_tree_at

        ids = self._ids(ids)
        where = arguments.places(where, len(ids), "places of a text")
        found = self._room(ids[where])
        text = Text(ids, np.array([len(ids)]), self.context.weights, float(self.context.window))
        by_tree_at(text, where, self._kernel_model(), self._nodes(), found.places, found.values)
        return found

    def _likelihood(self, ids: I32) -> Likelihood:
        """Eq. (9). The contexts are the plain windows of the paper: it is the likelihood of a text, all of it."""
        from adagram.model.likelihood import likelihood

        return likelihood(ids, self._model, self._kernel_model())

    def _kernel_model(self) -> Any:
        if not hasattr(self, "_kept"):
            from adagram.kernels.arrays import Tree
            from adagram.kernels.predict import TreeSenses

            arrays, tree = self._model.arrays, Tree(self._steps, self._paths)
            log_priors = np.log(self._model.priors)
            vectors, output = arrays["vectors"], arrays["output"]
            self._kept = TreeSenses(vectors, output, tree, self._offsets, log_priors, self._sharpness)
        return self._kept

    def _nodes(self) -> Any:
        """Scratch space of this thread."""
        if not hasattr(self._local, "nodes"):
            from adagram.kernels.predict import make_nodes

            self._local.nodes = make_nodes(len(self._output))
        return self._local.nodes
