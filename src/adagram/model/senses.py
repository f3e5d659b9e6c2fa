"""The words of a model and their senses: names, vectors, neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.languages import make_lemmatizer
from adagram.corpus.tokenize import Tokenizer, TokenizerConfig, make_tokenizer
from adagram.corpus.vocabulary import Vocabulary, read_unknown
from adagram.errors import InputError, UnknownWordError
from adagram.model.arguments import checked_text, listed, places
from adagram.model.curation import CuratedArrays, Curation
from adagram.model.folder import Place
from adagram.model.journal import Decision
from adagram.model.neighbours import nearest
from adagram.model.sheet import Sheet
from adagram.model.shown import as_html, one_line, table_of_senses
from adagram.options import spelled
from adagram.types import ArrayMap, Floats

_TEXT = "a text (str) or a list of words"
_DIGITS = 9  # of the number of a sense
UNKNOWN = "<unknown>"  # what `names` calls row -1, which `assign` gives to an unknown word
T = TypeVar("T")


@dataclass(frozen=True)
class Neighbour:
    name: str
    similarity: float


@dataclass(frozen=True)
class Sense:
    """One sense of a word; `prior` is E[π], `count` the expected number of its occurrences in training.

    >>> sense = model.senses("bank")[0]
    >>> sense.name, 0 < sense.prior <= 1, len(sense.neighbours)
    ('bank#0', True, 10)
    """

    name: str
    prior: float
    count: float
    neighbours: list[Neighbour]
    label: str = ""  # an editor's, or that of the sense sheet


class Senses(list[Sense]):
    """The senses of a word: a list that is a table in a notebook."""

    def _repr_html_(self) -> str:
        return table_of_senses(self)


class SenseVectors(np.ndarray[Any, np.dtype[np.float32]]):
    """Vectors by sense row, (n_senses, dim); what is taken or computed from them are plain arrays.

    `assign` gives unknown words the row -1, which in a plain array is the last one: it is refused here.
    """

    is_by_row = False  # not of what NumPy derives from it, such as the transpose

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> SenseVectors:
        made = vectors.view(cls)
        made.is_by_row = True
        return made

    def __getitem__(self, at: Any) -> Any:
        rows = at[0] if isinstance(at, tuple) and at else at
        if self.is_by_row and _is_negative(rows):
            raise UnknownWordError(
                "row -1 is an unknown word, which has no vector; leave it out: rows[rows >= 0]"
            )
        return np.asarray(self)[at]

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if plain.ndim == 0 else plain


def _is_negative(rows: Any) -> bool:
    if isinstance(rows, int | np.integer):
        return bool(rows < 0)
    if not isinstance(rows, list | np.ndarray) or not len(rows):
        return False
    at = np.asarray(rows)
    return at.dtype.kind == "i" and bool(at.min() < 0)


class SenseTable:
    """The senses of all words, as an editor left them; those of word w are rows offsets[w]:offsets[w+1]."""

    def __init__(
        self,
        arrays: ArrayMap,
        vocabulary: Vocabulary,
        info: dict[str, Any],
        decisions: Sequence[Decision] = (),
        place: Place | None = None,
    ) -> None:
        self.learned_arrays = arrays  # as in the file, before any decision
        self.decisions = decisions
        self.curation = Curation(arrays["offsets"], decisions) if decisions else None
        self.arrays = arrays = CuratedArrays(arrays, self.curation) if self.curation else arrays
        self.place = place  # where it was opened, with its sense sheet
        self.vocabulary = vocabulary
        self.info = info  # config.json
        self.config = TrainConfig.from_dict(info["config"])
        self.offsets: NDArray[np.int64] = arrays["offsets"]
        self.priors: NDArray[np.float64] = arrays["priors"]
        self.counts: NDArray[np.float64] = arrays["counts"]

    @property
    def folder(self) -> Path | None:
        """Where it was opened, if it was."""
        return self.place.folder if self.place else None

    def _read(self, read: Callable[[Path], T]) -> T | None:
        """Return what `read` finds in its folder; InputError if that is another model's by now."""
        if self.place is None:
            return None
        found = read(self.place.folder)
        self.place.check()
        return found

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """Vectors by row, (n_senses, dim); row -1, an unknown word, has none and is refused."""
        return SenseVectors.of(self.arrays["vectors"][:, : self.config.dim])

    @property
    def n_senses(self) -> int:
        return len(self.counts)

    @cached_property
    def _tokenizer_config(self) -> TokenizerConfig:
        return TokenizerConfig.from_dict(self.info.get("tokenizer") or {})

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return make_tokenizer(self._tokenizer_config, self.vocabulary.index)

    def tokenize(self, text: str | Iterable[str]) -> list[str]:
        """Cut a text (str) into words as the training corpus was; an iterable of words stays as it is.

        If the model's words are lemmas, so are those that come back. A str with white space inside is not a word.

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
        """The word as the vocabulary spells it: as it stands, or as it would have been cut and folded for training.

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

    def _numbered(self, name: str) -> tuple[str, int] | None:
        """Word and number of the name of a sense ('apple#1'); None for a word."""
        word, mark, number = checked_text(name, "sense", "the name of a sense, such as 'apple#1'").rpartition(
            "#"
        )
        if not mark or not number.isdecimal() or len(number) > _DIGITS:
            return None
        return (word, int(number)) if word in self.vocabulary or name not in self.vocabulary else None

    def __len__(self) -> int:
        """The number of words."""
        return len(self.vocabulary)

    def __iter__(self) -> Iterator[str]:
        """The words, the most frequent first; those that came when training went on are after the others."""
        return iter(self.vocabulary.words)

    def __contains__(self, name: object) -> bool:
        """Whether it has a word, or a sense such as 'apple#1'."""
        if not isinstance(name, str):
            return False
        numbered = self._numbered(name)
        if name in self.vocabulary or numbered is None:
            return self._found(name) is not None
        try:
            return self._found(numbered[0]) is not None and self.row(name) >= 0
        except UnknownWordError:
            return False

    def __getitem__(self, sense: str) -> NDArray[np.float32]:
        """The vector of a sense, or of the only sense of a word."""
        return self.vector(sense)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def rows(self, word: str) -> slice:
        """Rows of the senses of a word."""
        w = self.vocabulary.index[self.known(word)]
        return slice(int(self.offsets[w]), int(self.offsets[w + 1]))

    def row(self, sense: str) -> int:
        """Row of a sense such as 'apple#1'; a word alone means its only sense."""
        numbered = self._numbered(sense)
        if numbered:
            return self._row_of(*numbered)
        rows = self.rows(sense)
        if rows.stop - rows.start > 1:
            names = ", ".join(self.names(rows))
            raise UnknownWordError(f"'{sense}' has several senses; choose one of {names}")
        return int(rows.start)

    def _row_of(self, word: str, number: int) -> int:
        """Row of the sense that was learned with a number; a merged sense goes by the numbers of all its members."""
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
        """Names of sense rows: 'apple#0', 'apple#1', …; row -1, which `assign` gives to unknown words, is '<unknown>'.

        >>> model.names(model.rows("bank")), model.names([-1])
        (['bank#0', 'bank#1'], ['<unknown>'])
        """
        is_slice = isinstance(rows, slice)
        at = (
            np.arange(self.n_senses)[rows]
            if is_slice
            else places(rows, self.n_senses, "sense rows", least=-1)
        )
        words = np.searchsorted(self.offsets, at, side="right") - 1
        numbers = self.curation.numbers[at] if self.curation else at - self.offsets[words]
        return [
            f"{self.vocabulary.words[w]}#{k}" if w >= 0 else UNKNOWN
            for w, k in zip(words.tolist(), numbers.tolist(), strict=True)
        ]

    def senses(self, word: str, top: int = 10, min_count: float = 1.0) -> Senses:
        """The senses of a word in stick order, or the one sense that is named, such as 'apple#1'.

        Each has its `top` nearest senses of other words that were used at least `min_count` times.

        >>> [sense.name for sense in model.senses("bank")], model.senses("bank#1")[0].name
        (['bank#0', 'bank#1'], 'bank#1')
        """
        one = self.row(word) if self._numbered(word) else None
        rows = self.rows(word) if one is None else slice(one, one + 1)
        found = nearest(self, np.arange(rows.start, rows.stop), top, min_count)
        return Senses(
            Sense(name, float(self.priors[row]), float(self.counts[row]), neighbours, self.label(row))
            for name, row, neighbours in zip(
                self.names(rows), range(rows.start, rows.stop), self._neighbours(found), strict=True
            )
        )

    def frame(self, word: str | None = None, top: int = 10) -> Any:
        """A pandas table with a row per sense; of one word with the names of its `top` neighbours.

        >>> model.frame("bank").columns.to_list()
        ['word', 'prior', 'count', 'label', 'neighbours']
        """
        from adagram.model.frame import frame_of

        return frame_of(self, word, top)

    @cached_property
    def sheet(self) -> Sheet | None:
        """What `adagram describe` wrote about the senses, if it did."""
        return self._read(Sheet.of)

    @cached_property
    def unknown(self) -> dict[str, int]:
        """Words that its texts had and it does not know, with their counts: see `adagram.corpus.vocabulary`."""
        return self._read(read_unknown) or {}

    def label(self, row: int) -> str:
        """What a sense means in a few words: an editor's label, or that of the sense sheet, or nothing."""
        if not isinstance(row, int | np.integer) or not 0 <= row < self.n_senses:
            raise InputError(f"row is {spelled(row)}; the rows of senses are from 0 to {self.n_senses - 1}")
        if self.curation and row in self.curation.labels:
            return self.curation.labels[row]
        entry = self.sheet.entry(self, row) if self.sheet else None
        return entry.label if entry else ""

    def neighbours(self, sense: str, top: int = 10, min_count: float = 1.0) -> list[Neighbour]:
        """The senses of other words with the highest cosine, exactly.

        >>> [neighbour.name for neighbour in model.neighbours("money", top=2)]
        ['...#0', '...#0']
        """
        return self._neighbours(nearest(self, np.array([self.row(sense)]), top, min_count))[0]

    def most_similar(self, sense: str, topn: int = 10, min_count: float = 1.0) -> list[tuple[str, float]]:
        """`neighbours` as pairs of name and cosine, as gensim gives them.

        >>> model.most_similar("money", topn=1)
        [('...#0', ...)]
        """
        return [(n.name, n.similarity) for n in self.neighbours(sense, topn, min_count)]

    def similarity(self, first: str, second: str) -> float:
        """The cosine of two senses.

        >>> round(model.similarity("bank#0", "bank#0"), 3)
        1.0
        """
        a, b = (self.vectors[self.row(name)].astype(np.float64) for name in (first, second))
        return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-12))

    def _neighbours(self, found: list[tuple[NDArray[np.int64], Floats]]) -> list[list[Neighbour]]:
        return [
            [Neighbour(n, s) for n, s in zip(self.names(rows), values.tolist(), strict=True)]
            for rows, values in found
        ]

    def vector(self, sense: str) -> NDArray[np.float32]:
        """The vector of a sense, or of the only sense of a word.

        >>> model.vector("bank#1").shape
        (16,)
        """
        return np.array(self.vectors[self.row(sense)])

    def word_vector(self, word: str) -> NDArray[np.float32]:
        """The mean of the word's sense vectors, weighted by their priors.

        >>> model.word_vector("bank").shape
        (16,)
        """
        rows = self.rows(word)
        return np.asarray(self.priors[rows] @ self.vectors[rows], dtype=np.float32)

    @cached_property
    def unit_vectors(self) -> NDArray[np.float32]:
        """All sense vectors scaled to length one, (n_senses, dim)."""
        unit = self.vectors / np.maximum(self.arrays["norms"], 1e-12)[:, None]
        return SenseVectors.of(np.asarray(unit, dtype=np.float32))
