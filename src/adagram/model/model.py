"""`Model`: what users hold. Open it, look at its senses, tell them apart in text."""

from __future__ import annotations

import shutil
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.languages import make_lemmatizer
from adagram.corpus.tokenize import Tokenizer, TokenizerConfig, make_tokenizer
from adagram.corpus.vocabulary import Vocabulary, read_unknown, write_unknown
from adagram.errors import InputError, UnknownWordError, need
from adagram.files.atomic import new_folder
from adagram.files.folders import MODEL
from adagram.model import storage
from adagram.model.arguments import checked, checked_path, checked_text, listed, places
from adagram.model.compact import COMPACT, Expanded, compact, frequent_words
from adagram.model.context import Context, OneContext, read_context
from adagram.model.display import Sense, Senses, as_html, frame_of, model_card, one_line, renew_card
from adagram.model.edits import (
    CuratedArrays,
    CuratedPredictor,
    Curation,
    Decision,
    Journal,
    append_line,
    parse_journal,
    write_journal,
)
from adagram.model.neighbours import (
    Blend,
    Neighbour,
    Query,
    blend_of,
    blended_vectors,
    compare,
    find_similar,
    nearest,
)
from adagram.model.predict import (
    Posterior,
    Predictor,
    Token,
    annotate_texts,
    encode_texts,
    occurrences,
    predictor_of,
)
from adagram.model.resolution import (
    Level,
    MergeTree,
    Resolution,
    merge_tree,
    read_tree,
    threshold_of,
    write_tree,
)
from adagram.model.sheet import PACKED_SHEET, SHEET, Sheet
from adagram.model.storage import JOURNAL, REST, Place, finite, read_folder, read_journal, read_rest
from adagram.options import IntRange, OneOf, spelled
from adagram.types import I64, ArrayMap, Floats

if TYPE_CHECKING:
    from adagram.model.index import Index
    from adagram.model.trends import KeptTrends

# What `describe`, `trends` and `serve` add to a model folder.
_COPIED = (SHEET, PACKED_SHEET, "trends.npz", "layout.npz")
_TEXT = "a text (str) or a list of words"
_MAX_DIGITS = 9  # of the number of a sense
T = TypeVar("T")


class Continuation(NamedTuple):
    """What `train --continue` needs beside the learned senses."""

    rest: ArrayMap | None  # unlearned sticks, see `adagram.model.storage`; None if they were not kept
    unknown: dict[str, int]  # words that were too rare to be learned, with their counts


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
        self.curation = Curation(arrays["offsets"], decisions, level) if decisions or level else None
        self.arrays = arrays = CuratedArrays(arrays, self.curation) if self.curation else arrays
        self.place, self.folder = place, place.folder if place else None
        self.vocabulary, self.info = vocabulary, info
        self.config = TrainConfig.from_dict(info["config"])
        self.offsets: I64 = arrays["offsets"]
        self.priors: Floats = arrays["priors"]
        self.counts: Floats = occurrences(self)
        self.n_senses = len(self.counts)
        self.context = Context(vocabulary, self.config, self.tokenize)
        self._index: Index | None = None  # of programs that search often

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

        Raises
        ------
        InputError
            If the folder is not a model or is damaged.

        Examples
        --------
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

    def save(self, folder: str | Path, overwrite: bool = False, dtype: str | None = None) -> None:
        """Write the model folder, complete or not at all.

        Parameters
        ----------
        folder
            The folder to make.
        overwrite
            Replace a model that is there.
        dtype
            "int8" or "float16" writes a compact model, about a quarter or half of the size: it is for use and cannot
            be continued. None keeps the type of this one.

        Raises
        ------
        InputError
            If the folder exists, or cannot be written.

        Examples
        --------
        >>> model.save("copy")
        >>> model.save("small", dtype="int8")
        """
        model = self if dtype is None else compact_model(self, dtype)
        with new_folder(checked_path(folder, "folder"), MODEL, overwrite) as made:
            write_model(model, made)

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
    def continuation(self) -> Continuation:
        """What `train --continue` needs beside the learned senses; a compact model has none of it.

        >>> model.continuation.unknown
        {}
        """
        if "dtype" in self.info:
            return Continuation(None, {})
        rest = self._read(partial(read_rest, vocabulary=self.vocabulary.checksum))
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
        gensim = need("gensim.models.keyedvectors", "gensim", "to_gensim")
        keyed = gensim.KeyedVectors(self.config.dim)
        vectors = blended_vectors(self) if blended else np.array(self.vectors)  # a copy: gensim may change it
        keyed.add_vectors(self.names(slice(0, self.n_senses)), finite(vectors))
        for attribute, values in (("count", self.counts), ("prior", self.priors)):
            keyed.allocate_vecattrs([attribute], [np.float64])
            keyed.expandos[attribute][:] = values
        return keyed

    # -- an editor's decisions

    @cached_property
    def learned(self) -> Model:
        """The model without an editor's decisions: its senses as they were learned.

        >>> model.learned is model
        True
        """
        if self.curation is None:
            return self
        return self._share_tree(Model(self.learned_arrays, self.vocabulary, self.info, (), self.place))

    def decide(self, line: str) -> Model:
        """Add a decision to the journal of the model folder; return the model that follows it.

        Parameters
        ----------
        line
            A line of the journal: `merge bank 0 2`, `label bank#1 side of a river`, `hide rock#5` or `undo`.

        Raises
        ------
        InputError
            If the line cannot be followed or the folder cannot be written to.

        Examples
        --------
        >>> named = model.decide("label bank#1 side of a river")
        """
        check_writable(self)
        assert self.place is not None
        place = self.place
        line = " ".join(checked_text(line, "line", "a decision (str)").split())
        made: list[Model] = []

        def check(text: str) -> None:
            """Follow the line after the decisions as they are now, under the journal's lock."""
            place.check()
            journal = self._followed(text)
            if line == "undo" and journal.decisions[-1:] != list(self.decisions[-1:]):
                raise InputError("another decision was taken meanwhile; look again before you undo it")
            journal.follow(line)
            made.append(self._decided(journal.decisions))

        append_line(place.folder / JOURNAL, line, check)
        place.check()
        decided = made[0]
        try:
            if decided.sheet:
                renew_card(decided, place.folder / storage.CARD)
        except (OSError, InputError) as error:
            warnings.warn(f"the decision is kept, but the model card was not renewed: {error}", stacklevel=2)
        return decided

    def _followed(self, text: str) -> Journal:
        """Return the decisions of a journal's text about this model."""
        learned = self.learned
        path = (self.folder or Path()) / JOURNAL
        return parse_journal(text, path, learned.learned_arrays["offsets"], learned.row)

    def _decided(self, decisions: Sequence[Decision]) -> Model:
        """Return the same model with these decisions."""
        if not decisions and self.curation is None:
            return self
        return self._share_tree(
            Model(self.learned_arrays, self.vocabulary, self.info, decisions, self.place, self._level)
        )

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
        level = Level(self._merge_tree, threshold) if threshold < 1.0 else None
        other = Model(self.learned_arrays, self.vocabulary, self.info, self.decisions, self.place, level)
        return self._share_tree(other).using(self.context.context_weights, self.context.window)

    @cached_property
    def _merge_tree(self) -> MergeTree:
        """The tree by which the learned senses of each word merge."""
        if self._level:
            return self._level.tree
        return self._learned_tree or merge_tree(self.learned_arrays)

    def _share_tree(self, other: Model) -> Model:
        """Return a model of the same senses with the tree of this one, if it has been read."""
        if "_learned_tree" in vars(self):
            other._learned_tree = self._learned_tree
        return other

    @cached_property
    def _learned_tree(self) -> MergeTree | None:
        """The tree that training has measured in its text; None if senses were not merged there."""
        offsets, checksum = self.learned_arrays["offsets"], self.vocabulary.checksum
        return self._read(lambda folder: read_tree(folder, offsets, checksum))

    # -- words and the names of senses

    @cached_property
    def _tokenizer_config(self) -> TokenizerConfig:
        return TokenizerConfig.from_dict(self.info.get("tokenizer") or {})

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return make_tokenizer(self._tokenizer_config, self.vocabulary.index)

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
        if isinstance(text, str):
            return self._tokenizer(text)
        words, config, index = listed(text, "text", _TEXT), self._tokenizer_config, self.vocabulary.index
        for word in words:
            if not isinstance(word, str) or (word not in index and len(word.split()) > 1):
                checked_text(word, "a word of the text", _TEXT)
                raise InputError(
                    f"{spelled(word)} has white space in it and stands in a list of words; a list of str is the words "
                    "of one text: give a text as a str, and many of them one by one or to disambiguate_batch"
                )
        if not config.lemmas:
            return words
        lemma = make_lemmatizer(config.lemmas, bool(config.fold_case))
        return [word if word in index else lemma(word) for word in words]

    def known(self, word: str) -> str:
        """Return a word as the vocabulary spells it: as it stands, or tokenized as in training.

        An unknown word is an UnknownWordError, whose message has near spellings.

        >>> model.known("Bank")
        'bank'
        """
        found = self._found(checked_text(word, "word"))
        if found is None:
            tokens = self.tokenize(word)
            raise self.vocabulary.unknown(word, tokens[0] if len(tokens) == 1 else word)
        return found

    def _found(self, word: str) -> str | None:
        if word in self.vocabulary:
            return word
        tokens = self.tokenize(word)
        return tokens[0] if len(tokens) == 1 and tokens[0] in self.vocabulary else None

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
            return self._found(name) is not None
        try:
            return self._found(numbered[0]) is not None and self.row(name) >= 0
        except UnknownWordError:
            return False

    def _word_and_number(self, name: str) -> tuple[str, int] | None:
        """Return word and number of the name of a sense ('apple#1'); None for a word."""
        word, mark, number = checked_text(name, "sense", "the name of a sense, such as 'apple#1'").rpartition(
            "#"
        )
        if not mark or not number.isdecimal() or len(number) > _MAX_DIGITS:
            return None
        return (word, int(number)) if word in self.vocabulary or name not in self.vocabulary else None

    def rows(self, word: str) -> slice:
        """Return the rows of the senses of a word, for `names`, `vectors`, `priors` and `counts`.

        >>> model.names(model.rows("bank"))
        ['bank#0', 'bank#1']
        """
        w = self.vocabulary.index[self.known(word)]
        return slice(int(self.offsets[w]), int(self.offsets[w + 1]))

    def row(self, sense: str) -> int:
        """Return the row of a sense such as 'apple#1', or of a word with one sense.

        >>> model.row("bank#1") == model.rows("bank").start + 1
        True
        """
        numbered = self._word_and_number(sense)
        if numbered:
            return self._row_of(*numbered)
        rows = self.rows(sense)
        if rows.stop - rows.start > 1:
            names = ", ".join(self.names(rows))
            raise UnknownWordError(f"'{sense}' has several senses; choose one of {names}")
        return int(rows.start)

    def _row_of(self, word: str, number: int) -> int:
        """Return the row of a sense by its learned number; a merged sense has the numbers of all its members."""
        offsets = self.learned_arrays["offsets"]
        w = self.vocabulary.index[self.known(word)]
        n = int(offsets[w + 1] - offsets[w])
        if number >= n:
            names = ", ".join(self.names(self.rows(word)))
            raise UnknownWordError(f"there is no '{word}#{number}'; the senses of '{word}' are {names}")
        learned = int(offsets[w]) + number
        row = int(self.curation.row_of[learned]) if self.curation else learned
        if row < 0:
            raise UnknownWordError(
                f"'{word}#{number}' is hidden; load the model with raw=True to see all senses"
            )
        return row

    def names(self, rows: slice | NDArray[np.int64] | Sequence[int]) -> list[str]:
        """Return the names of sense rows, a slice, an array or a list: 'apple#0', 'apple#1', …

        >>> model.names(model.rows("bank"))
        ['bank#0', 'bank#1']
        """
        at = (
            np.arange(self.n_senses)[rows]
            if isinstance(rows, slice)
            else places(rows, self.n_senses, "sense rows")
        )
        words = np.searchsorted(self.offsets, at, side="right") - 1
        numbers = self.curation.numbers[at] if self.curation else at - self.offsets[words]
        return [
            f"{self.vocabulary.words[w]}#{k}" for w, k in zip(words.tolist(), numbers.tolist(), strict=True)
        ]

    def label(self, row: int) -> str:
        """Return what the sense of a row means: an editor's label, else that of the sense sheet, else "".

        >>> model.label(model.row("bank#1"))
        ''
        """
        if not isinstance(row, int | np.integer) or not 0 <= row < self.n_senses:
            raise InputError(f"row is {spelled(row)}; the rows of senses are from 0 to {self.n_senses - 1}")
        if self.curation and row in self.curation.labels:
            return self.curation.labels[row]
        entry = self.sheet.entry(self, row) if self.sheet else None
        return entry.label if entry else ""

    # -- senses, vectors, neighbours

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def senses(self, word: str, top: int = 10, min_count: float = 1.0) -> Senses:
        """Return the senses of a word, each with its nearest senses of other words.

        Parameters
        ----------
        word
            A word, or one sense of it, such as 'apple#1'.
        top
            The number of neighbours of each sense.
        min_count
            The least count of a neighbour.

        Returns
        -------
        list of Sense
            In stick order; cards in a notebook, the most frequent sense first.

        Examples
        --------
        >>> [sense.name for sense in model.senses("bank")], model.senses("bank#1")[0].name
        (['bank#0', 'bank#1'], 'bank#1')
        """
        one = self.row(word) if self._word_and_number(word) else None
        rows = self.rows(word) if one is None else slice(one, one + 1)
        found = nearest(self, np.arange(rows.start, rows.stop), top, min_count)
        senses = (
            Sense(name, float(self.priors[row]), float(self.counts[row]), neighbours, self.label(row))
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
            [Neighbour(n, s) for n, s in zip(self.names(rows), values.tolist(), strict=True)]
            for rows, values in found
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
        other.context = Context(self.vocabulary, self.config, self.tokenize, context_weights, window)
        return other

    @cached_property
    def predictor(self) -> Predictor:
        """Posteriors and likelihood for word ids, see `adagram.model.predict.Predictor`.

        >>> model.predictor.likelihood(model.vocabulary.ids(["loan", "bank"])).words
        2
        """
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

    @overload
    def disambiguate_batch(
        self,
        words: str | Iterable[str],
        contexts: Iterable[OneContext],
        unknown: Literal["raise", "prior"] = ...,
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
            An iterable (a list, a pandas Series, a generator, …) of contexts, each as `disambiguate` takes one: a str
            is a text, even if it has one word only, and a list of str is words.
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
        if checked(unknown, "unknown", OneOf(("raise", "skip", "prior"))) != "raise":
            is_known = [self._found(checked_text(word, "word")) is not None for word in asked]
            of_known = iter(
                self.disambiguate_batch(list(compress(asked, is_known)), list(compress(given, is_known)))
            )
            return [
                next(of_known) if is_in else None if unknown == "skip" else Posterior.of(np.ones(1), word, 0)
                for word, is_in in zip(asked, is_known, strict=True)
            ]
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
        """Return the numbers of a word's senses if a decision has left gaps in them."""
        return self.curation.numbers[self.rows(word)].tolist() if self.curation else None

    @overload
    def annotate(self, text: str, unknown: str = "none") -> list[Token]: ...  # type: ignore[overload-overlap]
    @overload
    def annotate(
        self, text: Iterable[str | Iterable[str]], unknown: str = "none"
    ) -> Iterator[list[Token]]: ...
    def annotate(
        self, text: str | Iterable[str | Iterable[str]], unknown: str = "none"
    ) -> list[Token] | Iterator[list[Token]]:
        """Return every word of a text with its likeliest sense; of many texts, an iterator.

        Parameters
        ----------
        text
            A text (str), or an iterable of texts, each a str or a list of words. An iterable, which may be endless,
            is read in batches as the results are taken.
        unknown
            What becomes of a word that the model does not know. "none": a token without sense and vector; "skip":
            it is left out; "raise": UnknownWordError.

        Returns
        -------
        list of Token, or an iterator with such a list per text
            With `word`, `sense`, `probability` and `vector`, in the order of the text. `word` is spelled as the
            training corpus was.

        Examples
        --------
        >>> [(token.word, token.sense) for token in model.annotate("the river bank")]
        [('the', None), ('river', 'river#0'), ('bank', 'bank#1')]
        >>> for tokens in model.annotate(["a bank loan", "the river bank"], unknown="skip"):
        ...     print([token.sense for token in tokens])
        ['bank#0', 'loan#0']
        ['river#0', 'bank#1']
        """
        return annotate_texts(self, text, unknown)

    def encode(self, texts: str | Iterable[str | Iterable[str]]) -> NDArray[np.float32]:
        """Return the vector of a sentence, or of each of many: the mean of its words' sense vectors.

        Parameters
        ----------
        texts
            A text (str), or an iterable of texts, each a str or a list of words. Every word is taken in its likeliest
            sense; words that the model does not know are left out.

        Returns
        -------
        array of float32, (dim,) or (n_texts, dim)
            Zero for a text without known words.

        Examples
        --------
        >>> model.encode("the river bank").shape, model.encode(["the river bank", "a loan"]).shape
        ((16,), (2, 16))
        """
        if isinstance(texts, str):
            return np.asarray(encode_texts(self, [texts])[0])
        return encode_texts(self, listed(texts, "texts", "a text (str) or a list of texts"))

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


def blended_model(model: Model) -> Model:
    """Return a model with the vectors by which senses are compared in place of the learned ones, for exports."""
    vectors = np.zeros_like(model.arrays["vectors"])
    vectors[:, : model.config.dim] = blended_vectors(model)
    changed = {"vectors": vectors, "norms": np.ones(model.n_senses, np.float32)}
    return Model({**model.arrays, **changed}, model.vocabulary, model.info)


def compact_model(model: Model, dtype: str) -> Model:
    """Return the same model, to be written with rows of another type, see `adagram.model.compact`."""
    own = model.info.get("dtype", "float32")
    checked(dtype, "dtype", OneOf((*COMPACT, "float32")))
    if dtype == own:
        return model
    if own != "float32":
        raise InputError(f"the model is {own} already; make the {dtype} model from the one that was trained")
    info = model.info | {"dtype": dtype}
    return model._share_tree(
        Model(model.learned_arrays, model.vocabulary, info, model.decisions, model.place)
    )


def model_of_frequent(model: Model, max_words: int) -> Model:
    """Return a model in memory of the most frequent words only; the others become unknown."""
    max_words = checked(max_words, "max_words", IntRange(2, 10**9))
    counts = np.asarray(model.vocabulary.counts)
    kept = np.sort(np.argsort(-counts, kind="stable")[:max_words])
    words = Vocabulary([model.vocabulary.words[w] for w in kept.tolist()], counts[kept])
    # Relative frequencies are among fewer words now: this keeps the weight of each.
    subsample = model.config.subsample * float(counts.sum() / words.counts.sum())
    info = model.info | {"config": model.info["config"] | {"subsample": subsample}}
    cut = Model(frequent_words(model.learned_arrays, kept), words, info)
    cut._learned_tree = model._learned_tree and model._learned_tree.of_words(
        model.learned_arrays["offsets"], kept
    )
    names = model.learned.names
    decisions = [
        Decision(old.verb, tuple(map(cut.row, names(old.rows))), old.label)
        for old in model.decisions
        if names(old.rows)[0] in cut
    ]
    return cut._decided(decisions)


def refreshed(model: Model) -> Model:
    """Return the model with the journal as it is now: another process may have added decisions."""
    text = model._read(read_journal)
    return model if text is None else model._decided(model._followed(text).decisions)


def check_writable(model: Model) -> None:
    """Raise InputError if decisions, a sense sheet or trends cannot be written to the folder of a model."""
    if model.place is None:
        raise InputError("the model is in memory only; save it first and load it")
    model.place.check_writable()


def write_model(model: Model, folder: Path) -> None:
    """Write the files of a model into an existing folder."""
    arrays, dtype = model.learned_arrays, model.info.get("dtype")
    if isinstance(arrays, Expanded):
        arrays = arrays.stored
    elif dtype:
        arrays = compact(arrays, dtype, model.config.dim)
    storage.write_arrays(folder / storage.ARRAYS, arrays, model.vocabulary.checksum)
    if model.continuation.rest is not None:
        storage.write_arrays(folder / REST, model.continuation.rest, model.vocabulary.checksum)
    write_description(model, folder)


def write_description(model: Model, folder: Path) -> None:
    """Write all files but the arrays; `folder` may be the model's own, so all is read before anything is written."""
    card, unknown, tree = model_card(model), model.continuation.unknown, model._learned_tree
    for name in _COPIED:
        if model.folder and (model.folder / name).is_file():
            model._read(lambda own, name=name: shutil.copyfile(own / name, folder / name))  # type: ignore[misc]
    storage.write_json(folder / storage.CONFIG, model.info)
    model.vocabulary.save(folder / storage.VOCAB)
    write_journal(folder / JOURNAL, model.decisions, model.learned.names)
    (folder / storage.CARD).write_text(card, encoding="utf-8")
    write_unknown(folder, unknown)
    if tree is not None:
        write_tree(folder, tree, model.learned_arrays["offsets"], model.vocabulary.checksum)


def _restored(make: Callable[[], Model], tree: MergeTree | None, resolution: float, *context: Any) -> Model:
    model = make()
    if tree is not None:
        model._learned_tree = tree
    return model.at(resolution).using(*context)
