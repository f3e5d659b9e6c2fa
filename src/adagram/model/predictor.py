"""What a kind of model must be able to do: senses of one context, of a batch, and of running text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import AdagramError, InputError
from adagram.model import arguments
from adagram.model.context import Context, Weighted
from adagram.types import I32, I64, Floats

if TYPE_CHECKING:
    from adagram.model.likelihood import Likelihood
    from adagram.model.model import Model


@dataclass(frozen=True)
class Posteriors:
    """Posteriors of many words, one after the other: those of word i are values[places[i]:places[i+1]]."""

    places: I64  # (n + 1,)
    values: Floats

    def __len__(self) -> int:
        return len(self.places) - 1

    def __getitem__(self, i: int) -> Floats:
        return self.values[self.places[i] : self.places[i + 1]]

    def __iter__(self) -> Iterator[Floats]:
        places = self.places.tolist()
        return (self.values[a:b] for a, b in pairwise(places))


class Predictor(ABC):
    """Posteriors over the senses of words in their contexts. The three ways to ask give the same answers.

    A single context needs NumPy only; batches and running text use compiled kernels, and threads may share them.
    The `temperature` of a model (config.json) is what the log weights of senses are divided by.
    """

    def __init__(self, model: Model, context: Context) -> None:
        self.context = context
        self._offsets = model.offsets
        self._sizes = np.diff(model.offsets)
        self._sharpness = 1.0 / temperature(model)

    def rows(self, w: int) -> slice:
        """Rows of the senses of word `w`."""
        return slice(int(self._offsets[w]), int(self._offsets[w + 1]))

    def posterior(self, w: int, context: Weighted) -> Floats:
        """Return the posterior over the senses of word `w` in one context."""
        (word,) = self._ids([w])
        ids = self._ids(context.ids)
        return self._posterior(int(word), Weighted(ids, arguments.weights(context.weights, len(ids))))

    def posteriors(self, words: NDArray[np.integer], contexts: Sequence[Weighted]) -> Posteriors:
        """Return the posteriors of many words, each in its context."""
        found = self._ids(words)
        try:
            sizes = [len(context.ids) for context in contexts]
            ids = np.concatenate([*(context.ids for context in contexts), np.empty(0, np.int32)])
            weights = np.concatenate([*(context.weights for context in contexts), np.empty(0)])
            is_good = len(found) == len(sizes) and sizes == [len(context.weights) for context in contexts]
        except (TypeError, ValueError, AttributeError):
            is_good = False
        if not is_good:
            raise InputError(
                f"the contexts do not fit {len(found)} words; give one context for every word, and one weight for "
                "every word of a context"
            )
        ids = self._ids(ids)
        joined = Weighted(ids, arguments.weights(weights, len(ids)))
        return self._posteriors(
            found.astype(np.int64), joined, np.append(0, np.cumsum(sizes)).astype(np.int64)
        )

    def in_text(self, ids: I32, ends: I64) -> Posteriors:
        """Return the posterior of every word of running text; contexts stay inside lines, which end before `ends`."""
        ids = self._ids(ids)
        return self._in_text(ids, arguments.line_ends(ends, len(ids)))

    def likelihood(self, ids: I32) -> Likelihood:
        """Eq. (9) over a text."""
        return self._likelihood(self._ids(ids))

    # What a kind of model does, for arguments that have been checked. Context i of a batch is bounds[i]:bounds[i+1].

    @abstractmethod
    def _posterior(self, w: int, context: Weighted) -> Floats: ...

    @abstractmethod
    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors: ...

    @abstractmethod
    def _in_text(self, ids: I32, ends: I64) -> Posteriors: ...

    @abstractmethod
    def _likelihood(self, ids: I32) -> Likelihood: ...

    def _ids(self, ids: Any) -> I32:
        return arguments.word_ids(ids, len(self._sizes))

    def assign(self, ids: I32, ends: I64) -> tuple[I64, Floats]:
        """Return row and probability of the likeliest sense of every word of running text, from `in_text`."""
        from adagram.kernels.predict import likeliest

        ids = self._ids(ids)
        found = self.in_text(ids, ends)
        rows, probabilities = np.empty(len(ids), np.int64), np.empty(len(ids))
        likeliest(self._offsets[ids], found.places, found.values, rows, probabilities)
        return rows, probabilities

    def _room(self, words: NDArray[np.integer]) -> Posteriors:
        """Room for a posterior of every word."""
        places = np.zeros(len(words) + 1, np.int64)
        np.cumsum(self._sizes[words], out=places[1:])
        return Posteriors(places, np.empty(int(places[-1])))


def predictor_of(model: Model, context: Context) -> Predictor:
    """The predictor for this kind of model."""
    from adagram.model.clusters import ClusterPredictor
    from adagram.model.tree import TreePredictor

    return (TreePredictor if "steps" in model.arrays else ClusterPredictor)(model, context)


def temperature(model: Model) -> float:
    """Log weights of senses are divided by it; config.json may have one, without it is 1."""
    value = model.info.get("temperature", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
        raise InputError(f"the temperature of the model is {value!r}; it must be a finite number above 0")
    return float(value)


def no_likelihood(algorithm: str) -> AdagramError:
    return AdagramError(
        f"a model of {algorithm} has no predictive likelihood: it does not normalise over words"
    )
