"""Merge senses of a word that are one meaning.

A meaning tends to last through a passage. Senses that split one meaning follow each other in a text about as often as
by chance, or more often; senses of two meanings hardly ever do. Similar vectors are a second sign, and both together
are more reliable than either (benchmarks/notebooks/2026-11-18-senses.md).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.parallel import in_order
from adagram.model import Model
from adagram.model.predict import Posteriors, TreePredictor
from adagram.systems.adagram import AdaGram
from adagram.systems.base import System
from adagram.training.progress import Stop
from adagram.types import I64, Floats

LIFT_WEIGHT = 0.5  # of the logarithm of the lift beside the cosine
EXPECTED_LIFT = 0.5  # without pairs: most senses are different meanings


def log_lift(pairs: Floats) -> Floats:
    """log of how often senses i and j follow each other over how often they would by chance, (K, K).

    pairs[i, j] is the number of pairs of near occurrences, the first of sense i and the second of sense j. One pseudo
    pair with the lift EXPECTED_LIFT is added: few pairs are weak evidence, and in a text of single sentences vectors
    have to be more alike.
    """
    both = (pairs + pairs.T) / 2
    total = max(float(both.sum()), 1e-12)
    share = both.sum(axis=1) / total
    return np.asarray(np.log((both + EXPECTED_LIFT) / (total * np.outer(share, share) + 1.0)))


def likeness(vectors: NDArray[np.floating], pairs: Floats) -> Floats:
    """Cosine of the vectors plus the weighted log lift, (K, K)."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.asarray(unit @ unit.T + LIFT_WEIGHT * log_lift(pairs))


def alike_groups(
    vectors: NDArray[np.float32], counts: Floats, pairs: Floats, least: float
) -> list[list[int]]:
    """Group the senses of a word: merge the two most alike again and again, until no likeness reaches `least`.

    Each group is in order, and so are the groups by their first senses.
    """
    groups = [[k] for k in range(len(vectors))]
    sums = np.array(
        vectors * counts[:, None], dtype=np.float64
    )  # only directions matter, so sums do for means
    pairs = np.array(pairs, dtype=np.float64)
    while len(groups) > 1:
        alike = likeness(sums, pairs)
        alike[np.triu_indices(len(groups))] = -np.inf
        second, first = np.unravel_index(int(alike.argmax()), alike.shape)
        if alike[second, first] < least:
            break
        groups[first] = sorted(groups[first] + groups.pop(second))
        sums[first] += sums[second]
        pairs[first] += pairs[second]
        pairs[:, first] += pairs[:, second]
        sums = np.delete(sums, second, axis=0)
        pairs = np.delete(np.delete(pairs, second, axis=0), second, axis=1)
    return groups


USUAL = 0.5  # agreement without pairs
WEIGHT = 10.0  # pseudo pairs of the usual agreement


def agreement(pairs: Floats) -> float:
    """Scott's π = (same - chance) / (1 - chance), shrunk to USUAL by WEIGHT pairs.

    pairs[i, j] is the number of pairs of near occurrences, the first of sense i and the second of sense j. Both are
    drawn from the same uses, and their order does not matter: so chance is Σ_k p_k² with one distribution p for both.
    (Cohen's κ has a distribution for each side, as for two raters.) One meaning lasts through a passage, so senses
    that are meanings come in runs: π nears 1. Senses that are assigned at random have π = 0.
    """
    total = float(pairs.sum())
    if total <= 0.0:
        return USUAL
    both = (pairs + pairs.T) / (2 * total)
    same, chance = float(np.trace(both)), float((both.sum(axis=1) ** 2).sum())
    scotts_pi = (same - chance) / (1.0 - chance) if chance < 1.0 else USUAL
    return (total * scotts_pi + WEIGHT * USUAL) / (total + WEIGHT)


def merge_pairs(pairs: Floats, groups: list[list[int]]) -> Floats:
    """Return the pairs after the senses of each group are merged."""
    first = np.arange(len(pairs))
    for group in groups:
        first[group] = group[0]
    member = (first[:, None] == np.unique(first)).astype(np.float64)  # (K, senses after merging)
    return np.asarray(member.T @ pairs @ member)


MIN_LIKENESS = (
    0.3  # chosen on WWSI train and the first half of SemEval-2010 (benchmarks/notebooks/2026-11-18-senses.md)
)
PAIRS = 1000  # of near occurrences, about so many of each word are sampled
CHUNK = 1 << 16  # pairs at a time
MARGIN = 1024  # words of text on each side of a chunk: more than a context has


@dataclass(frozen=True)
class NearPairs:
    """Expected numbers of pairs of near occurrences of each word by their senses."""

    sizes: I64  # senses of each word; no pairs are kept of a word with one
    begins: I64
    sums: Floats

    def of(self, w: int) -> Floats:
        """(K, K)"""
        size = int(self.sizes[w])
        return self.sums[self.begins[w] : self.begins[w] + size * size].reshape(size, size)


def merge_alike(system: System, corpus: EncodedCorpus, info: dict[str, Any], stop: Stop) -> bool:
    """Merge the senses of each word that are one meaning, after the last round of a run.

    Return False, with the state unchanged, if the user has asked to stop.
    """
    assert isinstance(system, AdaGram)  # TrainConfig refuses merge_senses for others
    model = Model(system.model_arrays(), corpus.vocabulary, info)
    pairs = near_pairs(model, corpus, system.config.n_threads, stop)
    if stop:
        return False
    groups = list(groups_to_merge(model, pairs))
    system.merge(groups)
    system.agreement = agreements(pairs, groups)
    return True


def near_pairs(model: Model, corpus: EncodedCorpus, threads: int = 0, stop: Stop | None = None) -> NearPairs:
    """Count which senses follow each other in a text, in a sample of about PAIRS pairs of every ambiguous word.

    End early, with fewer pairs, if the user asks to stop.
    """
    from adagram.training._merge_senses import add_pairs

    sizes = np.diff(model.offsets)
    cells = np.where(sizes > 1, sizes * sizes, 0)
    begins = np.append(0, cells.cumsum())
    sums = np.zeros(int(begins[-1]))
    n = threads or os.cpu_count() or 1
    tokens, predictor = corpus.tokens, TreePredictor(model, model.context)

    def score(pairs: I64) -> tuple[I64, Posteriors]:
        start = max(0, int(pairs.min()) - MARGIN)
        ids = np.array(tokens[start : int(pairs.max()) + MARGIN], dtype=np.int32)
        where = (pairs - start).ravel()
        return ids[where[: pairs.shape[1]]].astype(np.int64), predictor.at_places(ids, where)

    with ThreadPoolExecutor(n) as pool:
        for words, found in in_order(pool, score, _sampled(corpus, sizes > 1, model.config.seed), n):
            add_pairs(words, found.places, found.values, sizes, begins, sums)
            if stop:
                break
    return NearPairs(sizes, begins, sums)


def _sampled(corpus: EncodedCorpus, wanted: np.ndarray, seed: int) -> Iterator[I64]:
    """Yield positions of pairs, (2, n) at a time, in the order of the text."""
    from adagram.training._merge_senses import count_pairs, sample_pairs

    n_words = len(corpus.vocabulary)
    tokens = np.asarray(corpus.tokens)
    ends, counts = np.asarray(corpus.ends).astype(np.int64), np.zeros(n_words, np.int64)
    count_pairs(tokens, ends, np.full(n_words, -1), counts)
    chances = np.where(wanted, np.minimum(1.0, PAIRS / np.maximum(counts, 1)), 0.0)
    expected = float((chances * counts).sum())
    pairs = np.empty((2, int(expected + 10 * np.sqrt(expected)) + 16), np.int64)
    n = sample_pairs(tokens, ends, chances, np.uint64(seed), np.full(n_words, -1), *pairs)
    for at in range(0, n, CHUNK):
        yield pairs[:, at : min(n, at + CHUNK)]


def groups_to_merge(
    model: Model, pairs: NearPairs, least: float = MIN_LIKENESS
) -> Iterator[tuple[int, list[int]]]:
    """Yield words with those of their senses that are one meaning, at least two at a time."""
    vectors, counts = model.arrays["vectors"], model.arrays["counts"]
    for w in np.flatnonzero(pairs.sizes > 1).tolist():
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        for group in alike_groups(vectors[rows], counts[rows], pairs.of(w), least):
            if len(group) > 1:
                yield w, group


def agreements(pairs: NearPairs, groups: list[tuple[int, list[int]]]) -> Floats:
    """Return the agreement of near occurrences of each word after these senses are merged, (n_words,)."""
    merged = defaultdict[int, list[list[int]]](list)
    for w, group in groups:
        merged[w].append(group)
    found = np.full(len(pairs.sizes), USUAL)
    for w in np.flatnonzero(pairs.sizes > 1).tolist():
        found[w] = agreement(merge_pairs(pairs.of(w), merged[w]))
    return found
