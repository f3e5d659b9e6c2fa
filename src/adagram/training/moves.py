"""A move at the end of training: senses of a word that are one meaning become one sense.

Each word is judged by its vectors and by a sample of its occurrences that stand near each other in the text.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from adagram.arrays import I64, Floats
from adagram.encoded import EncodedCorpus
from adagram.maths.agreement import USUAL, agreement, united
from adagram.maths.merging import alike_groups
from adagram.model import Model
from adagram.model.predict import Posteriors, TreePredictor
from adagram.ordered import in_order
from adagram.systems.adagram import AdaGram
from adagram.systems.base import System
from adagram.training.interrupt import Stop

LEAST_ALIKE = 0.3  # chosen on WWSI train and the first half of SemEval-2010 (docs/senses.md)
PAIRS = 1000  # of near occurrences, about so many of a word are looked at
CHUNK = 1 << 16  # pairs at a time
MARGIN = 1024  # words of text on each side of a chunk: more than a context reaches


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
    """Unite, in the state of a run that is done, the senses of each word that are one meaning.

    Returns False, with the state as it was, if the user has asked to stop before that.
    """
    assert isinstance(system, AdaGram)  # TrainConfig refuses merge_senses for others
    model = Model(system.model_arrays(), corpus.vocabulary, info)
    pairs = near_pairs(model, corpus, system.config.n_threads, stop)
    if stop:
        return False
    groups = list(groups_to_merge(model, pairs))
    system.unite(groups)
    system.agreement = agreements(pairs, groups)
    return True


def near_pairs(model: Model, corpus: EncodedCorpus, threads: int = 0, stop: Stop | None = None) -> NearPairs:
    """Which senses follow each other in a text, from a sample of up to about PAIRS pairs of every ambiguous word.

    Ends early, with fewer pairs, when the user asks to stop.
    """
    from adagram.kernels.moves import add_pairs

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
    """Places of pairs, (2, n) at a time, in the order of the text."""
    from adagram.kernels.moves import count_pairs, sample_pairs

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
    model: Model, pairs: NearPairs, least: float = LEAST_ALIKE
) -> Iterator[tuple[int, list[int]]]:
    """Words with those of their senses that are one meaning, at least two at a time."""
    vectors, counts = model.arrays["vectors"], model.arrays["counts"]
    for w in np.flatnonzero(pairs.sizes > 1).tolist():
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        for group in alike_groups(vectors[rows], counts[rows], pairs.of(w), least):
            if len(group) > 1:
                yield w, group


def agreements(pairs: NearPairs, groups: list[tuple[int, list[int]]]) -> Floats:
    """How well near occurrences of each word agree once these senses are merged, (n_words,)."""
    merged = defaultdict[int, list[list[int]]](list)
    for w, group in groups:
        merged[w].append(group)
    found = np.full(len(pairs.sizes), USUAL)
    for w in np.flatnonzero(pairs.sizes > 1).tolist():
        found[w] = agreement(united(pairs.of(w), merged[w]))
    return found
