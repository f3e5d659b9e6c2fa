"""Prediction for a model that an editor has worked on: the posteriors of learned senses, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.model.context import Weighted
from adagram.model.curation import Curation
from adagram.model.likelihood import Likelihood
from adagram.model.predictor import Posteriors, Predictor
from adagram.types import I32, I64, Floats

if TYPE_CHECKING:
    from adagram.model.model import Model


class CuratedPredictor(Predictor):
    """A merged sense's posterior is the sum of its members'; `learned` knows the learned senses, hidden ones aside."""

    def __init__(self, model: Model, curation: Curation, learned: Predictor) -> None:
        super().__init__(model, learned.context)
        self._curation, self._learned = curation, learned

    def _posterior(self, w: int, context: Weighted) -> Floats:
        found = self._learned.posterior(w, context)
        return self._together(np.array([w]), Posteriors(np.array([0, len(found)]), found)).values

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        return self._together(words, self._learned._posteriors(words, contexts, bounds))

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        return self._together(ids, self._learned.in_text(ids, ends))

    def _likelihood(self, ids: I32) -> Likelihood:
        """Merging changes no prediction, and hiding is for people: this is the likelihood of what was learned."""
        return self._learned.likelihood(ids)

    def _together(self, words: NDArray[np.integer], learned: Posteriors) -> Posteriors:
        return Posteriors(*self._curation.together(words, learned.places, learned.values))
