"""A scikit-learn transformer from texts to sense features."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.api import load
from adagram.errors import InputError, need
from adagram.model import Model
from adagram.model.arguments import PROBABILITY, listed
from adagram.model.predict import assign_words
from adagram.options import OneOf, checked

need("sklearn", "sklearn", "SenseTransformer")
from scipy.sparse import csr_matrix  # noqa: E402 (after the check above, which names what to install)
from sklearn.base import BaseEstimator, TransformerMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

OUTPUTS = ("vectors", "counts")


class SenseTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into the mean of their words' sense vectors, or into counts of senses.

    model: a Model, such as `adagram.load("en").at("coarse").using(window=3)`, or what `adagram.load` takes. Pickles
        and clones of a path, or of a Model that was loaded from one, hold the path, not the vectors.
    output: "vectors", an array (n_texts, dim) of float32, zero for a text without known words; or "counts", a sparse
        matrix (n_texts, n_senses) that counts how often each sense is the likeliest one.
    min_probability: words whose likeliest sense has less are left out.
    """

    def __init__(self, model: Model | str | Path = "en", output: str = "vectors", min_probability: float = 0.0) -> None:
        self.model = model
        self.output = output
        self.min_probability = min_probability

    def fit(self, X: Iterable[str], y: object = None) -> SenseTransformer:
        """Open the model; the texts are only checked to be texts."""
        checked(self.output, "output", OneOf(OUTPUTS))
        checked(self.min_probability, "min_probability", PROBABILITY)
        _texts(X)
        self.model_ = self.model if isinstance(self.model, Model) else load(self.model)
        return self

    def transform(self, X: Iterable[str]) -> Any:
        """Features of each text; contexts do not reach from one text into the next."""
        check_is_fitted(self)
        counts = self._counts(_texts(X))
        if self.output == "counts":
            return counts
        n_words = np.asarray(counts.sum(axis=1)).reshape(-1, 1)
        means = (counts @ self.model_.vectors) / np.maximum(n_words, 1)
        return np.asarray(means, dtype=np.float32)

    def _counts(self, texts: list[str]) -> Any:
        """How often each sense is the likeliest one, (n_texts, n_senses)."""
        model = self.model_
        words = [model.tokenize(text) for text in texts]
        rows, probabilities = assign_words(model, words)
        sure = (rows >= 0) & (probabilities >= self.min_probability)
        bounds = np.append(0, sure.cumsum())[np.cumsum([0, *map(len, words)])]
        shape = (len(texts), model.n_senses)
        counts = csr_matrix((np.ones(int(sure.sum()), np.float32), rows[sure], bounds), shape=shape)
        counts.sum_duplicates()
        return counts

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Sense names for counts; sense_vector0, sense_vector1, … for vectors."""
        check_is_fitted(self)
        if self.output == "counts":
            return np.array(self.model_.names(slice(0, self.model_.n_senses)), dtype=object)
        return np.array([f"sense_vector{d}" for d in range(self.model_.config.dim)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags


def _texts(X: Iterable[str]) -> list[str]:
    texts: list[str] = listed(X, "X", "a list of texts (str)")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {number} is of type {type(text).__name__}; give a list of texts (str)")
    return texts
