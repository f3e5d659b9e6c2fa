"""Write the sense sheet of a model: counts, collocates and examples of every sense, in one pass over a corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.uses import Uses, each_use
from adagram.corpus.documents import Document
from adagram.files.atomic import check_new_file, new_file
from adagram.model import Model
from adagram.model.neighbours import content_words, nearest, unit_vectors
from adagram.model.sheet import (
    SHEET,
    Collocate,
    Entry,
    Example,
    different_bags,
    log_dice,
    log_likelihood_ratio,
    make_label,
)
from adagram.types import Floats

TABLE_SIZE = 1 << 23  # slots of the table of pairs: 96 MB
# Uses of a word are sampled down to this share of the text, or this many.
SAMPLED_SHARE, SAMPLED_USES = 2e-4, 5000
MIN_PAIRS = 3
MIN_RATIO = 3.84  # the 5 % point of the chi-squared distribution with one degree of freedom
CANDIDATES = 8  # sentences held per sense
LENGTHS = (4, 8, 28, 60)  # words of a sentence: too short, good from, good to, too long
MIN_COSINE, SHARED_NEIGHBOURS = 0.5, 10  # of senses that may be merged
_END = re.compile(r"[.!?…。！？][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-z])")
_ABBREVIATED = re.compile(r"(?:^|[\s(\"'“‘.])(?:[A-Z]|Messrs|Mrs|Mr|Ms|Dr|St|Prof|Gen|Col|Sen|No|Nos|vs)$")

_Sentence = tuple[str, str, str, NDArray[np.int32]]  # text, document, date, known words


@dataclass(frozen=True)
class Described:
    """What `describe` has read and written."""

    words: int
    known: int
    senses: int
    path: Path


def describe(
    model: Model,
    documents: Iterable[Document],
    folder: Path,
    date_of: Callable[[Document], str],
    per_sense: int = 5,
    threads: int | None = None,
    overwrite: bool = False,
    lengths: tuple[int, int, int, int] = LENGTHS,
) -> Described:
    """Write the sense sheet of a model into its folder; the senses are those that were learned."""
    from adagram.analysis._counting import tally

    path = folder / SHEET
    check_new_file(path, overwrite)
    learned = model._learned
    counts = np.zeros((2, learned.n_senses))  # expected, hard
    collocations, examples = Collocations(learned), Examples(learned, lengths)
    words = known = 0
    for uses in each_use(learned, documents, threads, split_sentences):
        for slot, is_hard in ((0, False), (1, True)):
            tally(uses.by_document, np.full(len(uses.documents), slot), counts, is_hard)
        collocations.add(uses)
        examples.add(uses, [date_of(document) for document in uses.documents])
        words += int(uses.n_words.sum())
        known += len(uses.ids)
    if model.place:
        model.place.check()  # or the sheet would be another model's
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8") as file:
        for entry in _entries(learned, counts, collocations, examples, per_sense):
            file.write(entry.to_json() + "\n")
    return Described(words, known, learned.n_senses, path)


def _entries(
    model: Model, counts: Floats, collocations: Collocations, examples: Examples, per_sense: int
) -> Iterator[Entry]:
    pairs = collocations.strongest()
    bounds = np.searchsorted(pairs.rows, np.arange(model.n_senses + 1))
    pairs_of_word = np.add.reduceat(collocations.pairs, model.offsets[:-1])
    of_word = np.repeat(pairs_of_word, np.diff(model.offsets))
    for row, name in enumerate(model.names(slice(0, model.n_senses))):
        at = slice(int(bounds[row]), int(bounds[row + 1]))
        collocates = pairs.collocates(model, at)
        yield Entry(
            name,
            round(float(counts[0, row]), 2),
            int(counts[1, row]),
            make_label(collocates),
            int(collocations.uses[row]),
            int(collocations.pairs[row]),
            int(of_word[row]),
            collocates,
            examples.of_sense(row, per_sense, pairs.words[at].tolist()),
        )


@dataclass(frozen=True)
class Pairs:
    """Pairs of a sense and a collocate, the strongest of a sense first; one entry each."""

    rows: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: Floats  # uses of the sense with this word around them
    of_word: Floats  # the same for all senses of the word
    ratios: Floats  # log-likelihood ratio
    dice: Floats  # logDice

    def collocates(self, model: Model, at: slice) -> list[Collocate]:
        words = model.vocabulary.words
        columns = (self.words, self.counts, self.of_word, self.ratios, self.dice)
        return [
            Collocate(words[word], int(count), int(of_word), round(ratio, 2), round(dice, 2))
            for word, count, of_word, ratio, dice in zip(*(c[at].tolist() for c in columns), strict=True)
        ]


class Collocations:
    """Count the content words around senses in bounded memory: rare pairs are dropped when the table is full."""

    def __init__(self, model: Model, slots: int = TABLE_SIZE) -> None:
        counts = np.asarray(model.vocabulary.counts, dtype=np.float64)
        sampled = max(SAMPLED_SHARE * counts.sum(), SAMPLED_USES)
        self._model = model
        self.rates = np.minimum(1.0, sampled / np.maximum(counts, 1.0))
        self._choice = (self.rates, np.zeros(len(counts)), ~content_words(model))
        self._table = (np.zeros(slots, np.int64), np.zeros(slots, np.int32))  # keys, counts
        self._used, self._dropped_up_to = 0, 0
        self.uses = np.zeros(model.n_senses, np.int64)
        self.pairs = np.zeros(model.n_senses, np.int64)
        self._pairs_with = np.zeros(len(counts), np.int64)

    def add(self, uses: Uses) -> None:
        from adagram.analysis._counting import FULL, count_around

        totals = (self.uses, self.pairs, self._pairs_with)
        window, line = self._model.config.window, 0
        while line < len(uses.line_ends):
            line, self._used = count_around(
                uses.senses, uses.line_ends, line, window, self._choice, self._table, totals, self._used
            )
            while self._used >= FULL * len(self._table[0]):
                self._drop_rare()

    def _drop_rare(self) -> None:
        """Lossy counting: drop the pairs that were seen least often so far."""
        from adagram.analysis._counting import keep_above

        self._dropped_up_to += 1
        keys, counts = np.zeros_like(self._table[0]), np.zeros_like(self._table[1])
        self._used = keep_above(*self._table, self._dropped_up_to, keys, counts)
        self._table = (keys, counts)

    def strongest(self, top: int = 20) -> Pairs:
        """Return the `top` collocates of every sense that are typical of it.

        A sense is compared with the other senses of its word, the only sense of a word with the whole corpus.
        """
        keys, counts = self._table
        seen = np.flatnonzero(counts >= MIN_PAIRS)
        rows, words = np.divmod(keys[seen] - 1, len(self.rates))
        together = counts[seen].astype(np.float64)
        target = np.searchsorted(self._model.offsets, rows, side="right") - 1
        of_word, here, there, elsewhere = self._against(rows, words, target, together)
        ratios = log_likelihood_ratio(together, here, elsewhere, there)
        frequency = np.asarray(self._model.vocabulary.counts)[words] * np.asarray(self.rates)[target]
        dice = log_dice(together, self.uses[rows].astype(np.float64), frequency.astype(np.float64))
        order = np.lexsort((words, -ratios, rows))
        order = order[ratios[order] >= MIN_RATIO]
        starts = np.searchsorted(rows[order], rows[order])  # of each sense among the pairs
        order = order[np.arange(len(order)) - starts < top]
        counted = (together, of_word, ratios, dice)
        return Pairs(rows[order], words[order], *(part[order] for part in counted))

    def _against(
        self, rows: NDArray[np.int64], words: NDArray[np.int64], target: NDArray[np.int64], together: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Of each pair: count with all senses of the word; pairs of the sense; pairs elsewhere, all and alike."""
        offsets = self._model.offsets
        _, inverse = np.unique(target * len(self.rates) + words, return_inverse=True)
        of_word = np.bincount(inverse, together).astype(np.float64)[inverse]
        here = self.pairs[rows].astype(np.float64)
        pairs_of_word = np.add.reduceat(self.pairs, offsets[:-1])[target].astype(np.float64)
        alone = offsets[target + 1] - offsets[target] == 1
        there = np.where(alone, float(self.pairs.sum()), pairs_of_word) - here
        elsewhere = np.where(alone, self._pairs_with[words].astype(np.float64), of_word) - together
        return of_word, here, there, elsewhere


class Examples:
    """Hold the best sentences of every sense: clear, of a readable length, from all over the corpus."""

    def __init__(self, model: Model, lengths: tuple[int, int, int, int] = LENGTHS) -> None:
        self._lengths, shape = lengths, (model.n_senses, CANDIDATES)
        self._scores = np.zeros(shape, np.float32)
        self._sentences = np.full(shape, -1, np.int64)
        self._posteriors = np.zeros(shape, np.float32)
        self._held: dict[int, _Sentence] = {}
        self._next, self._sweep_at = 0, 1 << 18

    def add(self, uses: Uses, dates: Sequence[str]) -> None:
        """Offer the sentences of a batch of documents, which have these dates."""
        from adagram.analysis._counting import offer_sentences

        lengths = np.diff(uses.sentence_ends, prepend=0)
        is_taken = np.zeros(len(uses.sentences), bool)
        best = (self._scores, self._sentences, self._posteriors)
        offer_sentences(uses.senses, uses.sentence_ends, quality(lengths, self._lengths), self._next, best, is_taken)
        for s in np.flatnonzero(is_taken).tolist():
            end = int(uses.sentence_ends[s])
            document = int(np.searchsorted(uses.ends, end - 1, side="right"))
            words = uses.ids[end - lengths[s] : end].copy()  # a view would keep the whole batch
            held = (uses.sentences[s], uses.documents[document].name, dates[document], words)
            self._held[self._next + s] = held
        self._next += len(uses.sentences)
        if len(self._held) > self._sweep_at:
            needed = np.unique(self._sentences[self._sentences >= 0]).tolist()
            self._held = {number: self._held[number] for number in needed}
            self._sweep_at = max(self._sweep_at, 2 * len(self._held))

    def of_sense(self, row: int, n: int, typical: Sequence[int] = ()) -> list[Example]:
        """Up to n examples, no two of them alike: those with one or two `typical` words first, then the best."""
        candidates = []
        for e in np.flatnonzero(self._sentences[row] >= 0):
            text, document, date, words = self._held[int(self._sentences[row, e])]
            bag = set(words.tolist())
            order = -min(2, len(bag.intersection(typical))), -self._scores[row, e], self._sentences[row, e]
            posterior = round(float(self._posteriors[row, e]), 4)
            candidates.append((order, Example(" ".join(text.split()), document, date, posterior), bag))
        candidates.sort(key=lambda candidate: candidate[0])
        return different_bags((candidate[1:] for candidate in candidates), n)


def quality(lengths: NDArray[np.int64], bounds: tuple[int, int, int, int] = LENGTHS) -> Floats:
    """Return 1 for sentences of a good length, less for shorter and longer ones, 0 for those too short or long."""
    return np.interp(lengths, bounds, [0.0, 1.0, 1.0, 0.0])


def split_sentences(line: str) -> list[str]:
    """Cut after . ! ? if a capital follows, but not after titles and initials.

    >>> split_sentences('He met Mr. J. Doe in St. Paul. "Why?" Nobody knew, e.g. at 3.14 p.m. today.')
    ['He met Mr. J. Doe in St. Paul.', '"Why?"', 'Nobody knew, e.g. at 3.14 p.m. today.']
    """
    return [line[a:b].rstrip() for a, b in pairwise(sentence_bounds(line))]


def sentence_bounds(line: str) -> list[int]:
    """Where sentences begin, and the end of the line."""
    return [0, *(match.end() for match in _END.finditer(line) if not _is_abbreviated(line, match)), len(line)]


def _is_abbreviated(line: str, mark: re.Match[str]) -> bool:
    """Whether the mark ends a title or an initial, not a sentence."""
    stop = mark.start()
    return line[stop] == "." and _ABBREVIATED.search(line, max(0, stop - 8), stop) is not None


@dataclass(frozen=True)
class Suggestion:
    """Two senses that an editor may want to merge."""

    word: str
    first: str  # numbers of the two senses
    second: str
    cosine: float
    shared: list[str]  # words that are near to both


def suggest_merges(model: Model, top: int = 20, word: str | None = None) -> list[Suggestion]:
    """Pairs of senses of one word with like vectors and like neighbours, the most alike first."""
    pairs = sorted(_alike(model, word), reverse=True)[: 5 * top]
    suggestions = []
    for cosine, a, b in pairs:
        around = [model.names(rows) for rows, _ in nearest(model, np.array([a, b]), SHARED_NEIGHBOURS, 1.0)]
        words = [[name.rpartition("#")[0] for name in names] for names in around]
        shared = [near for near in dict.fromkeys(words[0]) if near in words[1]]
        (own, _, first), (_, _, second) = (name.rpartition("#") for name in model.names([a, b]))
        suggestions.append(Suggestion(own, first, second, cosine, shared))
    suggestions.sort(key=lambda s: -(s.cosine + len(s.shared) / SHARED_NEIGHBOURS))
    return suggestions[:top]


def _alike(model: Model, word: str | None) -> Iterator[tuple[float, int, int]]:
    """Cosine and rows of the senses of one word that are above MIN_COSINE."""
    sizes = np.diff(model.offsets)
    for w in [model.vocabulary.id(word)] if word is not None else np.flatnonzero(sizes > 1).tolist():
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        unit = unit_vectors(model, rows)
        cosines = unit @ unit.T
        for a, b in combinations(range(rows.stop - rows.start), 2):
            if cosines[a, b] >= MIN_COSINE:
                yield float(cosines[a, b]), rows.start + a, rows.start + b
