"""Frequencies of senses over time, kept in the model folder for figures and the explorer."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.errors import InputError
from adagram.maths.frequencies import normalise
from adagram.whole import new_file

if TYPE_CHECKING:
    from adagram.model.model import Model

TRENDS = "trends.npz"
# What numpy and zipfile raise for files that are damaged.
_UNREADABLE = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, IndexError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError, SyntaxError),
)


@dataclass(frozen=True)
class KeptTrends:
    """The senses of the model as they were shown when they were counted."""

    names: list[str]
    epochs: list[str]
    times: Floats
    counts: Floats  # (n_senses, n_epochs)
    words: Floats  # (n_epochs,)
    row_of: NDArray[np.int64]  # which of `names` each learned sense was counted as; -1 if it was hidden

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def has(self, model: Model, word: str) -> bool:
        """Whether the senses of a word are still those that were counted: no merge, hide or undo since then."""
        w = model.vocabulary.index[word]
        now = rows_of_learned(model)
        learned = model.learned.offsets
        of_word = slice(int(learned[w]), int(learned[w + 1]))
        return len(now) == len(self.row_of) and np.array_equal(
            _groups(now[of_word]), _groups(self.row_of[of_word])
        )

    def of_word(self, model: Model, word: str, how: str = "relative") -> tuple[list[str], Floats]:
        """Names and normalised frequencies of the senses of a word, (n, n_epochs)."""
        rows = model.rows(word)
        names, place = model.names(rows), self._places
        if not self.has(model, word):
            raise InputError(f"the senses of '{word}' have changed since they were counted; run trends again")
        counts = self.counts[[place[name] for name in names]]
        return names, normalise(how, counts, self.words, np.array([0, len(names)]))

    def keep(self, folder: Path) -> None:
        with new_file(folder / TRENDS, overwrite=True) as made, open(made, "wb") as file:
            np.savez_compressed(
                file,
                names=np.array(self.names),
                epochs=np.array(self.epochs),
                times=self.times,
                counts=self.counts.astype(np.float32),
                words=self.words,
                row_of=self.row_of,
            )


def rows_of_learned(model: Model) -> NDArray[np.int64]:
    """The row of the model in which each learned sense is shown; -1 if it is hidden."""
    return np.arange(model.n_senses) if model.curation is None else model.curation.row_of


def _groups(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of the senses of one word, counted from its first."""
    return np.where(rows < 0, -1, rows - rows[rows >= 0].min(initial=np.iinfo(np.int64).max))


def read_trends(folder: Path) -> KeptTrends | None:
    """What `KeptTrends.keep` wrote, if it did."""
    path = folder / TRENDS
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as kept:
            found = KeptTrends(
                kept["names"].tolist(),
                kept["epochs"].tolist(),
                kept["times"].astype(np.float64),
                kept["counts"].astype(np.float64),
                kept["words"].astype(np.float64),
                kept["row_of"].astype(np.int64),
            )
    except _UNREADABLE as error:
        raise _damaged(path, str(error).partition("\n")[0]) from None
    _check(found, path)
    return found


def _check(found: KeptTrends, path: Path) -> None:
    """All that the figures and the page rely on."""
    for what in (found.names, found.epochs):
        if not isinstance(what, list) or not all(isinstance(name, str) for name in what):
            raise _damaged(path, "names and epochs must be lists of text")
    shape = (len(found.names), len(found.epochs))
    if found.counts.shape != shape or found.words.shape != shape[1:] or found.times.shape != shape[1:]:
        raise _damaged(
            path, f"there are {shape[0]} senses and {shape[1]} epochs, the tables have other sizes"
        )
    if found.row_of.ndim != 1 or not ((found.row_of >= -1) & (found.row_of < shape[0])).all():
        raise _damaged(path, "it places senses that it does not have")
    for table in (found.counts, found.words, found.times):
        if not np.isfinite(table).all():
            raise _damaged(path, "it has a value that is no finite number")
    if min(found.counts.min(initial=0.0), found.words.min(initial=0.0)) < 0:
        raise _damaged(path, "it has a count below 0")


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} is damaged ({why}); run adagram trends again")
