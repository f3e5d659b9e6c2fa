"""Frequencies of senses over time, kept in the model folder for figures and the explorer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adagram.desk.counting import Frequencies
from adagram.errors import InputError
from adagram.maths.frequencies import normalise
from adagram.maths.special import Floats
from adagram.model import Model
from adagram.whole import new_file

TRENDS = "trends.npz"


@dataclass(frozen=True)
class KeptTrends:
    """The senses of the model as they were shown when they were counted."""

    names: list[str]
    epochs: list[str]
    times: Floats
    counts: Floats  # (n_senses, n_epochs)
    words: Floats  # (n_epochs,)

    def of_word(self, model: Model, word: str, how: str = "relative") -> tuple[list[str], Floats]:
        """Names and normalised frequencies of the senses of a word, (n, n_epochs)."""
        rows = model.rows(word)
        names = model.names(rows)
        place = {name: i for i, name in enumerate(self.names)}
        if any(name not in place for name in names):
            raise InputError(f"the senses of '{word}' have changed since they were counted; run trends again")
        counts = self.counts[[place[name] for name in names]]
        return names, normalise(how, counts, self.words, np.array([0, len(names)]))


def keep_trends(folder: Path, model: Model, frequencies: Frequencies) -> None:
    names = model.names(slice(0, model.n_senses))
    with new_file(folder / TRENDS) as made, open(made, "wb") as file:
        np.savez_compressed(
            file,
            names=np.array(names),
            epochs=np.array([epoch.name for epoch in frequencies.epochs]),
            times=frequencies.times,
            counts=frequencies.counts.astype(np.float32),
            words=frequencies.words,
        )


def read_trends(folder: Path) -> KeptTrends | None:
    """What `keep_trends` wrote, if it did."""
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
