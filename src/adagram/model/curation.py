"""The senses as an editor's decisions leave them: some merged, some hidden, some with a label.

Vectors are never rewritten. A merged sense has the sum of its members' priors, counts and posteriors, and the
count-weighted mean of their vectors; it goes by the number of its first member. A hidden sense is as one that was
not learned: the priors and posteriors of the others are those given that it is not meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.model.journal import Decision, SenseGroups
from adagram.types import Floats

Rows = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]
_UNLIKELY = 1e-300  # the prior of a hidden sense: its logarithm exists, its posterior is nothing


class Curation:
    """From the learned senses (`offsets` as in the model's file) to the senses that are shown."""

    def __init__(self, offsets: Rows, decisions: Sequence[Decision]) -> None:
        first, hidden, labels = _follow(offsets, decisions)
        words = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))  # of learned senses
        shown = np.flatnonzero((first == np.arange(len(first))) & ~hidden[first])  # first members
        place = np.full(len(first), -1)
        place[shown] = np.arange(len(shown))
        self.row_of: Rows = np.where(hidden, -1, place[first])  # shown row of each learned one, -1 if hidden
        self.numbers: Rows = shown - offsets[words[shown]]  # the k of word#k
        self.offsets: Rows = np.append(0, np.cumsum(np.bincount(words[shown], minlength=len(offsets) - 1)))
        self.labels = {int(place[f]): label for f, label in labels.items() if place[f] >= 0}
        self.learned_offsets = offsets
        sizes = np.bincount(self.row_of[self.row_of >= 0], minlength=len(shown))
        self.merged: Rows = np.flatnonzero(sizes > 1)

    @property
    def n_senses(self) -> int:
        return len(self.numbers)

    def members(self, row: int) -> Rows:
        """The learned senses that a shown one consists of."""
        return np.flatnonzero(self.row_of == row)

    def total(self, values: Floats) -> Floats:
        """The sum over the members of each shown sense; `values` has an entry per learned one."""
        seen = self.row_of >= 0
        return np.asarray(np.bincount(self.row_of[seen], values[seen], self.n_senses), dtype=np.float64)

    def together(self, words: NDArray[np.integer[Any]], places: Rows, values: Floats) -> tuple[Rows, Floats]:
        """Posteriors over shown senses from those over learned ones; word i has values[places[i]:places[i+1]]."""
        sizes = np.diff(self.offsets)[words]
        shown_places = np.append(0, sizes.cumsum())
        of_word = np.repeat(np.arange(len(words)), np.diff(places))
        learned = np.arange(len(values)) - places[of_word] + self.learned_offsets[words[of_word]]
        rows = self.row_of[learned]
        seen = rows >= 0
        at = shown_places[of_word[seen]] + rows[seen] - self.offsets[words[of_word[seen]]]
        shown = np.bincount(at, values[seen], int(shown_places[-1]))
        owner = np.repeat(np.arange(len(words)), sizes)
        mass = np.bincount(owner, shown, len(words))[owner]
        even = 1.0 / sizes[owner]  # where only hidden senses were possible
        return shown_places, np.divide(shown, mass, out=even, where=mass > 0)

    def hiding(self, priors: Floats) -> Floats:
        """Priors of the learned senses with next to nothing for hidden ones, summing to one per word."""
        floor = np.where(self.row_of >= 0, np.asarray(priors), _UNLIKELY)
        starts = self.learned_offsets
        return np.asarray(floor / np.repeat(np.add.reduceat(floor, starts[:-1]), np.diff(starts)))


class CuratedArrays(Mapping[str, NDArray[Any]]):
    """The arrays of a model with an entry per shown sense; each is made when it is asked for."""

    def __init__(self, learned: Arrays, curation: Curation) -> None:
        self._learned, self._curation = learned, curation
        self._made: dict[str, NDArray[Any]] = {"offsets": curation.offsets}

    def __iter__(self) -> Iterator[str]:
        return iter(self._learned)

    def __len__(self) -> int:
        return len(self._learned)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> NDArray[Any]:
        curation, learned = self._curation, self._learned[name]
        if name == "counts":
            return curation.total(learned)
        if name == "priors":
            return curation.total(curation.hiding(learned))
        if name in ("vectors", "centres"):
            return self._means(learned)
        if name == "norms":
            vectors = self["vectors"]
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), dtype=np.float32)
        return learned

    def _means(self, learned: NDArray[Any]) -> NDArray[Any]:
        """Rows of the learned array, where senses were merged their count-weighted mean."""
        curation, counts = self._curation, np.asarray(self._learned["counts"])
        seen = np.flatnonzero(curation.row_of >= 0)
        rows = np.empty((curation.n_senses, learned.shape[1]), learned.dtype)
        rows[curation.row_of[seen]] = learned[seen]
        for row in curation.merged:
            members = curation.members(int(row))
            weights = np.maximum(counts[members], 1e-12)
            rows[row] = np.average(learned[members].astype(np.float64), axis=0, weights=weights)
        return rows


def _follow(offsets: Rows, decisions: Sequence[Decision]) -> tuple[Rows, NDArray[np.bool_], dict[int, str]]:
    """Of every learned sense the first member of its group and whether that is hidden; labels of first members."""
    groups = SenseGroups(offsets)
    for decision in decisions:
        groups.apply(decision)
    first: Rows = np.arange(int(offsets[-1]))
    hidden = np.zeros(len(first), bool)
    labels: dict[int, str] = {}
    for word, found in groups.words.items():
        start = int(offsets[word])
        of_word = slice(start, start + len(found.first))
        first[of_word], hidden[of_word] = start + np.array(found.first), found.hidden
        labels |= {start + head: label for head, label in found.labels.items()}
    return first, hidden, labels
