"""The model that users hold: open it, look at its senses, disambiguate, predict."""

from __future__ import annotations

import shutil
import warnings
from collections import ChainMap
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import ArrayMap, Floats
from adagram.errors import InputError
from adagram.maths.stick_breaking import prior_of_unlearned
from adagram.maths.subsampling import expected_counts
from adagram.model import storage
from adagram.model.card import model_card, renew_card
from adagram.model.context import Context, OneContext, is_one_context
from adagram.model.curated import CuratedPredictor
from adagram.model.curation import Curation
from adagram.model.folder import Place, read_folder
from adagram.model.journal import (
    JOURNAL,
    Decision,
    Journal,
    append_line,
    parse_journal,
    read_lines,
    write_journal,
)
from adagram.model.kept import TRENDS, KeptTrends, read_trends
from adagram.model.likelihood import Likelihood
from adagram.model.posterior import Posterior
from adagram.model.predictor import Predictor, predictor_of
from adagram.model.rest import REST, read_rest
from adagram.model.senses import SenseTable
from adagram.model.sheet import SHEET
from adagram.unknown import write_unknown
from adagram.vocabulary import Vocabulary
from adagram.whole import MODEL, new_folder

Assigned = tuple[NDArray[np.int64], Floats]  # rows of senses, probabilities


class Model(SenseTable):
    """Learned senses of all words: look at them, compare them, tell them apart in text.

    >>> model.n_senses == len(model.vectors) == len(model.unit_vectors), len(model.totals) == len(model.unlearned)
    (True, True)
    >>> model.rows("bank").start <= model.row("bank#1"), model.label(model.row("bank#1")), model.learned is model
    (True, '', True)
    >>> model.sheet, model.trends, model.check_decisions([]), "output" in (model.rest or {}), model.unknown
    (None, None, None, False, {})
    >>> model.folder.name
    'model'
    >>> ids = model.vocabulary.ids(["loan", "bank"])
    >>> model.likelihood(ids).words, len(model.predictor.assign(ids, np.array([2])))
    (2, 2)
    >>> os.mkdir("own"), model.write(Path("own")), model.write_description(Path("own"))
    (None, None, None)
    """

    def __init__(
        self,
        arrays: ArrayMap,
        vocabulary: Vocabulary,
        info: dict[str, Any],
        decisions: Sequence[Decision] = (),
        place: Place | None = None,
    ) -> None:
        super().__init__(arrays, vocabulary, info, decisions, place)
        self.context = Context(vocabulary, self.config, self.tokenize)

    # -- files

    @classmethod
    def load(cls, folder: str | Path, raw: bool = False, archive: str = "") -> Model:
        """Map a model folder; nothing large is read until it is used. `raw` ignores the editor's journal.

        A line of the journal that cannot be followed is a warning. `archive` names the packed file that the folder was
        unpacked from; such a model is read-only.

        >>> model = Model.load("model")
        """
        opened = read_folder(Path(folder), archive)
        model = cls(opened.arrays, opened.vocabulary, opened.info, (), opened.place)
        if raw:
            return model
        if isinstance(opened.journal, InputError):
            warnings.warn(f"{opened.journal}; no decision is followed", stacklevel=3)
            return model
        journal = model._followed(opened.journal)
        for sentence in journal.refused:
            warnings.warn(sentence, stacklevel=3)
        return model._decided(journal.decisions)

    def _followed(self, text: str) -> Journal:
        """Return the decisions of a journal's text about this model."""
        learned = self.learned
        path = (self.folder or Path()) / JOURNAL
        return parse_journal(text, path, learned.learned_arrays["offsets"], learned.row)

    def _decided(self, decisions: Sequence[Decision]) -> Model:
        """Return the same model with these decisions."""
        if not decisions and self.curation is None:
            return self
        return Model(self.learned_arrays, self.vocabulary, self.info, decisions, self.place)

    def refreshed(self) -> Model:
        """Return the model with the journal as it is now: somebody may have decided elsewhere in the meantime.

        >>> model.refreshed().n_senses == model.n_senses
        True
        """
        text = self._read(lambda folder: read_lines(folder / JOURNAL))
        return self if text is None else self._decided(self._followed(text).decisions)

    def check_decisions(self, decisions: Sequence[Decision]) -> None:
        """Refuse decisions that cannot be followed together."""
        Curation(self.learned_arrays["offsets"], decisions)

    def check_writable(self) -> None:
        """Raise InputError if decisions, a sense sheet or trends cannot be written to the folder of this model.

        >>> model.check_writable()
        """
        if self.place is None:
            raise InputError("the model is in memory only; save it first and load it")
        self.place.check_writable()

    def decide(self, line: str) -> Model:
        """Add a decision (merge, label, hide or undo, as a line of the journal) and return the model that follows it.

        >>> named = model.decide("label bank#1 side of a river")
        """
        self.check_writable()
        assert self.place is not None
        line = " ".join(line.split())
        made: list[Model] = []

        def check(text: str) -> None:
            """With the decisions as they are now, under the journal's lock."""
            assert self.place is not None
            self.place.check()
            journal = self._followed(text)
            if line == "undo" and journal.decisions[-1:] != list(self.decisions[-1:]):
                raise InputError("another decision was taken meanwhile; look again before you undo it")
            journal.follow(line)
            made.append(self._decided(journal.decisions))

        append_line(self.place.folder / JOURNAL, line, check)
        self.place.check()
        decided = made[0]
        try:
            if decided.sheet:
                renew_card(decided, self.place.folder / storage.CARD)
        except (OSError, InputError) as error:
            warnings.warn(f"the decision is kept, but the model card was not renewed: {error}", stacklevel=2)
        return decided

    @cached_property
    def trends(self) -> KeptTrends | None:
        """What `adagram trends` counted last, if it did."""
        return self._read(read_trends)

    @cached_property
    def rest(self) -> ArrayMap | None:
        """What was kept so that training can go on from here, beside the learned senses; see `adagram.model.rest`."""
        return self._read(lambda folder: read_rest(folder, self.vocabulary.checksum))

    @cached_property
    def learned(self) -> Model:
        """The senses as they were learned, without an editor's decisions."""
        if self.curation is None:
            return self
        return Model(self.learned_arrays, self.vocabulary, self.info, (), self.place)

    def save(self, folder: str | Path, overwrite: bool = False) -> None:
        """Write the model folder, complete or not at all; one that exists is replaced only with `overwrite`.

        >>> model.save("copy")
        """
        with new_folder(folder, MODEL, overwrite) as made:
            self.write(made)

    def write(self, folder: Path) -> None:
        """The files of a model, into an existing folder."""
        storage.write_arrays(folder / storage.ARRAYS, self.learned_arrays, self.vocabulary.checksum)
        if self.rest is not None:
            storage.write_arrays(folder / REST, self.rest, self.vocabulary.checksum)
        self.write_description(folder)

    def write_description(self, folder: Path) -> None:
        """All files but the arrays; `folder` may be its own, so all is read before anything is written."""
        card, unknown = model_card(self), self.unknown
        for name in (SHEET, TRENDS):
            if self.folder and (self.folder / name).is_file():
                self._read(lambda own, name=name: shutil.copyfile(own / name, folder / name))  # type: ignore[misc]
        storage.write_json(folder / storage.CONFIG, self.info)
        self.vocabulary.save(folder / storage.VOCAB)
        write_journal(folder / JOURNAL, self.decisions, self.learned.names)
        (folder / storage.CARD).write_text(card, encoding="utf-8")
        write_unknown(folder, unknown)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle of a model that was opened is its path; one that was never saved is pickled whole."""
        how = self.context.context_weights, self.context.window
        if self.place:
            return _opened, (self.place.folder.resolve(), self.place.archive, self.curation is None, *how)
        return _made, (dict(self.arrays), self.vocabulary, self.info, *how)

    def to_gensim(self) -> Any:
        """gensim KeyedVectors with a key per sense ('apple#0') and the attributes `count` and `prior`.

        >>> "bank#1" in model.to_gensim()
        True
        """
        from adagram.model.keyed_vectors import keyed_vectors

        return keyed_vectors(self)

    # -- prediction

    def using(self, context_weights: str = "kept", window: int | None = None) -> Model:
        """The same model with another idea of contexts: see `adagram.model.context.Context`.

        >>> model.using(context_weights="none", window=3).context.window
        3
        """
        other = Model.__new__(Model)  # shares all that is read or computed, but for the predictor
        other.__dict__ |= {name: value for name, value in vars(self).items() if name != "predictor"}
        other.context = Context(self.vocabulary, self.config, self.tokenize, context_weights, window)
        return other

    @cached_property
    def predictor(self) -> Predictor:
        """Senses of contexts, batches and running text given as ids: all that is asked below goes through it."""
        if self.curation is None:
            return predictor_of(self, self.context)
        priors = self.curation.hiding(self.learned_arrays["priors"])
        hiding: ArrayMap = ChainMap({"priors": priors}, self.learned_arrays)  # type: ignore[arg-type]
        learned = Model(hiding, self.vocabulary, self.info)
        return CuratedPredictor(self, self.curation, predictor_of(learned, self.context))

    def posterior(self, word: str, context: OneContext) -> Posterior:
        """Eq. (8): the posterior over the senses of `word` in one context; unknown context words are left out.

        >>> model.posterior("bank", "a fish in the river").known
        2
        """
        word = self.known(word)
        weighted = self.context.of(context)
        found = self.predictor.posterior(self.vocabulary.index[word], weighted)
        return Posterior.of(found, word, len(weighted.ids), self._numbers(word))

    def disambiguate(
        self, word: str, context: OneContext | Sequence[OneContext]
    ) -> Posterior | list[Posterior]:
        """Eq. (8): the posterior over the senses of `word` in a context, or a list of them for a list of contexts.

        A context is a text, a list of words, or `Sides`. Words have no white space in them, so a list in which some
        string has, or that has lists in it, is a list of contexts. All words of a context are used, unless the place of
        the word is known, from `Sides` or from a lone _ in the text: then as many on each side as the window takes.

        >>> found = model.disambiguate("bank", "a fish in the river")
        >>> found.names, found.best == found.names[int(found.argmax())]
        (['bank#0', 'bank#1'], True)
        """
        if is_one_context(context):
            return self.posterior(word, context)
        contexts = cast(Sequence[OneContext], context)
        return self.disambiguate_batch([word] * len(contexts), contexts)

    def disambiguate_batch(self, words: Sequence[str], contexts: Sequence[OneContext]) -> list[Posterior]:
        """`disambiguate` for many words, each with its context, at once.

        >>> found = model.disambiguate_batch(["bank"], ["river"])
        """
        words = [self.known(word) for word in words]
        weighted = [self.context.of(context) for context in contexts]
        ids = np.array([self.vocabulary.index[word] for word in words], dtype=np.int64)
        found = self.predictor.posteriors(ids, weighted)
        return [
            Posterior.of(values, word, len(context.ids), self._numbers(word))
            for values, word, context in zip(found, words, weighted, strict=True)
        ]

    def _numbers(self, word: str) -> list[int] | None:
        """The numbers of a word's senses where a decision has left gaps in them."""
        return self.curation.numbers[self.rows(word)].tolist() if self.curation else None

    def assign(self, text: str | Sequence[str]) -> Assigned | list[Assigned]:
        """The likeliest sense of every word of a text or list of words: its row (-1: unknown) and its probability.

        Contexts stay inside the lines of a text. A list of texts gives a list; `disambiguate` says which lists are.

        >>> rows, probabilities = model.assign("the river bank")
        >>> [bool(row < 0) for row in rows], len(probabilities)
        ([True, False, False], 3)
        """
        if not is_one_context(text):
            return [cast(Assigned, self.assign(one)) for one in text]
        lines = [self.tokenize(line) for line in (text.split("\n") if isinstance(text, str) else [text])]
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
        if self.curation:
            return self.learned.unlearned
        if self.config.algorithm != "adagram":
            return np.zeros(len(self.vocabulary))
        return prior_of_unlearned(
            self.counts, self.offsets, self.totals, self.config.alpha, self.config.max_senses
        )

    @property
    def totals(self) -> Floats:
        """n_w: what the counts of all sticks of a word sum to, learned or not, (n_words,)."""
        if "totals" in self.arrays:  # of another program, which may have counted in its own way
            return self.arrays["totals"]
        return expected_counts(np.asarray(self.vocabulary.counts), self.config.subsample)

    def log_likelihood(self, text: str | Sequence[str]) -> float | list[float]:
        """Eq. (9) per context word: mean of log Σ_k E[π_k] p(y_j | w, k) over all words and their windows.

        The sum is over all sticks: one that has not been learned predicts as at its birth, each turn of a path by 1/2.
        A list of texts gives a list.

        >>> model.log_likelihood("loan cash bank credit") < 0
        True
        """
        if not is_one_context(text):
            return [self.likelihood(one).per_word for one in text]
        return self.likelihood(text).per_word

    def likelihood(self, text: str | Sequence[str] | NDArray[np.int32]) -> Likelihood:
        """Predictive likelihood of a text, words or word ids; its contexts are the plain windows of training."""
        return self.predictor.likelihood(text if isinstance(text, np.ndarray) else self.context.ids(text))


def _opened(folder: Path, archive: str, raw: bool, context_weights: str, window: int) -> Model:
    return Model.load(folder, raw, archive).using(context_weights, window)


def _made(arrays: ArrayMap, vocabulary: Vocabulary, info: dict[str, Any], *how: Any) -> Model:
    return Model(arrays, vocabulary, info).using(*how)
