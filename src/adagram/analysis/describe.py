"""Write the sense sheet of a model: collocates, examples and counts of every sense, in one pass over a corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.uses import Uses, each_use
from adagram.arrays import Floats
from adagram.model import Model
from adagram.model.collocation import log_dice, log_likelihood_ratio
from adagram.model.neighbours import nearest
from adagram.model.sheet import SHEET, Collocate, Entry, Example, different_bags, make_label
from adagram.text.documents import Document
from adagram.whole import check_new_file, new_file

SLOTS = 1 << 23  # of the table of pairs: 96 MB
COMMON, COMMON_WORDS = (
    5e-3,
    0.002,
)  # no collocate: a larger share of the text, among this part of the vocabulary
ENOUGH, ENOUGH_USES = (
    2e-4,
    5000,
)  # a word with a larger share and more uses is counted as rarely as one with that
LEAST_COUNT = 3
LEAST_RATIO = 3.84  # the 5 % point of the chi-squared distribution with one degree of freedom


@dataclass(frozen=True)
class Pairs:
    """Pairs of a sense and a collocate, the strongest of a sense first; one entry each."""

    rows: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: Floats  # uses of the sense with this word around them
    of_word: Floats  # the same for all senses of the word
    ratios: Floats  # log-likelihood ratio
    dice: Floats  # logDice


class Collocations:
    """Counts the words around senses; pairs that stay rare are forgotten when the table is full."""

    def __init__(self, model: Model, slots: int = SLOTS) -> None:
        counts = np.asarray(model.vocabulary.counts, dtype=np.float64)
        rank = np.empty(len(counts), np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        is_common = (counts > COMMON * counts.sum()) & (rank < COMMON_WORDS * len(counts))
        self._model = model
        self.rates = np.minimum(1.0, max(ENOUGH * counts.sum(), ENOUGH_USES) / np.maximum(counts, 1.0))
        self._choice = (self.rates, np.zeros(len(counts)), is_common)
        self._table = (np.zeros(slots, np.int64), np.zeros(slots, np.int32))
        self._used, self._least = 0, 0
        self.uses = np.zeros(model.n_senses, np.int64)
        self.pairs = np.zeros(model.n_senses, np.int64)
        self._pairs_with = np.zeros(len(counts), np.int64)

    def add(self, uses: Uses) -> None:
        from adagram.kernels.collocates import FULL, count_around

        found = (uses.ids, self._model.offsets, uses.posteriors.places, uses.posteriors.values)
        totals = (self.uses, self.pairs, self._pairs_with)
        window, line = self._model.config.window, 0
        while line < len(uses.line_ends):
            line, self._used = count_around(
                found, uses.line_ends, line, window, self._choice, self._table, totals, self._used
            )
            while self._used >= FULL * len(self._table[0]):
                self._forget()

    def _forget(self) -> None:
        """Lossy counting: what has been seen so rarely until now is dropped."""
        from adagram.kernels.collocates import keep_above

        self._least += 1
        keys, counts = np.zeros_like(self._table[0]), np.zeros_like(self._table[1])
        self._used = keep_above(*self._table, self._least, keys, counts)
        self._table = (keys, counts)

    def strongest(self, top: int = 20) -> Pairs:
        """The `top` collocates of every sense that are typical of it.

        A sense is set against the other senses of its word, the only sense of a word against the whole corpus.
        """
        keys, counts = self._table
        seen = np.flatnonzero(counts >= LEAST_COUNT)
        rows, words = np.divmod(keys[seen] - 1, len(self.rates))
        together = counts[seen].astype(np.float64)
        of_word, here, there, elsewhere = self._against(rows, words, together)
        ratios = log_likelihood_ratio(together, here, elsewhere, there)
        target = np.searchsorted(self._model.offsets, rows, side="right") - 1
        frequency = np.asarray(self._model.vocabulary.counts)[words] * np.asarray(self.rates)[target]
        dice = log_dice(together, self.uses[rows].astype(np.float64), frequency.astype(np.float64))
        order = np.lexsort((words, -ratios, rows))
        order = order[ratios[order] >= LEAST_RATIO]
        order = order[_rank(rows[order]) < top]
        counted = (together, of_word, ratios, dice)
        return Pairs(rows[order], words[order], *(part[order] for part in counted))

    def _against(
        self, rows: NDArray[np.int64], words: NDArray[np.int64], together: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Of each pair: count with all senses of the word; pairs of the sense; pairs elsewhere, all and alike."""
        offsets = self._model.offsets
        target = np.searchsorted(offsets, rows, side="right") - 1
        _, inverse = np.unique(target * len(self.rates) + words, return_inverse=True)
        of_word = np.bincount(inverse, together).astype(np.float64)[inverse]
        here = self.pairs[rows].astype(np.float64)
        pairs_of_word = np.add.reduceat(self.pairs, offsets[:-1])[target].astype(np.float64)
        alone = offsets[target + 1] - offsets[target] == 1
        there = np.where(alone, float(self.pairs.sum()) - here, pairs_of_word - here)
        everywhere = self._pairs_with[words].astype(np.float64)
        elsewhere = np.where(alone, everywhere - together, of_word - together)
        return of_word, here, there, elsewhere


def _rank(sorted_rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2, … within each run of equal values."""
    starts = np.flatnonzero(np.diff(sorted_rows, prepend=-1))
    return np.arange(len(sorted_rows)) - np.repeat(starts, np.diff(np.append(starts, len(sorted_rows))))


CANDIDATES = 8  # sentences held per sense
SHORT, GOOD_FROM, GOOD_TO, LONG = 4, 8, 28, 60  # words of a sentence
_END = re.compile(r"[.!?…。！？][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-z])")

_SHORTENED = re.compile(r"(?:^|[\s(\"'“‘.])(?:[A-Z]|Messrs|Mrs|Mr|Ms|Dr|St|Prof|Gen|Col|Sen|No|Nos|vs)$")

# text, document, date, known words
_Sentence = tuple[str, str, str, NDArray[np.int32]]


def split_sentences(line: str) -> list[str]:
    """Cut after . ! ? where a capital follows, but not after titles and initials.

    >>> split_sentences('He met Mr. J. Doe in St. Paul. "Why?" Nobody knew, e.g. at 3.14 p.m. today.')
    ['He met Mr. J. Doe in St. Paul.', '"Why?"', 'Nobody knew, e.g. at 3.14 p.m. today.']
    """
    bounds = sentence_bounds(line)
    return [line[a:b].rstrip() for a, b in pairwise(bounds)]


def sentence_bounds(line: str) -> list[int]:
    """Where sentences begin, and the end of the line."""
    cuts = (match.end() for match in _END.finditer(line) if not _is_shortened(line, match.start()))
    return [0, *cuts, len(line)]


def _is_shortened(line: str, stop: int) -> bool:
    """Whether the mark at this place ends a title or an initial, and no sentence."""
    return line[stop] == "." and _SHORTENED.search(line, max(0, stop - 8), stop) is not None


def quality(
    lengths: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """1 for sentences of a good length, less for shorter and longer ones, 0 for those that are no example."""
    return np.interp(lengths, [SHORT, GOOD_FROM, GOOD_TO, LONG], [0.0, 1.0, 1.0, 0.0])


class Examples:
    """Holds the best sentences of every sense; what no sense needs any more is dropped now and then."""

    def __init__(self, model: Model, n: int = CANDIDATES) -> None:
        shape = (model.n_senses, n)
        self._model = model
        self._scores = np.zeros(shape, np.float32)
        self._sentences = np.full(shape, -1, np.int64)
        self._posteriors = np.zeros(shape, np.float32)
        self._held: dict[int, _Sentence] = {}
        self._next, self._sweep_at = 0, 1 << 18

    def add(self, uses: Uses, dates: Sequence[str]) -> None:
        """Offer the sentences of some documents, which have these dates."""
        from adagram.kernels.candidates import offer_sentences

        n = len(uses.sentences)
        found = (uses.ids, self._model.offsets, uses.posteriors.places, uses.posteriors.values)
        lengths = np.diff(uses.sentence_ends, prepend=0)
        is_taken = np.zeros(n, bool)
        best = (self._scores, self._sentences, self._posteriors)
        offer_sentences(found, uses.sentence_ends, quality(lengths), self._next, best, is_taken)
        taken = np.flatnonzero(is_taken)
        owners = np.searchsorted(uses.ends, uses.sentence_ends[taken] - 1, side="right")
        ends = uses.sentence_ends[taken]
        begins = ends - lengths[taken]
        places = zip(taken.tolist(), owners.tolist(), begins.tolist(), ends.tolist(), strict=True)
        for s, d, begin, end in places:
            words = uses.ids[begin:end].copy()  # of a part, which would keep the whole
            self._held[self._next + s] = (uses.sentences[s], uses.documents[d].name, dates[d], words)
        self._next += n
        if len(self._held) > self._sweep_at:
            self._sweep()

    def _sweep(self) -> None:
        needed = np.unique(self._sentences[self._sentences >= 0]).tolist()
        self._held = {number: self._held[number] for number in needed}
        self._sweep_at = max(self._sweep_at, 2 * len(self._held))

    def of_sense(self, row: int, n: int, typical: Sequence[int] = ()) -> list[Example]:
        """Up to n examples, no two of them alike: those with one or two `typical` words first, then the best."""
        held, wanted = self._held, set(typical)
        best = zip(
            self._scores[row].tolist(),
            self._sentences[row].tolist(),
            self._posteriors[row].tolist(),
            strict=True,
        )
        candidates = []
        for score, number, posterior in best:
            if number >= 0:
                bag = set(held[number][3].tolist())
                candidates.append((-min(2, len(wanted & bag)), -score, number, posterior, bag))
        candidates.sort(key=lambda candidate: candidate[:3])
        return different_bags((self._example(*candidate[2:]) for candidate in candidates), n)

    def _example(self, number: int, posterior: float, bag: set[int]) -> tuple[Example, set[int]]:
        text, document, date, _ = self._held[number]
        return Example(" ".join(text.split()), document, date, round(posterior, 4)), bag


DateOf = Callable[[Document], str]


@dataclass(frozen=True)
class Described:
    """What was gone through, and where the sheet is."""

    words: int
    known: int
    senses: int
    path: Path


def describe(
    model: Model,
    documents: Iterable[Document],
    folder: Path,
    date_of: DateOf,
    per_sense: int = 5,
    threads: int | None = None,
    overwrite: bool = False,
) -> Described:
    """Write the sense sheet of a model into its folder; the senses are those that were learned."""
    path = folder / SHEET
    check_new_file(path, overwrite)
    learned = model.learned
    tables = _Tables(learned)
    words = known = 0
    for uses in each_use(learned, documents, threads, split_sentences):
        tables.add(uses, [date_of(document) for document in uses.documents])
        words += int(uses.n_words.sum())
        known += len(uses.ids)
    if model.place:
        model.place.check()  # or the sheet would be another model's
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8") as file:
        for entry in tables.entries(per_sense):
            file.write(entry.to_json() + "\n")
    return Described(words, known, learned.n_senses, path)


class _Tables:
    """All that is counted and kept in one pass."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._counts = np.zeros((2, model.n_senses))  # expected, hard
        self._collocations, self._examples = Collocations(model), Examples(model)

    def add(self, uses: Uses, dates: list[str]) -> None:
        from adagram.kernels.tally import tally

        found = (uses.ids, uses.ends, self._model.offsets, uses.posteriors.places, uses.posteriors.values)
        n = len(uses.documents)
        for slot, is_hard in ((0, False), (1, True)):
            tally(found, np.ones(n), np.full(n, slot), self._counts, is_hard)
        self._collocations.add(uses)
        self._examples.add(uses, dates)

    def entries(self, per_sense: int) -> Iterator[Entry]:
        model, collocations = self._model, self._collocations
        pairs = collocations.strongest()
        bounds = np.searchsorted(pairs.rows, np.arange(model.n_senses + 1))
        names = model.names(slice(0, model.n_senses))
        of_word = np.repeat(np.add.reduceat(collocations.pairs, model.offsets[:-1]), np.diff(model.offsets))
        for row, name in enumerate(names):
            at = slice(int(bounds[row]), int(bounds[row + 1]))
            collocates = _collocates(model, pairs, at)
            yield Entry(
                name,
                round(float(self._counts[0, row]), 2),
                int(self._counts[1, row]),
                make_label(collocates),
                int(collocations.uses[row]),
                int(collocations.pairs[row]),
                int(of_word[row]),
                collocates,
                self._examples.of_sense(row, per_sense, pairs.words[at].tolist()),
            )


def _collocates(model: Model, pairs: Pairs, at: slice) -> list[Collocate]:
    words = model.vocabulary.words
    columns = (pairs.words, pairs.counts, pairs.of_word, pairs.ratios, pairs.dice)
    return [
        Collocate(words[word], int(count), int(of_word), round(ratio, 2), round(dice, 2))
        for word, count, of_word, ratio, dice in zip(*(c[at].tolist() for c in columns), strict=True)
    ]


LEAST_COSINE = 0.5
NEIGHBOURS = 10


@dataclass(frozen=True)
class Suggestion:
    word: str
    first: str  # numbers of the two senses
    second: str
    cosine: float
    shared: list[str]  # words that are near to both

    @property
    def reason(self) -> str:
        near = f"; both near {', '.join(self.shared)}" if self.shared else ""
        return f"their vectors have a cosine of {self.cosine:.2f}{near}"


def suggest_merges(model: Model, top: int = 20, word: str | None = None) -> list[Suggestion]:
    """Pairs of senses of one word with like vectors and like neighbours, the most alike first."""
    pairs = sorted(_alike(model, word), reverse=True)[: 5 * top]
    suggestions = [_suggestion(model, cosine, a, b) for cosine, a, b in pairs]
    suggestions.sort(key=lambda s: -(s.cosine + len(s.shared) / NEIGHBOURS))
    return suggestions[:top]


def _alike(model: Model, word: str | None) -> list[tuple[float, int, int]]:
    sizes = np.diff(model.offsets)
    words = [model.vocabulary.id(word)] if word is not None else np.flatnonzero(sizes > 1).tolist()
    pairs = []
    for w in words:
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        unit = model.vectors[rows] / np.maximum(model.arrays["norms"][rows], 1e-12)[:, None]
        cosines = unit @ unit.T
        for a, b in combinations(range(rows.stop - rows.start), 2):
            if cosines[a, b] >= LEAST_COSINE:
                pairs.append((float(cosines[a, b]), rows.start + a, rows.start + b))
    return pairs


def _suggestion(model: Model, cosine: float, a: int, b: int) -> Suggestion:
    around = [model.names(rows) for rows, _ in nearest(model, np.array([a, b]), NEIGHBOURS, 1.0)]
    words = [[name.rpartition("#")[0] for name in names] for names in around]
    shared = [word for word in dict.fromkeys(words[0]) if word in words[1]]
    (word, _, first), (_, _, second) = (name.rpartition("#") for name in model.names([a, b]))
    return Suggestion(word, first, second, cosine, shared)
