"""Kernels that count senses in documents, choose example sentences, and count collocates."""

from __future__ import annotations

import numpy as np

from adagram.kernels.jit import jit, part
from adagram.kernels.math import uniform
from adagram.kernels.predict import likeliest_sense


@jit
def tally(uses, slots, counts, is_hard):
    """counts[slots[d], row] += posterior, for every word of document d; a slot below 0 is left out."""
    ids, ends, offsets, places, values = uses
    begin = 0
    for d in range(len(ends)):
        for i in range(begin, ends[d] if slots[d] >= 0 else begin):
            row = offsets[ids[i]]
            if is_hard:
                counts[slots[d], row + likeliest_sense(places, values, i)[0]] += 1.0
            else:
                for v in range(places[i], places[i + 1]):
                    counts[slots[d], row + v - places[i]] += values[v]
        begin = ends[d]


@jit
def tally_drawn(uses, draws, slots, counts):
    """counts[slots[d], row, b] += draws[d, b] · posterior: the same for many resamples of the documents at once."""
    ids, ends, offsets, places, values = uses
    begin = 0
    for d in range(len(ends)):
        for i in range(begin, ends[d] if slots[d] >= 0 else begin):
            row = offsets[ids[i]]
            for v in range(places[i], places[i + 1]):
                value = np.float32(values[v])
                cells = counts[slots[d], row + v - places[i]]
                for b in range(len(cells)):
                    cells[b] += draws[d, b] * value
        begin = ends[d]


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
                    score = posterior * quality[s] * (0.75 + 0.25 * uniform(row, first + s))
                    if score > scores[row, worst]:
                        scores[row, worst], sentences[row, worst] = score, first + s
                        posteriors[row, worst] = posterior
                        is_taken[s] = True
            i += 1


@jit
def sample_contexts(uses, line_ends, slots, seen, words, epochs):
    """Keep a random sample of the contexts of each sense, and the epochs that they are from.

    words (n_senses, n_kept, 2 · window) is padded with -1, seen (n_senses,) counts uses so far; slots as in `tally`.
    """
    ids, ends, offsets, places, values = uses
    window = words.shape[2] // 2
    begin = d = 0
    for end in line_ends:
        while d < len(ends) - 1 and ends[d] < end:
            d += 1
        for i in range(begin, end if slots[d] >= 0 else begin):
            row = offsets[ids[i]] + likeliest_sense(places, values, i)[0]
            at = seen[row] if seen[row] < words.shape[1] else np.int64(uniform(row, seen[row]) * (seen[row] + 1))
            seen[row] += 1
            if at >= words.shape[1]:
                continue
            epochs[row, at] = slots[d]
            for o in range(window):
                before, after = i - 1 - o, i + 1 + o
                words[row, at, o] = ids[before] if before >= begin else -1
                words[row, at, window + o] = ids[after] if after < end else -1
        begin = end


FULL = 0.6  # of the slots of a table
_MIX = np.uint64(0x9E3779B97F4A7C15)


@part
def slot_of(keys, key):
    """Return the slot of a key in the table, or a free one for it; keys are positive, the size is a power of two."""
    mask = np.uint64(len(keys) - 1)
    h = np.uint64(key) * _MIX
    at = (h ^ (h >> np.uint64(29))) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@jit
def count_around(uses, line_ends, line, window, choice, table, totals, used):
    """Count (sense, context word) pairs around the words that are due, from a line on until the table is nearly full.

    Return the line to continue with and the number of used slots.

    choice: `rates` (n_words,) how many of a word's uses are counted, `phases` (n_words,) how far the next is away,
    `is_common` (n_words,) context words to ignore. totals: uses and pairs per sense, pairs per context word.
    """
    ids, offsets, places, values = uses
    rates, phases, is_common = choice
    keys, counts = table
    uses_of, pairs_of, pairs_with = totals
    n_words, limit = len(rates), FULL * len(keys)
    begin = line_ends[line - 1] if line > 0 else 0
    while line < len(line_ends) and used < limit:
        end = line_ends[line]
        for i in range(begin, end):
            w = ids[i]
            phases[w] += rates[w]
            if phases[w] < 1.0:
                continue
            phases[w] -= 1.0
            row = offsets[w] + likeliest_sense(places, values, i)[0]
            uses_of[row] += 1
            for j in range(max(begin, i - window), min(end, i + window + 1)):
                c = ids[j]
                if is_common[c] or c == w:
                    continue
                pairs_of[row] += 1
                pairs_with[c] += 1
                key = row * n_words + c + 1
                at = slot_of(keys, key)
                if keys[at] == 0:
                    if used > len(keys) - 2:
                        continue  # an endless line: the search needs a free slot to end
                    keys[at] = key
                    used += 1
                counts[at] += 1
        begin = end
        line += 1
    return line, used


@jit
def keep_above(old_keys, old_counts, least, keys, counts):
    """Move the pairs that were counted more than `least` times into an empty table; return their number."""
    used = 0
    for i in range(len(old_keys)):
        if old_counts[i] > least:
            at = slot_of(keys, old_keys[i])
            keys[at], counts[at] = old_keys[i], old_counts[i]
            used += 1
    return used
