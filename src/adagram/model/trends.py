"""trends.npz: frequencies of senses over time, kept in the model folder for figures and the explorer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.files.atomic import new_file
from adagram.files.json import open_file
from adagram.types import I64, Floats

if TYPE_CHECKING:
    from adagram.model.model import Model

TRENDS = "trends.npz"
NORMALISATIONS = ("relative", "global", "epoch")
SMOOTH = 5  # epochs of the running mean in figures


def normalise(how: str, frequencies: Floats, totals: Floats, offsets: NDArray[np.int64]) -> Floats:
    """Make frequencies f of senses k in epochs e comparable, (n_senses, n_epochs) (Herman and Rychlý 2026).

    relative: f_ke / Σ_k f_ke, the share of a sense among the word's senses; NaN if the word does not occur.
    epoch: |E| (f_e / N_e) / Σ_e (f_e / N_e), a sense against its own mean over the epochs.
    global: the same with all senses of the word in the sum, so that its senses are on one scale.
    """
    sizes = np.diff(offsets)
    if how == "relative":
        below = np.repeat(np.add.reduceat(frequencies, offsets[:-1], axis=0), sizes, axis=0)
    else:
        frequencies = frequencies / totals
        below = frequencies.sum(axis=1) / len(totals)
        if how == "global":
            below = np.repeat(np.add.reduceat(below, offsets[:-1]), sizes)
        below = np.broadcast_to(below[:, None], frequencies.shape)
    return np.asarray(np.divide(frequencies, below, out=np.full(below.shape, np.nan), where=below > 0))


def running_share(counts: Floats, half: int = SMOOTH // 2) -> tuple[Floats, Floats]:
    """Shares of the senses of a word in `half` epochs before and after each, and the word's uses in the epoch itself.

    Epochs weigh by their uses, so a lone use moves nothing; NaN if there is none.
    """
    sums = np.pad(counts, ((0, 0), (half + 1, half))).cumsum(axis=1)
    near = sums[:, 2 * half + 1 :] - sums[:, : -2 * half - 1]  # (n, n_epochs)
    near = np.maximum(near, 0.0)
    total = near.sum(axis=0)
    shares = np.divide(near, total, out=np.full(near.shape, np.nan), where=total > 1e-6)
    return shares, counts.sum(axis=0)


@dataclass(frozen=True)
class KeptTrends:
    """Counts of the senses as the model showed them when they were counted."""

    names: list[str]
    epochs: list[str]
    times: Floats
    counts: Floats  # (n_senses, n_epochs)
    words: Floats  # (n_epochs,)
    row_of: NDArray[np.int64]  # index in `names` of each learned sense; -1 if it was hidden
    # The senses that change, in the order of `adagram trends`: indices in `names`.
    ranked: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    # (n_words,) which words are names in the text; empty if the text does not tell.
    is_name: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))

    def counts_of_word(self, model: Model, word: str) -> Floats:
        """The uses of the senses of a word, (n, n_epochs).

        Senses that were merged since then are added up: exactly what would be counted now, but for counts of likeliest
        senses, of which a merged sense can have more.
        """
        (shown, is_known), rows = self._shown(model), model.rows(word)
        if not is_known[model.vocabulary.index[word]]:
            raise InputError(f"the senses of '{word}' have changed since they were counted; run trends again")
        counted = np.flatnonzero((shown >= rows.start) & (shown < rows.stop))
        counts = np.zeros((rows.stop - rows.start, len(self.epochs)))
        np.add.at(counts, shown[counted] - rows.start, self.counts[counted])
        return counts

    def counts_of_model(self, model: Model) -> Floats | None:
        """The uses of all senses that are shown; none of those that were counted as parts of others."""
        shown, is_known = self._shown(model)
        if not is_known.any():
            return None
        counts = np.zeros((model.n_senses, len(self.epochs)))
        np.add.at(counts, shown[shown >= 0], self.counts[shown >= 0])
        return counts

    def ranked_rows(self, model: Model) -> list[int]:
        """The rows in which the model shows the ranked senses, in order; none of words that have to be recounted."""
        shown, is_known = self._shown(model)
        rows = shown[self.ranked]
        rows = rows[rows >= 0]
        words = np.searchsorted(model.offsets, rows, side="right") - 1
        return list(dict.fromkeys(rows[is_known[words]].tolist()))

    def _shown(self, model: Model) -> tuple[I64, NDArray[np.bool_]]:
        """Of each counted sense the row that shows it now, -1 if there is none; of each word whether all have one."""
        now, offsets = rows_of_learned(model), model._learned.offsets
        if len(now) != len(self.row_of):
            return np.full(len(self.names), -1), np.zeros(len(model), bool)
        shown, is_counted = np.full(len(self.names), -1), self.row_of >= 0
        shown[self.row_of[is_counted]] = now[is_counted]
        is_same = np.where(is_counted, (shown[self.row_of] == now) & (now >= 0), now < 0)  # of learned senses
        shown[self.row_of[is_counted & ~is_same]] = -1  # its parts are shown apart, or hidden
        return shown, np.logical_and.reduceat(is_same, offsets[:-1])

    def keep(self, folder: Path) -> None:
        arrays = vars(self) | {"counts": self.counts.astype(np.float32)}
        with new_file(folder / TRENDS, overwrite=True) as made, open(made, "wb") as file:
            np.savez_compressed(file, **arrays)


def rows_of_learned(model: Model) -> NDArray[np.int64]:
    """The row in which the model shows each learned sense; -1 if it is hidden."""
    return np.arange(model.n_senses) if model.curation is None else model.curation.row_of


def read_trends(folder: Path) -> KeptTrends | None:
    """Read what `KeptTrends.keep` wrote; None if there is nothing."""
    path = folder / TRENDS
    if not path.is_file():
        return None
    try:
        with open_file(path) as file, np.load(file, allow_pickle=False) as kept:
            names, epochs, is_name = kept["names"].tolist(), kept["epochs"].tolist(), kept["is_name"].astype(np.bool_)
            times, counts, words = (kept[name].astype(np.float64) for name in ("times", "counts", "words"))
            row_of, ranked = (kept[name].astype(np.int64) for name in ("row_of", "ranked"))
            found = KeptTrends(names, epochs, times, counts, words, row_of, ranked, is_name)
    except Exception as error:  # numpy parses headers as Python: a damaged one raises whatever a parser can
        raise _damaged(path, str(error).partition("\n")[0]) from None
    _check(found, path)
    return found


def _check(found: KeptTrends, path: Path) -> None:
    """Refuse values that figures and the explorer cannot show."""
    texts, tables, n, n_epochs = (found.names, found.epochs), (found.counts, found.words, found.times), 0, 0
    is_text = all(isinstance(each, list) and all(isinstance(text, str) for text in each) for each in texts)
    if is_text:
        n, n_epochs = map(len, texts)
    fits = [table.shape for table in tables] == [(n, n_epochs), (n_epochs,), (n_epochs,)] and found.is_name.ndim == 1
    is_placed = all(
        places.ndim == 1 and ((places >= least) & (places < n)).all()
        for places, least in ((found.row_of, -1), (found.ranked, 0))
    )
    is_number = all(np.isfinite(table).all() for table in tables) and all((table >= 0).all() for table in tables[:2])
    if not (is_text and fits and is_placed and is_number):
        raise _damaged(path, "its parts do not fit together, or are not numbers of uses")


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} is damaged ({why}); run adagram trends again")
