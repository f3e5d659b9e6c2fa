"""Once over a corpus, to the sense sheet of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adagram.desk.collocations import Collocations, Pairs
from adagram.desk.examples import Examples, split_sentences
from adagram.desk.uses import Uses, each_use
from adagram.files.atomic import check_new_file, new_file
from adagram.model import Model
from adagram.model.sheet import SHEET, Collocate, Entry, make_label
from adagram.text.documents import Document

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
