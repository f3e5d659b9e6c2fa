"""Prediction by context clusters (MSSG, NP-MSSG), and for models that have nothing but vectors."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.model.checks import finite
from adagram.model.context import Context, Weighted
from adagram.model.predictor import Posteriors, Predictor, no_likelihood
from adagram.paper.stick_breaking import softmax
from adagram.types import I32, I64, Floats

if TYPE_CHECKING:
    from adagram.model.likelihood import Likelihood
    from adagram.model.model import Model

NEAREST = 1e-3  # a smaller distance counts as this one


class ClusterPredictor(Predictor):
    """p(z=k | w, y) ∝ 1/d_k, d_k = 1 - cosine of the sense's centre and the weighted mean of the context's vectors.

    The likeliest sense is the one with the nearest centre, as in training; the inverse distance is the weight that
    Huang et al. (2012) give a cluster in AvgSimC. A context without known words, or a model without centres, leaves
    the prior.
    """

    def __init__(self, model: Model, context: Context) -> None:
        super().__init__(model, context)
        self._algorithm = model.config.algorithm
        self._output, self._priors = model.arrays["output"], model.priors
        self._centres: NDArray[np.float32] | None = model.arrays.get("centres")
        self._local = threading.local()

    def _posterior(self, w: int, context: Weighted) -> Floats:
        rows = self.rows(w)
        if self._centres is None or len(context.ids) == 0:
            return np.array(self._priors[rows])
        centres = self._centres[rows].astype(np.float64)
        mean = context.weights @ self._output[context.ids].astype(np.float64)
        lengths = np.sqrt((centres * centres).sum(axis=1)) * np.sqrt(mean @ mean)
        distances = 1.0 - centres @ mean / np.maximum(lengths, 1e-12)
        return finite(softmax(-np.log(np.maximum(distances, NEAREST)) * self._sharpness))

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        each = [
            self._posterior(w, Weighted(contexts.ids[a:b], contexts.weights[a:b]))
            for w, (a, b) in zip(words.tolist(), pairwise(bounds.tolist()), strict=True)
        ]
        return Posteriors(self._room(words).places, np.concatenate([*each, np.empty(0)]))

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        found = self._room(ids)
        if self._centres is None:
            firsts = np.repeat(self._offsets[ids] - found.places[:-1], np.diff(found.places))
            found.values[:] = self._priors[firsts + np.arange(len(found.values))]
            return found
        from adagram.kernels.predict import Text, by_centres

        text = Text(ids, ends, self.context.weights, float(self.context.window))
        by_centres(text, self._kernel_model(self._centres), self._scratch(), found.places, found.values)
        finite(found.values)
        return found

    def _likelihood(self, ids: I32) -> Likelihood:
        raise no_likelihood(self._algorithm)

    def _kernel_model(self, centres: NDArray[np.float32]) -> Any:
        if not hasattr(self, "_kept"):
            from adagram.kernels.predict import ClusterSenses

            norms = np.sqrt(np.einsum("ij,ij->i", centres, centres))
            inverse = (1.0 / np.maximum(norms, 1e-12)).astype(np.float32)
            rest = (self._offsets, self._priors, inverse, self._sharpness, NEAREST)
            self._kept = ClusterSenses(self._output, centres, *rest)
        return self._kept

    def _scratch(self) -> NDArray[np.float32]:
        """The sum of a context's vectors, one for each thread."""
        if not hasattr(self._local, "mean"):
            self._local.mean = np.zeros((1, self._output.shape[1]), np.float32)
        mean: NDArray[np.float32] = self._local.mean
        return mean
