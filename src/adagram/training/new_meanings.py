"""Find words with a new meaning: uses that none of their senses fits, and a start vector for a candidate sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.paper.schedule import keep_probability
from adagram.types import F32, I64

if TYPE_CHECKING:
    from adagram.training.continued_systems import PreviousState

MAX_USES = 100  # of a word that are examined, evenly over the text
RADIUS = 2  # windows on each side: subsampled training windows extend further than one
MIN_DISTANCE = 0.16  # cosine by which the uses must be nearer to each other than to any sense
MIN_KEEP = 0.1  # words that subsampling keeps less often are ignored
LENGTH = 0.8  # of the start vector from the mean of all senses, in average lengths: it can still turn


class NewMeanings(NamedTuple):
    """Words that seem to have a new meaning, each with a start vector for it."""

    words: I64
    vectors: F32  # (len(words), width)


def find_new_meanings(
    previous: PreviousState, vocabulary: Vocabulary, config: TrainConfig, words: I64
) -> NewMeanings:
    """Return those of these known words that have uses in the new text which no known sense fits.

    The start vector is the mean of all senses, which predicts frequent words, moved towards the context words of the
    uses that fit least.
    """
    from adagram.training._new_meanings import find_directions, list_uses

    mean, counts = previous.mean_vector, np.asarray(vocabulary.counts)
    centred = previous.arrays["vectors"] - mean
    lengths = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    offsets = np.asarray(previous.arrays["offsets"])
    means = np.zeros((len(counts), centred.shape[1]), np.float32)  # of the senses of each word, by prior
    means[: previous.n_words] = np.add.reduceat(
        centred * previous.arrays["priors"][:, None].astype(np.float32), offsets[:-1]
    )
    keep = keep_probability(counts, config.subsample)
    means *= np.where(keep < MIN_KEEP, 0.0, keep)[:, None].astype(np.float32)
    wanted, uses = np.full(len(counts), -1), counts.copy()
    wanted[words] = np.arange(len(words))
    uses[: previous.n_words] -= previous.counts
    begins = np.append(0, np.minimum(uses[words], MAX_USES).cumsum())
    positions = np.zeros(int(begins[-1]), np.int64)
    list_uses(previous.tokens, wanted, uses, begins, np.zeros(len(words), np.int64), positions)
    sizes = np.diff(offsets)[words]
    firsts = np.append(0, sizes.cumsum())
    rows = np.arange(firsts[-1]) + np.repeat(offsets[words] - firsts[:-1], sizes)
    senses = centred[rows] / np.maximum(lengths[rows], np.finfo(np.float32).tiny)[:, None]
    found, apart = np.empty((len(words), len(mean)), np.float32), np.empty(len(words), np.float32)
    radius = RADIUS * config.window
    find_directions(previous.tokens, radius, means, positions, begins, senses, firsts, found, apart)
    usual, is_apart = np.average(lengths, weights=previous.arrays["counts"]), apart > MIN_DISTANCE
    return NewMeanings(
        words[is_apart], np.asarray(mean + np.float32(LENGTH * usual) * found[is_apart], np.float32)
    )
