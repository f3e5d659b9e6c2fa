"""Tell a change of topic from a change of use: how often would a sense occur if only the topics had changed?

A word is used in contexts C, and they tell its sense. Suppose that it is as likely in a context as ever, and only the
contexts become more or less frequent around all other words. Then a use in context C belongs to epoch e with the
probability P(e | C), and sense k is expected Σ_u P(e | C_u) times in e, over all its uses u. What is found beyond that
is a change of use. (Standardisation; DiNardo, Fortin and Lemieux 1996 weigh a sample in this way.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.frequencies import Frequencies
from adagram.model import Model
from adagram.types import Floats

RARE = 5.0  # pseudo-uses of a word in an epoch, at its mean rate
_POWERS = np.linspace(0.05, 1.0, 20)
_N_FITTED = 300  # words whose contexts choose the power


def expected_counts(model: Model, frequencies: Frequencies, words: NDArray[np.int64]) -> Floats:
    """Return how often the senses of some words would occur in each epoch, (n_senses, n_epochs), NaN for other words.

    P(e | C) ∝ N_e · Π_{c ∈ C} (rate of c in e around other words / its mean rate)^power. Context words are not
    independent; the power is that which dates the contexts best.
    """
    by_word = np.add.reduceat(frequencies.counts, model.offsets[:-1], axis=0)  # (n_words, n_epochs)
    log_size = np.log(frequencies.words / frequencies.words.sum())
    some = words[:: max(1, len(words) // _N_FITTED)]
    power = _best_power([_log_rates(model, frequencies, by_word, int(w)) for w in some], log_size)
    expected = np.full_like(frequencies.counts, np.nan)
    for w in words.tolist():
        scores, _, senses = _log_rates(model, frequencies, by_word, w)
        dated = _softmax(log_size + power * scores)  # (n_uses, n_epochs)
        for k in range(int(model.offsets[w]), int(model.offsets[w + 1])):
            mean = dated[senses == k].mean(axis=0) if (senses == k).any() else np.exp(log_size)
            expected[k] = mean * frequencies.counts[k].sum()
    return expected


def _log_rates(
    model: Model, frequencies: Frequencies, by_word: Floats, w: int
) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64]]:
    """For the sampled uses of a word: Σ_c log rate of c in each epoch, (n_uses, n_epochs); their epochs and senses."""
    contexts = frequencies.contexts
    assert contexts is not None
    rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
    is_kept = contexts.epochs[rows] >= 0
    senses = np.nonzero(is_kept)[0]
    words, epochs = contexts.words[rows][is_kept], contexts.epochs[rows][is_kept]
    distinct, index = np.unique(np.append(words, -1), return_inverse=True)
    index = index[:-1].reshape(words.shape)
    # A context word stands beside a sense of w in epoch e as often as in its sampled uses, times the uses in e.
    beside = np.zeros((len(distinct), len(is_kept)))
    np.add.at(beside, (index, senses[:, None]), 1.0)
    beside = beside / np.maximum(is_kept.sum(axis=1), 1) @ frequencies.counts[rows]
    others = np.maximum(by_word[distinct] - beside, 0.0)
    size = frequencies.words / frequencies.words.sum()
    usual = others.sum(axis=1, keepdims=True) * size
    rates = np.log((others + RARE * size * len(size)) / (usual + RARE * size * len(size)))
    rates[distinct < 0] = 0.0
    return rates[index].sum(axis=1), epochs, senses + rows.start


def _best_power(
    samples: list[tuple[Floats, NDArray[np.int32], NDArray[np.int64]]], log_size: Floats
) -> float:
    """The power under which the epochs of the sampled uses are most likely."""
    scores = np.concatenate([scores for scores, _, _ in samples])
    epochs = np.concatenate([epochs for _, epochs, _ in samples])
    found = [
        np.log(_softmax(log_size + power * scores)[np.arange(len(epochs)), epochs]).mean()
        for power in _POWERS
    ]
    return float(_POWERS[int(np.argmax(found))])


def _softmax(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
