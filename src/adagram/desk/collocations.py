"""Collocates of all senses at once, counted in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.desk.uses import Uses
from adagram.maths.collocation import log_dice, log_likelihood_ratio
from adagram.model import Model
from adagram.types import Floats

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
