"""The model that users hold: open it, look at its senses, disambiguate, predict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import ArrayMap, Floats
from adagram.maths.stick_breaking import prior_of_unlearned
from adagram.maths.subsampling import expected_counts
from adagram.model import storage
from adagram.model.card import model_card
from adagram.model.context import Context, OneContext, is_one_context
from adagram.model.folder import read_folder
from adagram.model.likelihood import Likelihood
from adagram.model.posterior import Posterior
from adagram.model.predictor import Predictor, predictor_of
from adagram.model.senses import SenseTable
from adagram.vocabulary import Vocabulary
from adagram.whole import MODEL, new_folder


class Model(SenseTable):
    """Learned senses of all words: look at them, compare them, tell them apart in text."""

    def __init__(self, arrays: ArrayMap, vocabulary: Vocabulary, info: dict[str, Any]) -> None:
        super().__init__(arrays, vocabulary, info)
        self.context = Context(vocabulary, self.config, self.tokenize)
        self._folder: Path | None = None  # where it was opened

    # -- files

    @classmethod
    def load(cls, folder: str | Path) -> Model:
        """Map a model folder; nothing large is read until it is used."""
        model = cls(*read_folder(Path(folder)))
        model._folder = Path(folder).resolve()
        return model

    def save(self, folder: str | Path, overwrite: bool = False) -> None:
        """Write the model folder, complete or not at all; one that exists is replaced only with `overwrite`."""
        with new_folder(folder, MODEL, overwrite) as made:
            self.write(made)

    def write(self, folder: Path) -> None:
        """The files of a model, into an existing folder."""
        storage.write_arrays(folder / storage.ARRAYS, self.arrays, self.vocabulary.checksum)
        self.write_description(folder)

    def write_description(self, folder: Path) -> None:
        """All files but the arrays."""
        storage.write_json(folder / storage.CONFIG, self.info)
        self.vocabulary.save(folder / storage.VOCAB)
        (folder / storage.CARD).write_text(model_card(self), encoding="utf-8")

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle of a model that was opened is its path; one that was never saved is pickled whole."""
        how = self.context.context_weights, self.context.window
        if self._folder:
            return _opened, (self._folder, *how)
        return _made, (dict(self.arrays), self.vocabulary, self.info, *how)

    def to_gensim(self) -> Any:
        """gensim KeyedVectors with a key per sense ('apple#0') and the attributes `count` and `prior`."""
        from adagram.model.keyed_vectors import keyed_vectors

        return keyed_vectors(self)

    # -- prediction

    def using(self, context_weights: str = "kept", window: int | None = None) -> Model:
        """The same model with another idea of contexts: see `adagram.model.context.Context`."""
        other = Model.__new__(Model)  # shares all that is read or computed, but for the predictor
        other.__dict__ |= {name: value for name, value in vars(self).items() if name != "predictor"}
        other.context = Context(self.vocabulary, self.config, self.tokenize, context_weights, window)
        return other

    @cached_property
    def predictor(self) -> Predictor:
        """Senses of contexts, batches and running text given as ids: all that is asked below goes through it."""
        return predictor_of(self, self.context)

    def posterior(self, word: str, context: OneContext) -> Posterior:
        """Eq. (8): the posterior over the senses of `word` in one context; unknown context words are left out."""
        word = self.known(word)
        weighted = self.context.of(context)
        found = self.predictor.posterior(self.vocabulary.index[word], weighted)
        return Posterior.of(found, word, len(weighted.ids))

    def disambiguate(
        self, word: str, context: OneContext | Sequence[OneContext]
    ) -> Posterior | list[Posterior]:
        """Eq. (8): the posterior over the senses of `word` in a context, or a list of them for a list of contexts.

        A context is a text, a list of words, or `Sides`. Words have no white space in them, so a list in which some
        string has, or that has lists in it, is a list of contexts. All words of a context are used, unless the place of
        the word is known, from `Sides` or from a lone _ in the text: then as many on each side as the window takes.
        """
        if is_one_context(context):
            return self.posterior(word, context)
        contexts = cast(Sequence[OneContext], context)
        return self.disambiguate_batch([word] * len(contexts), contexts)

    def disambiguate_batch(self, words: Sequence[str], contexts: Sequence[OneContext]) -> list[Posterior]:
        """`disambiguate` for many words, each with its context, at once."""
        words = [self.known(word) for word in words]
        weighted = [self.context.of(context) for context in contexts]
        ids = np.array([self.vocabulary.index[word] for word in words], dtype=np.int64)
        found = self.predictor.posteriors(ids, weighted)
        return [
            Posterior.of(values, word, len(context.ids))
            for values, word, context in zip(found, words, weighted, strict=True)
        ]

    def assign(self, text: str | Sequence[str]) -> tuple[NDArray[np.int64], Floats]:
        """The likeliest sense of every word of a text or list of words: its row (-1: unknown) and its probability.

        Contexts stay inside the lines of a text.
        """
        lines = [self.tokenize(line) for line in text.split("\n")] if isinstance(text, str) else [text]
        index = self.vocabulary.index
        ids = np.array([index.get(token, -1) for line in lines for token in line], dtype=np.int32)
        known = ids >= 0
        ends = np.append(0, known.cumsum())[np.cumsum([len(line) for line in lines])]
        rows, probabilities = np.full(len(ids), -1, dtype=np.int64), np.zeros(len(ids))
        rows[known], probabilities[known] = self.predictor.assign(ids[known], ends.astype(np.int64))
        return rows, probabilities

    @cached_property
    def unlearned(self) -> Floats:
        """The prior of sticks without a learned sense, (n_words,); `priors` is of the learned ones among themselves."""
        if self.config.algorithm != "adagram":
            return np.zeros(len(self.vocabulary))
        totals = expected_counts(np.asarray(self.vocabulary.counts), self.config.subsample)
        return prior_of_unlearned(
            self.counts, self.offsets, totals, self.config.alpha, self.config.max_senses
        )

    def log_likelihood(self, text: str | Sequence[str]) -> float:
        """Eq. (9) per context word: mean of log Σ_k E[π_k] p(y_j | w, k) over all words and their windows.

        The sum is over all sticks: one that has not been learned predicts as at its birth, each turn of a path by 1/2.
        """
        return self.likelihood(self.context.ids(text)).per_word

    def likelihood(self, ids: NDArray[np.int32]) -> Likelihood:
        """Predictive likelihood of a text given as word ids; its contexts are the plain windows of training."""
        return self.predictor.likelihood(ids)


def _opened(folder: Path, context_weights: str, window: int) -> Model:
    return Model.load(folder).using(context_weights, window)


def _made(
    arrays: ArrayMap, vocabulary: Vocabulary, info: dict[str, Any], context_weights: str, window: int
) -> Model:
    return Model(arrays, vocabulary, info).using(context_weights, window)
