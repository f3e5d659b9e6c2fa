"""Counting senses of words in documents, and collecting what stands around them."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import helper, jit


@helper
def likeliest_sense(places, values, i):
    """Number and posterior of the likeliest sense of word i."""
    best = places[i]
    for v in range(places[i] + 1, places[i + 1]):
        if values[v] > values[best]:
            best = v
    return best - places[i], values[best]


@jit
def tally(uses, weights, slots, counts, is_hard):
    """counts[slots[d], row] += weights[d] · posterior, for every word of document d; a slot below 0 is left out."""
    ids, ends, offsets, places, values = uses
    i = 0
    for d in range(len(ends)):
        slot, weight = slots[d], weights[d]
        while i < ends[d]:
            if slot >= 0:
                row = offsets[ids[i]]
                if is_hard:
                    counts[slot, row + likeliest_sense(places, values, i)[0]] += weight
                else:
                    for v in range(places[i], places[i + 1]):
                        counts[slot, row + v - places[i]] += weight * values[v]
            i += 1


@jit
def tally_drawn(uses, draws, slots, counts):
    """counts[slots[d], row, b] += draws[d, b] · posterior: the same for many resamples of the documents at once."""
    ids, ends, offsets, places, values = uses
    i = 0
    for d in range(len(ends)):
        slot = slots[d]
        while i < ends[d]:
            if slot >= 0:
                row = offsets[ids[i]]
                for v in range(places[i], places[i + 1]):
                    value = np.float32(values[v])
                    cells = counts[slot, row + v - places[i]]
                    for b in range(len(cells)):
                        cells[b] += draws[d, b] * value
            i += 1
