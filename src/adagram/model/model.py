"""The model that users hold: look at senses, compare them, disambiguate, predict."""

from __future__ import annotations

import copy
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.config import TrainConfig
from adagram.errors import UnknownWordError
from adagram.maths.stick_breaking import prior_of_unlearned
from adagram.maths.subsampling import expected_counts
from adagram.model import storage
from adagram.model.card import model_card
from adagram.model.context import Context, Sides, Weighted
from adagram.model.curated import CuratedPredictor
from adagram.model.curation import CuratedArrays, Curation
from adagram.model.journal import JOURNAL, Decision, write_journal
from adagram.model.likelihood import Likelihood
from adagram.model.neighbours import nearest
from adagram.model.predictor import Predictor, predictor_of
from adagram.model.sheet import Sheet
from adagram.text.tokenizer import TokenizerConfig, make_tokenizer
from adagram.vocabulary import Vocabulary
from adagram.whole import new_folder


@dataclass(frozen=True)
class Neighbour:
    name: str
    similarity: float


@dataclass(frozen=True)
class Sense:
    """One sense of a word; `prior` is E[π], `count` the expected number of its occurrences in training."""

    name: str
    prior: float
    count: float
    neighbours: list[Neighbour]
    label: str = ""  # an editor's, or that of the sense sheet


class Model:
    """Learned senses of all words; the senses of word w are rows offsets[w]:offsets[w+1]."""

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        vocabulary: Vocabulary,
        info: dict[str, Any],
        decisions: Sequence[Decision] = (),
        folder: Path | None = None,
    ) -> None:
        self.folder = folder  # where it was opened, with its sense sheet
        self.learned_arrays = arrays  # as in the file, before an editor's decisions
        self.decisions = decisions
        self.curation = Curation(arrays["offsets"], decisions) if decisions else None
        self.arrays = arrays = CuratedArrays(arrays, self.curation) if self.curation else arrays
        self.vocabulary = vocabulary
        self.info = info  # config.json
        self.config = TrainConfig.from_dict(info["config"])
        self.context = Context(vocabulary, self.config)
        self.offsets: NDArray[np.int64] = arrays["offsets"]
        self.priors: NDArray[np.float64] = arrays["priors"]
        self.counts: NDArray[np.float64] = arrays["counts"]

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """(n_senses, dim)"""
        return self.arrays["vectors"][:, : self.config.dim]

    # -- files

    @classmethod
    def load(cls, folder: str | Path, raw: bool = False) -> Model:
        """Map a model folder; nothing large is read until it is used. `raw` ignores the editor's journal."""
        from adagram.model.opening import open_model

        return open_model(Path(folder), raw)

    def check_decisions(self, decisions: Sequence[Decision]) -> None:
        """Refuse decisions that cannot be followed together."""
        Curation(self.learned_arrays["offsets"], decisions)

    @cached_property
    def learned(self) -> Model:
        """The senses as they were learned, without an editor's decisions."""
        return (
            Model(self.learned_arrays, self.vocabulary, self.info, (), self.folder) if self.curation else self
        )

    def save(self, folder: str | Path) -> None:
        """Write the model folder, complete or not at all."""
        with new_folder(Path(folder)) as made:
            self.write(made)

    def write(self, folder: Path) -> None:
        """The files of a model, into an existing folder."""
        storage.write_arrays(folder / storage.ARRAYS, self.learned_arrays)
        self.write_description(folder)

    def write_description(self, folder: Path) -> None:
        """All files but the arrays."""
        storage.write_json(folder / storage.CONFIG, self.info)
        self.vocabulary.save(folder / storage.VOCAB)
        write_journal(folder / JOURNAL, self.decisions, self.learned.names)
        (folder / storage.CARD).write_text(model_card(self), encoding="utf-8")

    def to_gensim(self) -> Any:
        """gensim KeyedVectors with a key per sense ('apple#0') and the attributes `count` and `prior`."""
        from adagram.model.keyed_vectors import keyed_vectors

        return keyed_vectors(self)

    # -- words and senses

    @property
    def n_senses(self) -> int:
        return len(self.counts)

    @cached_property
    def _tokenizer(self) -> Any:
        return make_tokenizer(
            TokenizerConfig.from_dict(self.info.get("tokenizer") or {}), self.vocabulary.index
        )

    def tokenize(self, text: str) -> list[str]:
        """Cut text into words as the training corpus was."""
        tokens: list[str] = self._tokenizer(text)
        return tokens

    def rows(self, word: str) -> slice:
        """Rows of the senses of a word."""
        w = self.vocabulary.id(word)
        return slice(int(self.offsets[w]), int(self.offsets[w + 1]))

    def row(self, sense: str) -> int:
        """Row of a sense such as 'apple#1'; a word alone means its only sense."""
        word, mark, number = sense.rpartition("#")
        if mark and number.isdecimal() and (word in self.vocabulary or sense not in self.vocabulary):
            return self._numbered(word, int(number))
        rows = self.rows(sense)
        if rows.stop - rows.start > 1:
            names = ", ".join(self.names(rows))
            raise UnknownWordError(f"'{sense}' has several senses; choose one of {names}")
        return int(rows.start)

    def _numbered(self, word: str, number: int) -> int:
        """Row of the sense that was learned with a number; a merged sense goes by the numbers of all its members."""
        offsets = self.learned_arrays["offsets"]
        w = self.vocabulary.id(word)
        n = int(offsets[w + 1] - offsets[w])
        if number >= n:
            raise UnknownWordError(f"'{word}' has {n} senses; there is no '{word}#{number}'")
        learned = int(offsets[w]) + number
        row = int(self.curation.row_of[learned]) if self.curation else learned
        if row < 0:
            raise UnknownWordError(f"'{word}#{number}' is hidden; --raw shows all senses")
        return row

    def names(self, rows: slice | NDArray[np.int64] | Sequence[int]) -> list[str]:
        """Names of sense rows: 'apple#0', 'apple#1', …"""
        at = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        words = np.searchsorted(self.offsets, at, side="right") - 1
        numbers = self.curation.numbers[at] if self.curation else at - self.offsets[words]
        return [
            f"{self.vocabulary.words[w]}#{k}" for w, k in zip(words.tolist(), numbers.tolist(), strict=True)
        ]

    def senses(self, word: str, top: int = 10, min_count: float = 1.0) -> list[Sense]:
        """The senses of a word in stick order, each with its `top` nearest senses of other words."""
        rows = self.rows(word)
        found = nearest(self, np.arange(rows.start, rows.stop), top, min_count)
        return [
            Sense(name, float(self.priors[row]), float(self.counts[row]), neighbours, self.label(row))
            for name, row, neighbours in zip(
                self.names(rows), range(rows.start, rows.stop), self._neighbours(found), strict=True
            )
        ]

    @cached_property
    def sheet(self) -> Sheet | None:
        """What `adagram describe` wrote about the senses, if it did."""
        return Sheet.of(self.folder) if self.folder else None

    def label(self, row: int) -> str:
        """What a sense means in a few words: an editor's label, or that of the sense sheet, or nothing."""
        if self.curation and row in self.curation.labels:
            return self.curation.labels[row]
        entry = self.sheet.entry(self, row) if self.sheet else None
        return entry.label if entry else ""

    def neighbours(self, sense: str, top: int = 10, min_count: float = 1.0) -> list[Neighbour]:
        """The senses of other words with the highest cosine, exactly."""
        return self._neighbours(nearest(self, np.array([self.row(sense)]), top, min_count))[0]

    def _neighbours(self, found: list[tuple[NDArray[np.int64], Floats]]) -> list[list[Neighbour]]:
        return [
            [Neighbour(n, s) for n, s in zip(self.names(rows), values.tolist(), strict=True)]
            for rows, values in found
        ]

    def vector(self, sense: str) -> NDArray[np.float32]:
        return np.array(self.vectors[self.row(sense)])

    def word_vector(self, word: str) -> NDArray[np.float32]:
        """The mean of the word's sense vectors, weighted by their priors."""
        rows = self.rows(word)
        return np.asarray(self.priors[rows] @ self.vectors[rows], dtype=np.float32)

    @cached_property
    def unit_vectors(self) -> NDArray[np.float32]:
        """All sense vectors scaled to length one, (n_senses, dim)."""
        return np.asarray(self.vectors / np.maximum(self.arrays["norms"], 1e-12)[:, None])

    # -- prediction

    def using(self, context_weights: str = "kept", window: int | None = None) -> Model:
        """The same model with another idea of contexts: see `adagram.model.context.Context`."""
        other = copy.copy(self)  # shares all that is read or computed, but for the predictor
        other.__dict__.pop("predictor", None)
        other.context = Context(self.vocabulary, self.config, context_weights, window)
        return other

    @cached_property
    def predictor(self) -> Predictor:
        """Senses of contexts, batches and running text given as ids: all that is asked below goes through it."""
        if self.curation is None:
            return predictor_of(self, self.context)
        priors = self.curation.hiding(self.learned_arrays["priors"])
        hiding = Model(ChainMap({"priors": priors}, self.learned_arrays), self.vocabulary, self.info)  # type: ignore[arg-type]
        return CuratedPredictor(self, self.curation, predictor_of(hiding, self.context))

    def weighted(self, context: Sequence[str] | Sides) -> Weighted:
        """The words of a context that the model knows, with their weights.

        A list of words is used whole; of `Sides`, where the place of the word is known, as much as the window takes.
        """
        ids = self.vocabulary.ids
        if isinstance(context, Sides):
            return self.context.sides(ids(context.left), ids(context.right))
        return self.context.bag(ids(context))

    def disambiguate(self, word: str, context: Sequence[str] | Sides) -> Floats:
        """Eq. (8): the posterior over the senses of `word` in this context; unknown context words are left out."""
        return self.predictor.posterior(self.vocabulary.id(word), self.weighted(context))

    def disambiguate_batch(
        self, words: Sequence[str], contexts: Sequence[Sequence[str] | Sides]
    ) -> list[Floats]:
        """`disambiguate` for many words and contexts at once."""
        w = np.array([self.vocabulary.id(word) for word in words], dtype=np.int64)
        return list(self.predictor.posteriors(w, [self.weighted(context) for context in contexts]))

    def assign(self, tokens: Sequence[str]) -> tuple[NDArray[np.int64], Floats]:
        """The likeliest sense of every word in its context: its row (-1 for an unknown word) and its probability."""
        index = self.vocabulary.index
        all_ids = np.array([index.get(token, -1) for token in tokens], dtype=np.int32)
        known = all_ids >= 0
        rows, probabilities = np.full(len(all_ids), -1, dtype=np.int64), np.zeros(len(all_ids))
        ids = all_ids[known]
        rows[known], probabilities[known] = self.predictor.assign(ids, np.array([len(ids)], dtype=np.int64))
        return rows, probabilities

    @cached_property
    def unlearned(self) -> Floats:
        """The prior of sticks without a learned sense, (n_words,); `priors` is of the learned ones among themselves."""
        if self.curation:
            return self.learned.unlearned
        if self.config.algorithm != "adagram":
            return np.zeros(len(self.vocabulary))
        totals = expected_counts(np.asarray(self.vocabulary.counts), self.config.subsample)
        return prior_of_unlearned(
            self.counts, self.offsets, totals, self.config.alpha, self.config.max_senses
        )

    def log_likelihood(self, tokens: Sequence[str]) -> float:
        """Eq. (9) per context word: mean of log Σ_k E[π_k] p(y_j | w, k) over all words and their windows.

        The sum is over all sticks: one that has not been learned predicts as at its birth, each turn of a path by 1/2.
        """
        return float(self.likelihood(self.vocabulary.ids(tokens)).per_word)

    def likelihood(self, ids: NDArray[np.int32]) -> Likelihood:
        """Predictive likelihood of a text given as word ids; its contexts are the plain windows of training."""
        return self.predictor.likelihood(ids)
