"""`Model`: what users hold. Open it, look at its senses, tell them apart in text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.tokenize import TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary, read_unknown
from adagram.errors import UnknownWordError
from adagram.files.atomic import new_folder
from adagram.files.folders import MODEL
from adagram.model import edits, predict, resolution, storage
from adagram.model.arguments import checked_path, checked_text, listed, places
from adagram.model.compact import COMPACT
from adagram.model.context import Context, OneContext, Words
from adagram.model.display import Sense, Senses, as_html, frame_of, keyed_vectors
from adagram.model.edits import Decision
from adagram.model.neighbours import Blend, Index, Neighbour, Query, blend_of, compare, find_similar, nearest
from adagram.model.predict import Posterior, Predictor, Token
from adagram.model.resolution import Level, MergeTree, Resolution, threshold_of
from adagram.model.sheet import Sheet, label_of
from adagram.model.storage import Continuation, Place
from adagram.options import OneOf, checked
from adagram.types import I64, ArrayMap, Floats

if TYPE_CHECKING:
    from adagram.model.trends import KeptTrends

_MAX_DIGITS = 9  # of the number of a sense
T = TypeVar("T")


class Model:
    """Learned senses of all words: look at them, compare them, tell them apart in text.

    >>> model = adagram.load("model")
    >>> [sense.name for sense in model.senses("bank")]
    ['bank#0', 'bank#1']
    >>> model.disambiguate("bank", "a fish in the river").best
    'bank#1'
    >>> "bank" in model, model["bank#1"].shape
    (True, (16,))

    Senses are numbered by row: word w of `vocabulary` has the rows offsets[w]:offsets[w+1]. `row`, `rows` and `names`
    translate between names and rows; `vectors`, `priors` and `counts` have an entry per row.

    Attributes
    ----------
    vocabulary : Vocabulary
        The words, the most frequent first, with their counts.
    config : TrainConfig
        The options that it was trained with.
    info : dict
        config.json: options, tokenizer, corpus and training summary.
    n_senses : int
        The number of senses of all words.
    offsets, priors, counts : array
        First row of each word, (n_words + 1,); E[π_k] and the expected number of occurrences in the training text
        of each sense, (n_senses,).
    folder : Path or None
        The folder that it was loaded from; None for a model in memory.
    context : Context
        Which words around a word count, and how much; see `using`.
    resolution : float
        The likeness at which senses of a word merge; 1 if they are as learned, see `at`.
    """

    def __init__(
        self,
        arrays: ArrayMap,
        vocabulary: Vocabulary,
        info: dict[str, Any],
        decisions: Sequence[Decision] = (),
        place: Place | None = None,
        level: Level | None = None,
    ) -> None:
        self.learned_arrays = arrays  # as in the file, before any decision
        self.decisions = decisions
        self._level, self.resolution = level, level.threshold if level else 1.0
        self.curation = edits.Curation(arrays["offsets"], decisions, level) if decisions or level else None
        self.arrays = arrays = edits.CuratedArrays(arrays, self.curation) if self.curation else arrays
        self.place, self.folder = place, place.folder if place else None
        self.vocabulary, self.info = vocabulary, info
        self.config = TrainConfig.from_dict(info["config"])
        self.offsets: I64 = arrays["offsets"]
        self.priors: Floats = arrays["priors"]
        self.counts: Floats = predict.occurrences(self)
        self.n_senses = len(self.counts)
        self._words = Words(vocabulary, TokenizerConfig.from_dict(info.get("tokenizer") or {}))
        self.context = Context(self._words, self.config)
        self._index: Index | None = None  # of programs that search often

    def _changed(self, **changes: Any) -> Model:
        """Return the same model with other `decisions`, another `level` or other `info`."""
        given = {"info": self.info, "decisions": self.decisions, "place": self.place, "level": self._level}
        other = Model(self.learned_arrays, self.vocabulary, **(given | changes))
        kept = ("_learned_tree",) if "dtype" in other.info else ("_learned_tree", "_continuation")
        vars(other).update({name: value for name, value in vars(self).items() if name in kept})
        return other.using(self.context.context_weights, self.context.window)

    # -- files

    @classmethod
    def load(cls, folder: str | Path, raw: bool = False, archive: str = "") -> Model:
        """Open a model folder by memory map; nothing large is read until it is used.

        Parameters
        ----------
        folder
            A model folder; `adagram.load` also takes archives and models on the Hub.
        raw
            Ignore the editor's journal. Otherwise a line of it that cannot be followed is a warning.
        archive
            The archive or address that the folder was unpacked from; such a model is read-only.

        Examples
        --------
        >>> model = Model.load("model")
        """
        arrays, vocabulary, info, text, place = storage.read_folder(checked_path(folder, "folder"), archive, raw)
        model = cls(arrays, vocabulary, info, (), place)
        journal = edits.journal_of(model, text)
        for sentence in journal.refused:
            warnings.warn(sentence, stacklevel=3)
        return model._changed(decisions=journal.decisions) if journal.decisions else model

    def save(self, folder: str | Path, overwrite: bool = False, dtype: str | None = None) -> None:
        """Write the model folder, complete or not at all.

        Parameters
        ----------
        folder, overwrite
            The folder to make; if it exists this is an InputError, unless it is a model to be overwritten.
        dtype
            "int8" writes a compact model, about a quarter of the size: it is for use and cannot be continued.
            None keeps the type of this one.

        Examples
        --------
        >>> model.save("copy")
        >>> model.save("small", dtype="int8")
        """
        model = self
        if dtype is not None:
            model = self._changed(info=self.info | {"dtype": checked(dtype, "dtype", OneOf((COMPACT,)))})
        with new_folder(checked_path(folder, "folder"), MODEL, overwrite) as made:
            storage.write_model(model, made)

    def _read(self, read: Callable[[Path], T]) -> T | None:
        """Return what `read` finds in the model's folder; InputError if that is another model's by now."""
        return self.place.read(read) if self.place else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a loaded model as its path, and one that was never saved as a whole."""
        if self.place:
            make = partial(Model.load, self.place.folder.resolve(), not self.decisions, self.place.archive)
        else:
            make = partial(Model, dict(self.learned_arrays), self.vocabulary, self.info, self.decisions)
        tree = None if self.place else self._learned_tree
        return _restored, (make, tree, self.resolution, self.context.context_weights, self.context.window)

    @cached_property
    def sheet(self) -> Sheet | None:
        """The sense sheet that `adagram describe` wrote; None if there is none.

        >>> model.sheet is None
        True
        """
        return self._read(Sheet.of)

    @cached_property
    def trends(self) -> KeptTrends | None:
        """The counts of the last `adagram trends`; None if there are none.

        >>> model.trends is None
        True
        """
        from adagram.model.trends import read_trends

        return self._read(read_trends)

    @cached_property
    def _continuation(self) -> Continuation:
        """What `train --continue` needs beside the learned senses; a compact model has none of it."""
        if "dtype" in self.info:
            return Continuation(None, {})
        rest = self._read(lambda folder: storage.read_rest(folder, self.vocabulary.checksum))
        return Continuation(rest, self._read(read_unknown) or {})

    def to_gensim(self, blended: bool = False) -> Any:
        """Return gensim KeyedVectors with a key per sense ('apple#0') and the attributes `count` and `prior`.

        Parameters
        ----------
        blended
            Give the unit vectors by which `similarity` compares senses, not the learned ones.

        Examples
        --------
        >>> "bank#1" in model.to_gensim()
        True
        """
        return keyed_vectors(self, blended)

    # -- an editor's decisions

    @cached_property
    def _learned(self) -> Model:
        """The model without an editor's decisions, at full resolution."""
        return self if self.curation is None else self._changed(decisions=(), level=None)

    def decide(self, line: str) -> Model:
        """Add a decision to the journal of the model folder; return the model that follows it.

        Parameters
        ----------
        line
            A line of the journal: `merge bank 0 2`, `label bank#1 side of a river`, `hide rock#5` or `undo`.
            InputError if it cannot be followed, or if the folder cannot be written to.

        Examples
        --------
        >>> named = model.decide("label bank#1 side of a river")
        """
        return edits.decide(self, line)

    # -- semantic resolution

    def at(self, resolution: Resolution) -> Model:
        """Return the same model with coarser or finer senses.

        Senses of a word that are as alike as the resolution are one sense. It has the sum of their priors, counts and
        posteriors, and the number of the first of them: 'apple#1' at "coarse" may consist of 'apple#1' and 'apple#3'
        at "fine", and 'apple#3' is another name for it.

        Parameters
        ----------
        resolution
            "fine": senses as they were learned; "medium"; "coarse"; or a number from 0, one sense per word, to 1,
            fine. An editor's decisions hold at every level, and `save` writes all learned senses.

        Examples
        --------
        >>> [sense.name for sense in model.at(resolution=0).senses("bank")]
        ['bank#0']
        >>> model.at("coarse").at("fine").n_senses == model.n_senses
        True
        """
        threshold = threshold_of(resolution)
        if threshold == self.resolution:
            return self
        return self._changed(level=Level(self._merge_tree, threshold) if threshold < 1.0 else None)

    @cached_property
    def _merge_tree(self) -> MergeTree:
        """The tree by which the learned senses of each word merge."""
        if self._level:
            return self._level.tree
        return self._learned_tree or resolution.merge_tree(self.learned_arrays)

    @cached_property
    def _learned_tree(self) -> MergeTree | None:
        """The tree that training has measured in its text; None if senses were not merged there."""
        offsets, checksum = self.learned_arrays["offsets"], self.vocabulary.checksum
        return self._read(lambda folder: resolution.read_tree(folder, offsets, checksum))

    # -- words and the names of senses

    def tokenize(self, text: str | Iterable[str]) -> list[str]:
        """Cut a text into words as the training corpus was.

        Parameters
        ----------
        text
            A text (str), or an iterable of words, which stay as they are. If the model's words are lemmas, words that
            it does not know are lemmatized.

        Examples
        --------
        >>> model.tokenize("A loan of the Bank.")
        ['a', 'loan', 'of', 'the', 'bank']
        """
        return self._words.tokenize(text)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.vocabulary)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words, the most frequent first; words of continued runs come after the others."""
        return iter(self.vocabulary.words)

    def __contains__(self, name: object) -> bool:
        """Return whether it has a word, or a sense such as 'apple#1'."""
        if not isinstance(name, str):
            return False
        numbered = self._word_and_number(name)
        if name in self.vocabulary or numbered is None:
            return self._words.find(name) is not None
        try:
            return self._words.find(numbered[0]) is not None and self.row(name) >= 0
        except UnknownWordError:
            return False

    def _word_and_number(self, name: str) -> tuple[str, int] | None:
        """Return word and number of the name of a sense ('apple#1'); None for a word."""
        word, mark, number = checked_text(name, "sense", "the name of a sense, such as 'apple#1'").rpartition("#")
        if not mark or not number.isdecimal() or len(number) > _MAX_DIGITS:
            return None
        return (word, int(number)) if word in self.vocabulary or name not in self.vocabulary else None

    def rows(self, word: str) -> slice:
        """Return the rows of the senses of a word, for `names`, `vectors`, `priors` and `counts`.

        >>> model.names(model.rows("bank"))
        ['bank#0', 'bank#1']
        """
        w = self.vocabulary.index[self._words.known(word)]
        return slice(int(self.offsets[w]), int(self.offsets[w + 1]))

    def row(self, sense: str) -> int:
        """Return the row of a sense such as 'apple#1', or of a word with one sense.

        >>> model.row("bank#1") == model.rows("bank").start + 1
        True
        """
        numbered = self._word_and_number(sense)
        if numbered is None:
            rows = self.rows(sense)
            if rows.stop - rows.start > 1:
                names = ", ".join(self.names(rows))
                raise UnknownWordError(f"'{sense}' has several senses; choose one of {names}")
            return int(rows.start)
        (word, number), offsets = numbered, self.learned_arrays["offsets"]
        w = self.vocabulary.index[self._words.known(word)]
        if number >= offsets[w + 1] - offsets[w]:
            names = ", ".join(self.names(self.rows(word)))
            raise UnknownWordError(f"there is no '{word}#{number}'; the senses of '{word}' are {names}")
        learned = int(offsets[w]) + number
        row = int(self.curation.row_of[learned]) if self.curation else learned
        if row < 0:
            raise UnknownWordError(f"'{word}#{number}' is hidden; load the model with raw=True to see all senses")
        return row

    def names(self, rows: slice | NDArray[np.int64] | Sequence[int]) -> list[str]:
        """Return the names of sense rows, a slice, an array or a list: 'apple#0', 'apple#1', …

        >>> model.names(model.rows("bank"))
        ['bank#0', 'bank#1']
        """
        at = np.arange(self.n_senses)[rows] if isinstance(rows, slice) else places(rows, self.n_senses, "sense rows")
        words = np.searchsorted(self.offsets, at, side="right") - 1
        numbers = self.curation.numbers[at] if self.curation else at - self.offsets[words]
        return [f"{self.vocabulary.words[w]}#{k}" for w, k in zip(words.tolist(), numbers.tolist(), strict=True)]

    # -- senses, vectors, neighbours

    def __repr__(self) -> str:
        several = int((np.diff(self.offsets) > 1).sum())
        return (
            f"<adagram.Model: {len(self):,} words, {self.n_senses:,} senses, {several:,} words with several, "
            f"{self.config.algorithm}, dim {self.config.dim}>"
        )

    def _repr_html_(self) -> str:
        return as_html(self)

    def senses(self, word: str, top: int = 10, min_count: float = 1.0) -> Senses:
        """Return the senses of a word in stick order, each with its nearest senses of other words.

        A notebook shows them as cards, the most frequent sense first.

        Parameters
        ----------
        word
            A word, or one sense of it, such as 'apple#1'.
        top
            The number of neighbours of each sense.
        min_count
            The least count of a neighbour.

        Examples
        --------
        >>> [sense.name for sense in model.senses("bank")], model.senses("bank#1")[0].name
        (['bank#0', 'bank#1'], 'bank#1')
        """
        one = self.row(word) if self._word_and_number(word) else None
        rows = self.rows(word) if one is None else slice(one, one + 1)
        found = nearest(self, np.arange(rows.start, rows.stop), top, min_count)
        senses = (
            Sense(name, float(self.priors[row]), float(self.counts[row]), neighbours, label_of(self, row))
            for name, row, neighbours in zip(
                self.names(rows), range(rows.start, rows.stop), self._neighbours(found), strict=True
            )
        )
        return Senses(senses, self)

    def frame(self, word: str | None = None, top: int = 10) -> Any:
        """Return a pandas table with a row per sense.

        Parameters
        ----------
        word
            One word, with the names of its `top` neighbours; without it all words, without neighbours.
        top
            The number of neighbours.

        Examples
        --------
        >>> model.frame("bank").columns.to_list()
        ['word', 'prior', 'count', 'label', 'neighbours']
        """
        return frame_of(self, word, top)

    def neighbours(self, sense: str, top: int = 10, min_count: float = 1.0) -> list[Neighbour]:
        """Return the nearest senses of other words, one of each word, exactly.

        Neighbours are seen in the light of their words: each by the blend of its vector with the mean direction of its
        word's senses, and the sense that is asked for by its own vector. Words that are frequent and unspecific, and
        numbers, are neighbours of their kind only.

        Parameters
        ----------
        sense
            A sense such as 'apple#1', or a word with one sense.
        top
            The number of neighbours.
        min_count
            The least count of a neighbour.

        Examples
        --------
        >>> [neighbour.name for neighbour in model.neighbours("money", top=2)]
        ['...#0', '...#0']
        """
        return self._neighbours(nearest(self, np.array([self.row(sense)]), top, min_count))[0]

    def most_similar(
        self,
        positive: Query | Iterable[Query] = (),
        negative: Query | Iterable[Query] = (),
        topn: int = 10,
        min_count: float = 1.0,
        how: str = "best",
        context: OneContext | None = None,
    ) -> list[tuple[str, float]]:
        """Return the nearest senses of other words as pairs of name and cosine, as gensim does.

        Neighbours are seen as in `neighbours`. Several queries are added up, each of length one.

        Parameters
        ----------
        positive, negative
            What to be near to and far from: a sense such as 'apple#1', a word, a vector (dim,), or a list of these.
        topn, min_count
            As `top` and `min_count` of `neighbours`.
        how
            What a word with several senses stands for. "best": each of its senses that is not marginal, and the
            nearest to any of them are found; "mean": the mean of its senses by their priors. In a sum it is always
            the mean.
        context
            The context of a single word, as `disambiguate` takes it: "best" is then its likeliest sense, and "mean"
            weighs the senses by their posterior.

        Examples
        --------
        >>> model.most_similar("money", topn=1)
        [('...#0', ...)]
        >>> model.most_similar("bank", context="a fish in the river") == model.most_similar("bank#1")
        True
        >>> len(model.most_similar(["loan", model["bank#1"]], negative="money", topn=3))
        3
        """
        return find_similar(self, positive, negative, topn, min_count, how, context)

    def _neighbours(self, found: list[tuple[I64, Floats]]) -> list[list[Neighbour]]:
        return [
            [Neighbour(n, s) for n, s in zip(self.names(rows), values.tolist(), strict=True)] for rows, values in found
        ]

    @cached_property
    def _blend(self) -> Blend:
        return blend_of(self)

    def similarity(
        self,
        first: str,
        second: str,
        how: str = "best",
        contexts: tuple[OneContext | None, OneContext | None] = (None, None),
    ) -> float:
        """Return the cosine of two senses or words, both in the light of their words.

        Each is the blend of its learned vector with the mean direction of its word's senses, which is closer to human
        judgements; the cosines of `neighbours` blend the neighbour only.

        Parameters
        ----------
        first, second
            Senses such as 'apple#1', or words.
        how
            For words with several senses. "best": the two nearest senses, or the likeliest in their contexts;
            "mean": the expected cosine, senses weighted by their priors, or by their posteriors in the contexts.
        contexts
            A context for each word, as `disambiguate` takes it; None for a sense or a word without context.

        Examples
        --------
        >>> round(model.similarity("bank#0", "bank#0"), 3)
        1.0
        >>> model.similarity("bank", "river") >= model.similarity("bank", "river", how="mean")
        True
        >>> in_context = model.similarity("bank", "river", contexts=("a fish in the _", None))
        >>> in_context == model.similarity("bank#1", "river")
        True
        """
        return compare(self, first, second, how, contexts)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """The learned vectors by row, (n_senses, dim).

        >>> model.vectors.shape == (model.n_senses, 16)
        True
        """
        return self.arrays["vectors"][:, : self.config.dim]

    def __getitem__(self, sense: str) -> NDArray[np.float32]:
        """Return `vector(sense)`."""
        return self.vector(sense)

    def vector(self, sense: str) -> NDArray[np.float32]:
        """Return a copy of the learned vector of a sense, (dim,); `model[sense]` is the same.

        >>> model.vector("bank#1").shape
        (16,)
        """
        return np.array(self.vectors[self.row(sense)])

    def word_vector(self, word: str) -> NDArray[np.float32]:
        """Return the mean of a word's sense vectors, weighted by their priors, (dim,).

        >>> model.word_vector("bank").shape
        (16,)
        """
        rows = self.rows(word)
        return np.asarray(self.priors[rows] @ self.vectors[rows], dtype=np.float32)

    # -- prediction

    def using(self, context_weights: str = "kept", window: int | None = None) -> Model:
        """Return the same model with another definition of contexts; it shares all arrays with this one.

        Parameters
        ----------
        context_weights
            "kept": each context word counts by its probability of being kept in training; "none": each counts one.
        window
            The weight of a full side of a context; the model's own window if it is None.

        Examples
        --------
        >>> model.using(context_weights="none", window=3).context.window
        3
        """
        other = Model.__new__(Model)  # shares all that is read or computed, but for the predictor
        other.__dict__ |= {name: value for name, value in vars(self).items() if name != "predictor"}
        other.context = Context(self._words, self.config, context_weights, window)
        return other

    @cached_property
    def predictor(self) -> Predictor:
        """Posteriors and likelihood for word ids, see `adagram.model.predict.Predictor`.

        >>> model.predictor.likelihood(model.vocabulary.ids(["loan", "bank"])).words
        2
        """
        is_tree = "steps" in self.learned_arrays
        return (predict.TreePredictor if is_tree else predict.ClusterPredictor)(self, self.context)

    def disambiguate(self, word: str, context: OneContext) -> Posterior:
        """Return the posterior over the senses of `word` in one context, Eq. (8).

        The word itself is not part of its context. If `context` has a lone _ that stands for the word, or the word
        itself, that is its place, and the context are the words on each side that the window takes. Of several such
        places the one nearest to the middle of the text is taken. A context without a place is used as a whole.

        Parameters
        ----------
        word
            A word of the vocabulary, in any spelling.
        context
            A text (str), which is cut into words as the training corpus was; an iterable of words, which are taken as
            they are; or `Sides`, the text before and after the word. Words that the model does not know are left out.

        Raises
        ------
        UnknownWordError
            If the model does not know `word`.
        InputError
            If `context` is something else, or has a str with white space in it in place of a word.

        Examples
        --------
        >>> found = model.disambiguate("bank", "the _ of the river")
        >>> found.names, found.best
        (['bank#0', 'bank#1'], 'bank#1')
        """
        return predict.posterior_in(self, word, context)

    @overload
    def disambiguate_batch(
        self, words: str | Iterable[str], contexts: Iterable[OneContext], unknown: Literal["raise", "prior"] = ...
    ) -> list[Posterior]: ...
    @overload
    def disambiguate_batch(
        self, words: str | Iterable[str], contexts: Iterable[OneContext], unknown: str
    ) -> list[Posterior | None]: ...
    def disambiguate_batch(
        self, words: str | Iterable[str], contexts: Iterable[OneContext], unknown: str = "raise"
    ) -> Any:
        """Return what `disambiguate` does for many words, each in its own context, at once.

        Parameters
        ----------
        words
            A word for every context; or one word (str), for all of them.
        contexts
            An iterable of contexts, each as `disambiguate` takes one: a str is a text, and a list of str is words.
        unknown
            What becomes of an unknown word. "raise": UnknownWordError; "skip": it has None in place of a posterior;
            "prior": it has one sense, of probability one, as the prior of a word that was never seen.

        Examples
        --------
        >>> found = model.disambiguate_batch(["bank", "bank"], ["river", ["loan", "cash"]])
        >>> len(found) == len(model.disambiguate_batch("bank", ["river", "loan"]))
        True
        >>> model.disambiguate_batch(["bnak"], ["river"], unknown="skip")
        [None]
        """
        return predict.posteriors_in(self, words, contexts, unknown)

    @overload
    def annotate(self, text: str, unknown: str = "none") -> list[Token]: ...  # type: ignore[overload-overlap]
    @overload
    def annotate(self, text: Iterable[str | Iterable[str]], unknown: str = "none") -> Iterator[list[Token]]: ...
    def annotate(
        self, text: str | Iterable[str | Iterable[str]], unknown: str = "none"
    ) -> list[Token] | Iterator[list[Token]]:
        """Return every word of a text, spelled as the training corpus was, with its likeliest sense.

        The result is a list of `Token`; of many texts, an iterator with such a list per text.

        Parameters
        ----------
        text
            A text (str), or an iterable of texts, each a str or a list of words. An iterable, which may be endless,
            is read in batches as the results are taken.
        unknown
            What becomes of a word that the model does not know. "none": a token without sense and vector; "skip":
            it is left out; "raise": UnknownWordError.

        Examples
        --------
        >>> [(token.word, token.sense) for token in model.annotate("the river bank")]
        [('the', None), ('river', 'river#0'), ('bank', 'bank#1')]
        >>> for tokens in model.annotate(["a bank loan", "the river bank"], unknown="skip"):
        ...     print([token.sense for token in tokens])
        ['bank#0', 'loan#0']
        ['river#0', 'bank#1']
        """
        return predict.annotate_texts(self, text, unknown)

    def encode(self, texts: str | Iterable[str | Iterable[str]]) -> NDArray[np.float32]:
        """Return the vector of a sentence, or of each of many: the mean of its words' sense vectors.

        Parameters
        ----------
        texts
            A text (str), or an iterable of texts, each a str or a list of words. Every word is taken in its likeliest
            sense; words that the model does not know are left out, and a text without known words gives zeros.

        Examples
        --------
        >>> model.encode("the river bank").shape, model.encode(["the river bank", "a loan"]).shape
        ((16,), (2, 16))
        """
        if isinstance(texts, str):
            return np.asarray(predict.encode_texts(self, [texts])[0])
        return predict.encode_texts(self, listed(texts, "texts", "a text (str) or a list of texts"))

    def log_likelihood(self, text: str | Iterable[str]) -> float:
        """Return Eq. (9) per context word of one text: the mean of log Σ_k E[π_k] p(y_j | w, k) over its windows.

        The sum is over all sticks: one that has not been learned predicts as at its birth, each turn of a path by 1/2.

        Parameters
        ----------
        text
            A text (str) or an iterable of words; at least two of them must be known.

        Examples
        --------
        >>> model.log_likelihood("loan cash bank credit") < 0
        True
        """
        return self.predictor.likelihood(self.context.ids(text)).per_word


def _restored(make: Callable[[], Model], tree: MergeTree | None, resolution: float, *context: Any) -> Model:
    model = make()
    if tree is not None:
        model._learned_tree = tree
    return model.at(resolution).using(*context)
