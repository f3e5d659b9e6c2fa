"""Merge senses of a word that are one meaning.

A meaning tends to last through a passage. Senses that split one meaning follow each other in a text about as often as
by chance, or more often; senses of two meanings hardly ever do. Similar vectors are a second sign, and both together
are more reliable than either (benchmarks/notebooks/2026-11-18-senses.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.parallel import map_in_threads
from adagram.model import Model
from adagram.model.predict import Posteriors, TreePredictor
from adagram.model.resolution import LIFT_WEIGHT, MergeTree, log_lift, merge_tree
from adagram.systems.adagram import AdaGram
from adagram.systems.base import System
from adagram.training.progress import Stop
from adagram.types import I64, Floats


def likeness(vectors: NDArray[np.floating], pairs: Floats) -> Floats:
    """Cosine of the vectors plus the weighted log lift, (K, K)."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.asarray(unit @ unit.T + LIFT_WEIGHT * log_lift(pairs))


def alike_groups(vectors: NDArray[np.float32], counts: Floats, pairs: Floats, least: float) -> list[list[int]]:
    """Group the senses of a word: merge the two most alike again and again, until no likeness reaches `least`.

    Each group is in order, and so are the groups by their first senses.
    """
    groups = [[k] for k in range(len(vectors))]
    uses = vectors * counts[:, None]  # only directions matter, so sums do for means
    while len(groups) > 1:
        sums = np.array([uses[group].sum(axis=0) for group in groups])
        alike = likeness(sums, merge_pairs(pairs, groups))
        alike[np.triu_indices(len(groups))] = -np.inf
        second, first = np.unravel_index(int(alike.argmax()), alike.shape)
        if alike[second, first] < least:
            break
        groups[first] = sorted(groups[first] + groups.pop(second))
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


# Chosen on WWSI train and the first half of SemEval-2010 (benchmarks/notebooks/2026-11-18-senses.md).
MIN_LIKENESS = 0.3
PAIRS = 1000  # of near occurrences, about so many of each word are sampled
USES = 1000  # of each word, about so many are sampled to count its senses
CHUNK = 1 << 16  # pairs at a time
PART = 1 << 20  # words of text at a time, to count senses
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


def merge_alike(system: System, corpus: EncodedCorpus, info: dict[str, Any], stop: Stop) -> MergeTree | None:
    """Merge the senses of each word that are one meaning, and count them in the text, after the last round of a run.

    Return how they would go on merging; None, with the state unchanged, if the user has asked to stop.
    """
    assert isinstance(system, AdaGram)  # TrainConfig refuses merge_senses for others
    model = Model(system.model_arrays(), corpus.vocabulary, info)
    pairs = near_pairs(model, corpus, system.config.n_threads, stop)
    if stop:
        return None
    groups = list(groups_to_merge(model, pairs))
    system.merge(groups)
    live, model = system.live(), Model(system.model_arrays(), corpus.vocabulary, info)
    found = counts_in_text(model, corpus, system.config.n_threads)
    system.senses.arrays.counts[live.rows[live.is_learned]] = found
    merged = merged_pairs(pairs, groups)
    system.agreement = np.array([agreement(of_word) for of_word in merged])
    arrays = system.model_arrays()
    sizes = np.diff(arrays["offsets"])
    for w in np.flatnonzero(sizes != [len(of_word) for of_word in merged]).tolist():
        merged[w] = np.zeros((sizes[w], sizes[w]))  # a sense has too few uses in the text and is dropped
    return merge_tree(arrays, merged.__getitem__)


def near_pairs(model: Model, corpus: EncodedCorpus, threads: int = 0, stop: Stop | None = None) -> NearPairs:
    """Count which senses follow each other in a text, in a sample of about PAIRS pairs of every ambiguous word.

    End early, with fewer pairs, if the user asks to stop.
    """
    from adagram.training._merge_senses import add_pairs

    sizes = np.diff(model.offsets)
    cells = np.where(sizes > 1, sizes * sizes, 0)
    begins = np.append(0, cells.cumsum())
    sums = np.zeros(int(begins[-1]))
    tokens, predictor = corpus.tokens, TreePredictor(model, model.context)

    def score(pairs: I64) -> tuple[I64, Posteriors]:
        start = max(0, int(pairs.min()) - MARGIN)
        ids = np.array(tokens[start : int(pairs.max()) + MARGIN], dtype=np.int32)
        where = (pairs - start).ravel()
        return ids[where[: pairs.shape[1]]].astype(np.int64), predictor.at_places(ids, where)

    for words, found in map_in_threads(score, _sampled(corpus, sizes > 1, model.config.seed), threads):
        add_pairs(words, found.places, found.values, sizes, begins, sums)
        if stop:
            break
    return NearPairs(sizes, begins, sums)


def _sampled(corpus: EncodedCorpus, wanted: np.ndarray, seed: int) -> Iterator[I64]:
    """Yield positions of pairs, (2, n) at a time, in the order of the text."""
    from adagram.training._merge_senses import find_pairs

    tokens, ends, key = np.asarray(corpus.tokens), np.asarray(corpus.ends).astype(np.int64), np.uint64(seed)
    none, counts = np.full(len(corpus.vocabulary), -1), np.zeros(len(corpus.vocabulary), np.int64)
    find_pairs(tokens, ends, np.zeros(len(counts)), key, none.copy(), counts, *np.empty((2, 0), np.int64))
    chances = np.where(wanted, np.minimum(1.0, PAIRS / np.maximum(counts, 1)), 0.0)
    expected = float((chances * counts).sum())
    pairs = np.empty((2, int(expected + 10 * np.sqrt(expected)) + 16), np.int64)
    n = find_pairs(tokens, ends, chances, key, none, counts, *pairs)
    for at in range(0, n, CHUNK):
        yield pairs[:, at : min(n, at + CHUNK)]


def counts_in_text(model: Model, corpus: EncodedCorpus, threads: int = 0) -> Floats:
    """Return n_wk = n_w · mean of γ_k over the uses of w in the whole text, or over about USES of them, (n_senses,).

    While training, n_wk follows the text: at the end it is of the last part, which is of the last years if the text is
    sorted by date.
    """
    from adagram.kernels.predict import Text
    from adagram.training._merge_senses import add_uses

    tokens, ends = corpus.tokens, np.asarray(corpus.ends).astype(np.int64)
    sizes, uses = np.diff(model.offsets), np.maximum(corpus.vocabulary.counts, 1)
    chances = np.where(sizes > 1, np.minimum(1.0, USES / uses), 0.0)
    context, predictor, key = model.context, TreePredictor(model, model.context), np.uint64(model.config.seed)

    def count(begin: int) -> Floats:
        start, stop = max(0, begin - MARGIN), min(len(tokens), begin + PART)
        ids = np.array(tokens[start : stop + MARGIN], dtype=np.int32)
        inside = ends[np.searchsorted(ends, start, "right") : np.searchsorted(ends, start + len(ids))]
        text = Text(ids, np.append(inside - start, len(ids)), context.weights, float(context.window))
        sums, posterior = np.zeros(model.n_senses), np.zeros(int(sizes.max()))
        places = begin - start, stop - start, chances, key, start
        add_uses(text, *places, predictor._senses, predictor._scratch(), posterior, sums)
        return sums

    sums = np.zeros(model.n_senses)
    for part in map_in_threads(count, range(0, len(tokens), PART), threads):
        sums += part
    return shared_out(np.asarray(model.arrays["counts"]), sums, model.offsets)


def shared_out(counts: Floats, uses: Floats, offsets: I64) -> Floats:
    """Return counts with the same sum for each word, in the proportions of `uses` if it has any."""
    totals, sums = (np.repeat(np.add.reduceat(x, offsets[:-1]), np.diff(offsets)) for x in (counts, uses))
    return np.where(sums > 0, totals * uses / np.maximum(sums, 1e-300), counts)


def groups_to_merge(model: Model, pairs: NearPairs, least: float = MIN_LIKENESS) -> Iterator[tuple[int, list[int]]]:
    """Yield words with those of their senses that are one meaning, at least two at a time."""
    vectors, counts = model.arrays["vectors"], model.arrays["counts"]
    for w in np.flatnonzero(pairs.sizes > 1).tolist():
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        for group in alike_groups(vectors[rows], counts[rows], pairs.of(w), least):
            if len(group) > 1:
                yield w, group


def merged_pairs(pairs: NearPairs, groups: list[tuple[int, list[int]]]) -> list[Floats]:
    """Return the pairs of near occurrences of each word after these senses are merged; none of a word with one."""
    merged = defaultdict[int, list[list[int]]](list)
    for w, group in groups:
        merged[w].append(group)
    return [
        merge_pairs(pairs.of(w), merged[w]) if size > 1 else np.zeros((1, 1))
        for w, size in enumerate(pairs.sizes.tolist())
    ]
