"""The model that users hold: open it, look at its senses, disambiguate, predict."""

from __future__ import annotations

import shutil
import warnings
from collections import ChainMap
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.vocabulary import Vocabulary, write_unknown
from adagram.errors import InputError
from adagram.files.atomic import new_folder
from adagram.files.folders import MODEL
from adagram.model import storage
from adagram.model.arguments import checked_path, checked_text, listed
from adagram.model.card import model_card, renew_card
from adagram.model.context import Context, OneContext, read_context
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
from adagram.model.likelihood import Likelihood
from adagram.model.posterior import Posterior
from adagram.model.predictor import Predictor, predictor_of
from adagram.model.rest import REST, read_rest
from adagram.model.senses import SenseTable
from adagram.model.sheet import SHEET
from adagram.model.trends import TRENDS, KeptTrends, read_trends
from adagram.paper.schedule import expected_counts
from adagram.paper.stick_breaking import prior_of_unlearned
from adagram.types import I32, ArrayMap, Floats

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
        opened = read_folder(checked_path(folder, "folder"), archive)
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
        line = " ".join(checked_text(line, "line", "a decision (str)").split())
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
        with new_folder(checked_path(folder, "folder"), MODEL, overwrite) as made:
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

    def disambiguate(self, word: str, context: OneContext) -> Posterior:
        """Return the posterior over the senses of `word` in one context, Eq. (8).

        The word itself is not part of its context. If `context` has a lone _ that stands for the word, or the word
        itself, that is its place, and the context are the words on each side that the window takes. Of several such
        places the one nearest to the middle of the text is taken. A context without a place is used as a whole.

        Parameters
        ----------
        word
            A word of the vocabulary, in any spelling that `known` accepts.
        context
            One context: a text (str), which is cut into words as the training corpus was; an iterable of words (a
            list, a tuple, a generator, …), which are taken as they are; or `Sides`, the text before and after the word.
            A list of str is always the words of one context: for many contexts there is `disambiguate_batch`. Words
            that the model does not know are left out.

        Returns
        -------
        Posterior
            An array with a probability per sense, in stick order, that sums to one. `known` is the number of context
            words that were used; if it is 0, the answer is the prior.

        Raises
        ------
        UnknownWordError
            If the model does not know `word`.
        InputError
            If `context` is something else, or has a str with white space in it in place of a word.

        Examples
        --------
        >>> found = model.disambiguate("bank", "a fish in the river")
        >>> found.names, found.best == found.names[int(found.argmax())]
        (['bank#0', 'bank#1'], True)
        >>> model.disambiguate("bank", "the bank of the river").tolist() == model.disambiguate(
        ...     "bank", "the _ of the river"
        ... ).tolist()
        True
        """
        word, given = self.known(word), read_context(context)
        weighted = self.context.of(given, word)
        if (
            isinstance(given, list)
            and given
            and not any(token in self.vocabulary for token in self.tokenize(given))
        ):
            warnings.warn(
                f"the model knows none of the {len(given)} words of the context, so this is the prior; a list is the "
                "words of one context, a str is a text, and disambiguate_batch takes many contexts",
                stacklevel=2,
            )
        found = self.predictor.posterior(self.vocabulary.index[word], weighted)
        return Posterior.of(found, word, len(weighted.ids), self._numbers(word))

    def disambiguate_batch(
        self, words: str | Iterable[str], contexts: Iterable[OneContext]
    ) -> list[Posterior]:
        """Return what `disambiguate` does for many words, each in its own context, at once.

        Parameters
        ----------
        words
            A word for every context; or one word (str), for all of them.
        contexts
            An iterable (a list, a pandas Series, a generator, …) of contexts, each as `disambiguate` takes one: a str
            is a text, even if it has one word only, and a list of str is words.

        Returns
        -------
        list of Posterior
            One for every context, in the same order.

        Raises
        ------
        UnknownWordError
            If the model does not know one of the words.
        InputError
            If there are not as many words as contexts, or one of them is something else.

        Examples
        --------
        >>> found = model.disambiguate_batch(["bank", "bank"], ["river", ["loan", "cash"]])
        >>> len(found) == len(model.disambiguate_batch("bank", ["river", "loan"]))
        True
        """
        given = listed(
            contexts, "contexts", "a list of contexts, each a text (str), a list of words, or Sides"
        )
        asked = (
            [words] * len(given)
            if isinstance(words, str)
            else listed(words, "words", "a word or a list of words")
        )
        if len(asked) != len(given):
            raise InputError(
                f"there are {len(asked)} words and {len(given)} contexts; give a word for every context"
            )
        known = [self.known(word) for word in asked]
        weighted = [
            self.context.of(context, word, f"context {i}")
            for i, (context, word) in enumerate(zip(given, known, strict=True))
        ]
        ids = np.array([self.vocabulary.index[word] for word in known], dtype=np.int64)
        found = self.predictor.posteriors(ids, weighted)
        return [
            Posterior.of(values, word, len(context.ids), self._numbers(word))
            for values, word, context in zip(found, known, weighted, strict=True)
        ]

    def _numbers(self, word: str) -> list[int] | None:
        """The numbers of a word's senses if a decision has left gaps in them."""
        return self.curation.numbers[self.rows(word)].tolist() if self.curation else None

    def assign(self, text: str | Iterable[str]) -> Assigned:
        """Return the likeliest sense of every word of one text: its row and its probability.

        Parameters
        ----------
        text
            A text (str), which is cut into words as the training corpus was, and whose contexts stay inside its lines;
            or an iterable of words, which is one line. For many texts, call it once for each.

        Returns
        -------
        rows : array of int64
            A row per word, for `names` and `vectors`; -1 if the model does not know the word.
        probabilities : array of float64
            Of these senses; 0 for an unknown word.

        Examples
        --------
        >>> rows, probabilities = model.assign("the river bank")
        >>> model.names(rows)
        ['<unknown>', 'river#0', 'bank#1']
        >>> model.vectors[rows[rows >= 0]].shape, len(probabilities)
        ((2, 16), 3)
        """
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
        if not self.config.uses("alpha"):
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

    def log_likelihood(self, text: str | Iterable[str]) -> float:
        """Return Eq. (9) per context word of one text: the mean of log Σ_k E[π_k] p(y_j | w, k) over its windows.

        The sum is over all sticks: one that has not been learned predicts as at its birth, each turn of a path by 1/2.
        `text` is a text (str) or an iterable of words; at least two of them must be known.

        >>> model.log_likelihood("loan cash bank credit") < 0
        True
        """
        return self.likelihood(text).per_word

    def likelihood(self, text: str | Iterable[str] | NDArray[np.integer]) -> Likelihood:
        """Return all figures of Eq. (9) for one text, in the plain windows of training.

        `text` is a text (str), an iterable of words, or an array of word ids, from 0 to `len(model) - 1`.
        """
        is_ids = isinstance(text, np.ndarray) and text.dtype.kind in "iu"
        return self.predictor.likelihood(cast(I32, text) if is_ids else self.context.ids(cast(str, text)))


def _opened(folder: Path, archive: str, raw: bool, context_weights: str, window: int) -> Model:
    return Model.load(folder, raw, archive).using(context_weights, window)


def _made(arrays: ArrayMap, vocabulary: Vocabulary, info: dict[str, Any], *how: Any) -> Model:
    return Model(arrays, vocabulary, info).using(*how)
