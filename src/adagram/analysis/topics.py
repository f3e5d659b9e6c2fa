"""Tell a change of topic from a change of use, in a random sample of the uses of each sense.

Topic. A word is used in contexts C. Suppose that it is as likely in a context as ever, and only the contexts become
more or less frequent around all other words. Then a use in context C belongs to epoch e with P(e | C), and
sense k is expected Σ_u P(e | C_u) times in e, over all its uses u. (Standardisation; DiNardo, Fortin and Lemieux 1996.)

Use. What a word is used for shows in the words directly beside it. If they tell sense k from the word's other senses
with p(k | neighbours), then the share of k that they show changes by d_k times the share's change, with
d_k = E[p(k | neighbours) | k] - E[p(k | neighbours) | not k].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.frequencies import Contexts, Frequencies
from adagram.model import Model
from adagram.types import Floats

RARE = 5.0  # pseudo-uses of a context word in an epoch, at its mean rate
FEW = 20.0  # pseudo-uses of a sense's neighbours, as they stand beside the word
_POWERS = np.linspace(0.05, 1.0, 20)
_N_FITTED = 300  # words whose contexts choose the power


class Parts(NamedTuple):
    """For the senses of some words; NaN for other words."""

    expected: Floats  # (n_senses, n_epochs) how often a sense would occur if only the topics had changed
    distinct: Floats  # (n_senses,) d_k: 0 if direct neighbours do not tell the sense, 1 if they always do


class _Sample(NamedTuple):
    """The sampled uses of a word."""

    senses: NDArray[np.int64]  # (n_uses,) from 0
    epochs: NDArray[np.int32]
    around: NDArray[np.int64]  # (n_uses, n) indices into `words`
    words: NDArray[np.int32]  # the first is -1: no word


def change_parts(model: Model, frequencies: Frequencies, words: NDArray[np.int64]) -> Parts:
    """Return what topics explain, and how far direct neighbours tell the senses, for the senses of some words.

    P(e | C) ∝ N_e · Π_{c ∈ C} (rate of c in e around other words / its mean rate)^power. Context words are not
    independent; the power is that which dates the contexts best.
    """
    contexts, neighbours = frequencies.contexts, frequencies.neighbours
    assert contexts is not None
    assert neighbours is not None
    window = contexts.words.shape[2] // 2
    is_far = np.arange(2 * window) % window > 0  # the direct neighbours are no topic
    by_word = np.add.reduceat(frequencies.counts, model.offsets[:-1], axis=0)  # (n_words, n_epochs)
    size = frequencies.words / frequencies.words.sum()

    def of_word(w: int) -> tuple[slice, _Sample, Floats]:
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        sample = _sample(contexts, rows, is_far)
        return rows, sample, _log_rates(sample, frequencies.counts[rows], by_word, size)

    fitted = [of_word(int(w)) for w in words[:: max(1, len(words) // _N_FITTED)]]
    power = _best_power(fitted, size)
    parts = Parts(np.full_like(frequencies.counts, np.nan), np.full(model.n_senses, np.nan))
    for w in words.tolist():
        rows, sample, scores = of_word(w)
        counts = frequencies.counts[rows].sum(axis=1)
        parts.expected[rows] = _means(_dated(scores, power, size), sample, len(counts)) * counts[:, None]
        parts.distinct[rows] = _distinct(_sample(neighbours, rows, np.array([True, True])), counts)
    return parts


def _sample(contexts: Contexts, rows: slice, places: NDArray[np.bool_]) -> _Sample:
    """The sampled uses of the senses in some rows, with the words in some places of the context."""
    is_kept = contexts.epochs[rows] >= 0
    found = contexts.words[rows][is_kept][:, places]
    words, index = np.unique(np.append(found, -1), return_inverse=True)
    around = index[:-1].reshape(found.shape)
    return _Sample(np.nonzero(is_kept)[0], contexts.epochs[rows][is_kept], around, words)


def _means(values: Floats, sample: _Sample, n_senses: int) -> Floats:
    """The mean of values (n_uses, n) over the uses of each sense, (n_senses, n); over all uses if it has none."""
    sums = np.zeros((n_senses, values.shape[1]))
    np.add.at(sums, sample.senses, values)
    n = np.bincount(sample.senses, minlength=n_senses)[:, None]
    return np.where(n > 0, sums / np.maximum(n, 1), values.mean(axis=0))


def _log_rates(sample: _Sample, counts: Floats, by_word: Floats, size: Floats) -> Floats:
    """Σ_c log(rate of c in e around other words / its mean rate), for each use, (n_uses, n_epochs)."""
    # A context word stands beside sense k in epoch e as often as in the sampled uses, times the uses in e.
    beside = np.zeros((len(sample.words), len(counts)))
    np.add.at(beside, (sample.around, sample.senses[:, None]), 1.0)
    beside = beside / np.maximum(np.bincount(sample.senses, minlength=len(counts)), 1) @ counts
    everywhere = np.maximum(by_word[sample.words], 1e-9)
    others = everywhere * np.exp(
        -beside / everywhere
    )  # those that stand beside no use, if uses fall anywhere
    few = RARE * size * len(size)
    rates = np.log((others + few) / (others.sum(axis=1, keepdims=True) * size + few))
    rates[0] = 0.0
    return np.asarray(rates[sample.around].sum(axis=1))


def _dated(scores: Floats, power: float, size: Floats) -> Floats:
    """P(e | C) of each use, (n_uses, n_epochs)."""
    from scipy.special import softmax

    return np.asarray(softmax(np.log(size) + power * scores, axis=1))


def _best_power(fitted: list[tuple[slice, _Sample, Floats]], size: Floats) -> float:
    """The power under which the epochs of the sampled uses are most likely."""
    scores = np.concatenate([scores for _, _, scores in fitted])
    epochs = np.concatenate([sample.epochs for _, sample, _ in fitted])
    uses = np.arange(len(epochs))
    found = [np.log(_dated(scores, power, size)[uses, epochs]).mean() for power in _POWERS]
    return float(_POWERS[int(np.argmax(found))])


def _distinct(sample: _Sample, counts: Floats) -> Floats:
    """d_k of each sense; p(k | neighbours) is naive Bayes, learned from all other uses."""
    from scipy.special import softmax

    prior, near, senses = counts / counts.sum(), sample.around, sample.senses
    is_word = near > 0
    seen = np.zeros((len(counts), len(sample.words)))
    np.add.at(seen, (np.broadcast_to(senses[:, None], near.shape)[is_word], near[is_word]), 1.0)
    total = seen.sum(axis=1)
    usual = prior @ (seen / np.maximum(total, 1.0)[:, None])  # (n_words,) beside any use
    uses = np.arange(len(near))
    found = seen[:, near].transpose(1, 2, 0)  # (n_uses, 2, n_senses)
    found[uses[:, None], np.arange(near.shape[1]), senses[:, None]] -= (
        near[:, :, None] == near[:, None, :]
    ).sum(axis=2)
    totals = np.tile(total, (len(near), 1))
    totals[uses, senses] -= is_word.sum(axis=1)
    p = (found + FEW * usual[near][:, :, None] + 1e-12) / (totals[:, None] + FEW)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.log(prior) + np.where(is_word[:, :, None], np.log(p), 0.0).sum(axis=1)
        told = _means(softmax(scores, axis=1), sample, len(counts))  # (n_senses, n_senses): true, told
        right = np.diagonal(told)
        elsewhere = (prior @ told - prior * right) / (1.0 - prior)
    return np.asarray(np.clip(np.nan_to_num(right - elsewhere), 0.0, 1.0))
