"""The best few sentences of every sense, in tables of fixed size."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper, jit
from adagram.kernels.tally import likeliest_sense

_MIX = np.uint64(0x9E3779B97F4A7C15)


@helper
def chance(a, b):
    """A number from 0 to 1 that depends on a and b only."""
    h = (np.uint64(a) * _MIX) ^ (np.uint64(b) + _MIX)
    h = (h ^ (h >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (h >> np.uint64(40)) / 16777216.0


@jit
def offer_sentences(uses, sentence_ends, quality, first, best, is_taken):
    """Offer every sentence to the senses of its words; best: scores, sentences and posteriors, (n_senses, n_best).

    Sentence s has the number first + s and a quality up to 1. A score is posterior · quality, with up to a quarter
    left to chance, so that the examples of a sense come from all over the corpus. is_taken marks sentences to keep.
    """
    ids, offsets, places, values = uses
    scores, sentences, posteriors = best
    i = 0
    for s in range(len(sentence_ends)):
        while i < sentence_ends[s]:
            if quality[s] > 0.0:
                k, posterior = likeliest_sense(places, values, i)
                row = offsets[ids[i]] + k
                worst, present = 0, False
                for e in range(scores.shape[1]):
                    if scores[row, e] < scores[row, worst]:
                        worst = e
                    present |= sentences[row, e] == first + s
                if posterior * quality[s] > scores[row, worst] and not present:
                    score = posterior * quality[s] * (0.75 + 0.25 * chance(row, first + s))
                    if score > scores[row, worst]:
                        scores[row, worst], sentences[row, worst] = score, first + s
                        posteriors[row, worst] = posterior
                        is_taken[s] = True
            i += 1
