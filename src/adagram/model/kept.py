"""Frequencies of senses over time, kept in the model folder for figures and the explorer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adagram.arrays import Floats
from adagram.errors import InputError
from adagram.maths.frequencies import normalise
from adagram.whole import new_file

if TYPE_CHECKING:
    from adagram.model.model import Model

TRENDS = "trends.npz"


@dataclass(frozen=True)
class KeptTrends:
    """The senses of the model as they were shown when they were counted."""

    names: list[str]
    epochs: list[str]
    times: Floats
    counts: Floats  # (n_senses, n_epochs)
    words: Floats  # (n_epochs,)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def has(self, model: Model, word: str) -> bool:
        """Whether the senses of a word are still those that were counted."""
        return all(self._counted(model, row) for row in _range(model.rows(word)))

    def _counted(self, model: Model, row: int) -> list[int]:
        """Places of what was counted of a sense: its own, or those of all that an editor has merged in it since."""
        members = [row] if model.curation is None else model.curation.members(row)
        names = model.learned.names(members)
        found = [self._places[name] for name in names if name in self._places]
        return found if names[0] in self._places else []

    def of_word(self, model: Model, word: str, how: str = "relative") -> tuple[list[str], Floats]:
        """Names and normalised frequencies of the senses of a word, (n, n_epochs)."""
        rows = model.rows(word)
        names = model.names(rows)
        if not self.has(model, word):
            raise InputError(f"the senses of '{word}' have changed since they were counted; run trends again")
        counts = np.array([self.counts[self._counted(model, row)].sum(axis=0) for row in _range(rows)])
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
            )


def _range(rows: slice) -> range:
    return range(rows.start, rows.stop)


def read_trends(folder: Path) -> KeptTrends | None:
    """What `KeptTrends.keep` wrote, if it did."""
    path = folder / TRENDS
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as kept:
            return KeptTrends(
                kept["names"].tolist(),
                kept["epochs"].tolist(),
                kept["times"],
                kept["counts"].astype(np.float64),
                kept["words"],
            )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} is damaged ({error}); run adagram trends again") from None
