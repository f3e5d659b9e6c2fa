"""Join words that occur together into phrases, like word2phrase, on token ids instead of text.

score(a, b) = (n_ab - min_count) · n / (n_a · n_b); pairs above the threshold become one token a_b.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.count import DROPPED, Candidates
from adagram.corpus.encoded import Spool
from adagram.corpus.options import EncodeOptions

JOINER = "_"
MAX_PAIRS = 1 << 24  # pairs counted; beyond it the rarer half is forgotten
_SECOND = np.uint64(0xFFFFFFFF)
_NO_PAIR = np.uint64(0xFFFFFFFFFFFFFFFF)
Keys = NDArray[np.uint64]  # first id << 32 | second id
PairCounts = tuple[Keys, NDArray[np.int64]]  # sorted keys, and how often each occurs


def join_phrases(
    spool: Spool, candidates: Candidates, options: EncodeOptions, folder: Path, number: int
) -> tuple[Spool, Candidates, int]:
    """Join once: return the new spool, the words with their new counts, and the number of joins."""
    pairs = _count_pairs(spool, candidates.counts, options.phrase_min_count)
    words, keys, ids = _name_phrases(_choose_pairs(pairs, candidates.counts, options), candidates)
    n_before = len(candidates.counts)
    counts = np.zeros(n_before + len(words), np.int64)
    joined = Spool(folder, f"phrases{number}.")
    n_joins = _join(spool, joined, keys, ids, counts)
    joined.close()
    counts[:n_before][candidates.counts == 0] = 0  # forgotten words stay forgotten

    def word(i: int) -> str:
        return candidates.word(i) if i < n_before else words[i - n_before]

    return joined, Candidates(counts, word), n_joins


def _count_pairs(spool: Spool, counts: NDArray[np.int64], min_count: int) -> PairCounts:
    """Count neighbouring words that are frequent enough themselves.

    Sorted runs of counts are merged once they are of similar size, so that each pair is merged a few times only.
    """
    is_frequent = counts >= min_count
    runs: list[PairCounts] = [(np.empty(0, np.uint64), np.empty(0, np.int64))]
    before = DROPPED
    for tokens, ends in spool.read():
        sequence = np.concatenate([[before], tokens]).astype(np.uint64)
        is_pair = is_frequent[sequence[:-1]] & is_frequent[sequence[1:]]
        is_pair[ends[ends < len(tokens)]] = False
        runs.append(np.unique(_pair_keys(sequence)[is_pair], return_counts=True))
        while len(runs) > 1 and 2 * len(runs[-1][0]) > len(runs[-2][0]):
            runs.append(_merge(runs.pop(), runs.pop()))
        before = DROPPED if len(ends) and ends[-1] == len(tokens) else int(tokens[-1])
    while len(runs) > 1:
        runs.append(_merge(runs.pop(), runs.pop()))
    return runs[0]


def _pair_keys(tokens: NDArray[np.uint64]) -> Keys:
    return tokens[:-1] << np.uint64(32) | tokens[1:]


def _merge(one: PairCounts, other: PairCounts) -> PairCounts:
    """Add counts; beyond MAX_PAIRS forget the rarer half."""
    keys, places = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, places, np.concatenate([one[1], other[1]]))
    if len(keys) > MAX_PAIRS:
        is_kept = counts > np.partition(counts, len(counts) // 2)[len(counts) // 2]
        keys, counts = keys[is_kept], counts[is_kept]
    return keys, counts


def _choose_pairs(pairs: PairCounts, counts: NDArray[np.int64], options: EncodeOptions) -> Keys:
    """Return the pairs above the threshold, in the order of their keys."""
    keys, together = pairs
    is_frequent = together >= options.phrase_min_count
    keys, together = keys[is_frequent], together[is_frequent]
    first, second = (keys >> np.uint64(32)).astype(np.int64), (keys & _SECOND).astype(np.int64)
    scores = (together.astype(float) - options.phrase_min_count) * float(counts.sum()) / counts[first] / counts[second]
    return keys[scores > options.phrase_threshold]


def _name_phrases(chosen: Keys, candidates: Candidates) -> tuple[list[str], Keys, NDArray[np.uint32]]:
    """Return the new words, and the pairs with their ids; a phrase that is a word already keeps that word's id."""
    known = {}
    for i in np.flatnonzero(candidates.counts).tolist():
        if JOINER in (word := candidates.word(i)):
            known[word] = i
    words: list[str] = []
    ids = []
    for key in chosen.tolist():
        phrase = f"{candidates.word(key >> 32)}{JOINER}{candidates.word(key & int(_SECOND))}"
        if phrase not in known:
            known[phrase] = len(candidates.counts) + len(words)
            words.append(phrase)
        ids.append(known[phrase])
    return words, np.append(chosen, _NO_PAIR), np.array([*ids, DROPPED], np.uint32)


def _join(spool: Spool, joined: Spool, keys: Keys, ids: NDArray[np.uint32], counts: NDArray[np.int64]) -> int:
    """Replace pairs by phrases from the left, and count the words that result; return the number of joins."""
    n_joins = 0
    rest = np.empty(0, np.uint32)  # a last token that may join the next batch
    for batch, batch_ends in spool.read():
        tokens, ends = np.concatenate([rest, batch]), batch_ends + len(rest)
        pairs = _pair_keys(tokens.astype(np.uint64))
        places = np.searchsorted(keys, pairs)
        is_pair = keys[places] == pairs
        is_pair[ends[ends < len(tokens)] - 1] = False
        # In a row of overlapping pairs every other one is joined, beginning with the first.
        order = np.arange(len(pairs))
        before = np.maximum.accumulate(np.where(is_pair, -1, order))
        is_join = is_pair & ((order - before) % 2 == 1)
        is_kept = np.append(True, ~is_join)
        tokens[:-1][is_join] = ids[places[is_join]]
        is_whole = len(ends) > 0 and ends[-1] == len(tokens)
        is_open = not (is_whole or tokens[-1] == DROPPED or (len(is_join) > 0 and is_join[-1]))
        rest = tokens[len(tokens) - is_open :]
        out = tokens[: len(tokens) - is_open][is_kept[: len(tokens) - is_open]]
        joined.write(out, np.cumsum(is_kept)[ends - 1])
        np.add.at(counts, out, 1)
        n_joins += int(is_join.sum())
    joined.write(rest, np.empty(0, np.int64))
    np.add.at(counts, rest, 1)
    return n_joins
