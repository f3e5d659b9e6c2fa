"""Find where a candidate sense starts: at the uses of its word that the known senses fit least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.config import TrainConfig
from adagram.maths.subsampling import keep_probability
from adagram.systems.past import Past
from adagram.types import F32, I64
from adagram.vocabulary import Vocabulary

LOOK = 100  # uses of a word that are looked at, evenly over the text
REACH = 2  # windows on each side: training leaves frequent words out, and so sees further than one
APART = 0.16  # cosine by which strange uses suit each other better than any sense, or they are no meaning
SLIGHT = 0.1  # words that training keeps less often say next to nothing of a use
LENGTH = 0.8  # from the mean of all senses, of the usual length: so that it can still turn


class Strange(NamedTuple):
    """Words that seem to have a meaning which they did not have, and where it is."""

    words: I64
    vectors: F32  # (len(words), width)


def strange_uses(past: Past, vocabulary: Vocabulary, config: TrainConfig, words: I64) -> Strange:
    """Those of these words of the past whose strangest uses in the new text are APART, each with a vector for them.

    The mean of all senses predicts what is frequent, whatever the word is. From there it is some way to the words
    around the strangest uses of the word.
    """
    from adagram.kernels.strange import find_directions, list_uses

    mean, counts = past.mean_vector, np.asarray(vocabulary.counts)
    centred = past.arrays["vectors"] - mean
    lengths = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    offsets = np.asarray(past.arrays["offsets"])
    means = np.zeros((len(counts), centred.shape[1]), np.float32)  # of the senses of each word, by prior
    means[: past.n_words] = np.add.reduceat(
        centred * past.arrays["priors"][:, None].astype(np.float32), offsets[:-1]
    )
    keep = keep_probability(counts, config.subsample)
    means *= np.where(keep < SLIGHT, 0.0, keep)[:, None].astype(np.float32)
    wanted, uses = np.full(len(counts), -1), counts.copy()
    wanted[words] = np.arange(len(words))
    uses[: past.n_words] -= past.counts
    begins = np.append(0, np.minimum(uses[words], LOOK).cumsum())
    places = np.zeros(int(begins[-1]), np.int64)
    list_uses(past.tokens, wanted, uses, begins, np.zeros(len(words), np.int64), places)
    sizes = np.diff(offsets)[words]
    firsts = np.append(0, sizes.cumsum())
    rows = np.arange(firsts[-1]) + np.repeat(offsets[words] - firsts[:-1], sizes)
    senses = centred[rows] / np.maximum(lengths[rows], np.finfo(np.float32).tiny)[:, None]
    found, apart = np.empty((len(words), len(mean)), np.float32), np.empty(len(words), np.float32)
    reach = REACH * config.window
    find_directions(past.tokens, reach, means, places, begins, senses, firsts, found, apart)
    usual, is_apart = np.average(lengths, weights=past.arrays["counts"]), apart > APART
    return Strange(
        words[is_apart], np.asarray(mean + np.float32(LENGTH * usual) * found[is_apart], np.float32)
    )
