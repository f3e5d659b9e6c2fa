"""Moves at the end of training: two senses of a word become one where the word's contexts lose little by it.

Each word is judged by a sample of its own occurrences, seen as training saw them. Output vectors stay as they are, so
words do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import Floats
from adagram.encoded import EncodedCorpus
from adagram.maths.merging import merge_loss, merged_vector
from adagram.maths.subsampling import keep_probability
from adagram.systems.learned import model_of_senses

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class MergeRule:
    """Which senses are merged, and by what sample they are judged."""

    most_loss: float = 1.0  # nats for each context of the smaller sense; 3 is too many on 80 M words
    occurrences: int = 200  # of a word, at most about so many are looked at
    window: int = 5
    subsample: float = 1e-4
    seed: int = 1


@dataclass(frozen=True)
class Merge:
    """Senses `first` and `second` of a word, in the numbering before any merge, and what their union loses."""

    word: int
    first: int
    second: int
    loss: float


@dataclass
class _Senses:
    """The senses of one word while they are being merged; numbers[k] is the number that sense k had."""

    vectors: NDArray[np.float32]
    counts: Floats
    priors: Floats
    log_p: Floats  # (occurrences, senses)
    numbers: list[int]


@dataclass(frozen=True)
class _Union:
    """Two places among a word's senses and what would replace them."""

    first: int
    second: int
    loss: float
    vector: NDArray[np.float32]
    log_p: Floats  # (occurrences,)


class Occurrences:
    """A sample of the places of ambiguous words, grouped by word."""

    def __init__(self, corpus: EncodedCorpus, arrays: Arrays, rule: MergeRule) -> None:
        from adagram.kernels.moves import sample_places

        self._tokens, self._rule = corpus.tokens, rule
        self._keep = keep_probability(corpus.vocabulary.counts, rule.subsample)
        self._tree = tuple(np.ascontiguousarray(arrays[name]) for name in ("output", "steps", "paths"))
        ambiguous = np.diff(arrays["offsets"]) > 1
        totals = np.maximum(corpus.vocabulary.counts, 1)
        chances = np.where(ambiguous, np.minimum(1.0, rule.occurrences / totals), 0.0)
        counts = np.zeros(len(totals), np.int64)
        expected = float((chances * totals).sum())
        places = np.empty(int(expected + 10 * np.sqrt(expected)) + 16, np.int64)
        n = sample_places(corpus.tokens, chances, np.uint64(rule.seed), counts, places)
        order = np.argsort(corpus.tokens[places[:n]], kind="stable")
        self._places, self._ends = places[:n][order], np.append(0, counts.cumsum())
        self._context = np.zeros(2 * rule.window, np.int64)

    def places(self, word: int) -> NDArray[np.int64]:
        return self._places[self._ends[word] : self._ends[word + 1]]

    def log_p(self, word: int, vectors: NDArray[np.float32]) -> Floats:
        """log p(context | sense) of the word's sampled occurrences, (occurrences, senses)."""
        from adagram.kernels.moves import score_places

        places = self.places(word)
        log_p = np.zeros((len(places), len(vectors)))
        # The kernel reads eight float32 at a time whatever the array's type says.
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        key = np.uint64(self._rule.seed)
        score_places(
            *(self._tokens, places, self._rule.window, self._keep, key, rows, self._tree),
            *(self._context, log_p),
        )
        return log_p


def suggest_merges(arrays: Arrays, corpus: EncodedCorpus, rule: MergeRule) -> Iterator[Merge]:
    """The merges that lose at most `rule.most_loss`, cheapest first within a word."""
    seen = Occurrences(corpus, arrays, rule)
    for word in np.flatnonzero(np.diff(arrays["offsets"]) > 1).tolist():
        if len(seen.places(word)):
            yield from _merges_of_word(word, arrays, seen, rule.most_loss)


def _merges_of_word(word: int, arrays: Arrays, seen: Occurrences, most_loss: float) -> Iterator[Merge]:
    rows = slice(arrays["offsets"][word], arrays["offsets"][word + 1])
    vectors = np.array(arrays["vectors"][rows], dtype=np.float32)
    numbers = list(range(len(vectors)))
    priors, counts = np.array(arrays["priors"][rows]), np.array(arrays["counts"][rows])
    senses = _Senses(vectors, counts, priors, seen.log_p(word, vectors), numbers)
    while len(senses.numbers) > 1:
        best = _cheapest(word, senses, seen)
        if best.loss > most_loss:
            return
        yield Merge(word, senses.numbers[best.first], senses.numbers[best.second], best.loss)
        _join(senses, best)


def _cheapest(word: int, senses: _Senses, seen: Occurrences) -> _Union:
    """The two senses whose union loses least."""
    n = len(senses.numbers)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    vectors = np.array([merged_vector(senses.vectors[[*p]], senses.counts[[*p]]) for p in pairs])
    log_p = seen.log_p(word, vectors)  # (occurrences, pairs)
    losses = [merge_loss(senses.log_p, senses.priors, pair, log_p[:, i]) for i, pair in enumerate(pairs)]
    best = int(np.argmin(losses))
    return _Union(*pairs[best], losses[best], vectors[best], log_p[:, best])


def _join(senses: _Senses, union: _Union) -> None:
    senses.vectors[union.first] = union.vector
    senses.log_p[:, union.first] = union.log_p
    senses.counts[union.first] += senses.counts[union.second]
    senses.priors[union.first] += senses.priors[union.second]
    kept = np.delete(np.arange(len(senses.numbers)), union.second)
    senses.vectors, senses.log_p = senses.vectors[kept], senses.log_p[:, kept]
    senses.counts, senses.priors = senses.counts[kept], senses.priors[kept]
    senses.numbers.pop(union.second)


def apply_merges(arrays: Arrays, merges: Iterable[Merge]) -> Arrays:
    """The model's arrays with each merge done in turn: the lower number stays, counts and priors are added."""
    vectors = np.array(arrays["vectors"], dtype=np.float32)
    counts, priors = np.array(arrays["counts"]), np.array(arrays["priors"])
    keep = np.ones(len(counts), dtype=np.bool_)
    offsets = arrays["offsets"]
    for merge in merges:
        pair = offsets[merge.word] + np.array([merge.first, merge.second])
        first, second = pair
        vectors[first] = merged_vector(vectors[pair], counts[pair])
        counts[first] += counts[second]
        priors[first] += priors[second]
        keep[second] = False
    return {**arrays, **model_of_senses(vectors, offsets, counts, priors, keep)}
