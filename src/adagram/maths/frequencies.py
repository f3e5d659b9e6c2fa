"""Frequencies of senses over epochs, made comparable in three ways (Herman and Rychlý 2026)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.types import Floats

NORMALISATIONS = ("relative", "global", "epoch")


def per_epoch(frequencies: Floats, totals: Floats) -> Floats:
    """|E| (f_e / N_e) / Σ_e (f_e / N_e): a sense against its own mean over the epochs, (n_senses, n_epochs)."""
    rates = frequencies / totals
    return _divide(len(totals) * rates, rates.sum(axis=1, keepdims=True))


def globally(frequencies: Floats, totals: Floats, offsets: NDArray[np.int64]) -> Floats:
    """The same with the rates of all senses of the word in the sum: senses of a word are on one scale."""
    rates = frequencies / totals
    of_word = np.add.reduceat(rates.sum(axis=1), offsets[:-1])
    return _divide(len(totals) * rates, np.repeat(of_word, np.diff(offsets))[:, None])


def relative(frequencies: Floats, offsets: NDArray[np.int64]) -> Floats:
    """f_ke / Σ_k f_ke: the share of a sense among the word's senses; NaN where the word does not occur."""
    of_word = np.add.reduceat(frequencies, offsets[:-1], axis=0)
    return _divide(frequencies, np.repeat(of_word, np.diff(offsets), axis=0))


def normalise(how: str, frequencies: Floats, totals: Floats, offsets: NDArray[np.int64]) -> Floats:
    """One of NORMALISATIONS, by name."""
    if how == "epoch":
        return per_epoch(frequencies, totals)
    if how == "global":
        return globally(frequencies, totals, offsets)
    return relative(frequencies, offsets)


def _divide(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))
