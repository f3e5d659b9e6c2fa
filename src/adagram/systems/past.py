"""The model that a run goes on from, as a system asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.types import F32, I64, ArrayMap, Arrays, Floats

PSEUDO_COUNT = (
    0.5  # of a candidate sense, as a share of alpha: it must win as an unborn stick must in a first run
)
MIN_USES = 5.0  # uses that a candidate must win to be learned
FREQUENT = 1e-3  # more frequent words get no candidate: their contexts are everywhere
MANY = 5000  # but words with less uses than this are not frequent in any text


class Sticks(NamedTuple):
    """All sticks that have a vector, word by word: the learned senses in order, then those that are not learned yet."""

    words: I64  # (n,) place of its word among those that were asked for
    numbers: I64  # (n,) from 0 for each word
    vectors: F32  # (n, padded dim)
    counts: Floats  # (n,)
    pending: Floats  # (words,) the count of all sticks that have no vector


@dataclass(frozen=True)
class Past:
    """Its words have the first ids of the vocabulary that a run has now."""

    arrays: ArrayMap  # of the model as it was learned
    rest: ArrayMap  # see `adagram.model.rest`
    counts: I64  # (n_words,) uses of each word in the text that it stands for
    tokens: NDArray[np.uint32]  # of the text that it goes on with
    seeks: bool = True  # whether words get a candidate sense for a new meaning

    @property
    def n_words(self) -> int:
        return len(self.arrays["offsets"]) - 1

    def sticks_of(self, owned: I64) -> Sticks:
        """Of those among the words `owned`, rising, that the past had."""
        old = owned[owned < self.n_words]
        place = np.full(self.n_words, -1, np.int64)
        place[old] = np.arange(len(old))
        offsets, rest = self.arrays["offsets"], self.rest
        words = np.append(np.repeat(np.arange(self.n_words), np.diff(offsets)), rest["words"])
        order = np.argsort(words, kind="stable")  # learned ones first, within each word
        order = order[place[words[order]] >= 0]
        words = place[words[order]]
        learned = order < offsets[-1]
        vectors = np.empty((len(order), self.arrays["vectors"].shape[1]), np.float32)
        vectors[learned] = self.arrays["vectors"][order[learned]]
        vectors[~learned] = rest["vectors"][order[~learned] - offsets[-1]]
        counts = np.append(self.arrays["counts"], rest["counts"])[order]
        return Sticks(words, _numbers(words), vectors, counts, rest["pending"][old])

    @property
    def mean_vector(self) -> F32:
        """The mean of all learned senses by their counts: it predicts what is frequent, whatever the word is."""
        counts = np.asarray(self.arrays["counts"])
        return np.asarray(counts @ self.arrays["vectors"] / counts.sum(), np.float32)

    def learned_of(self, owned: I64) -> I64:
        """How many learned senses each of these words had; none if it is new."""
        learned = np.zeros(len(owned), np.int64)
        is_old = owned < self.n_words
        learned[is_old] = np.diff(self.arrays["offsets"])[owned[is_old]]
        return learned

    def output_of(self, n_rows: int) -> F32:
        """Its output rows, and zeros for the new ones: see `adagram.maths.grafting`."""
        old = self._output
        rows = np.zeros((n_rows, old.shape[1]), np.float32)
        rows[: len(old)] = old
        return rows

    @property
    def _output(self) -> F32:
        output: F32 = self.arrays["output"]
        return output[:-1] if "steps" in self.arrays else output  # a tree has a node less than words

    def joined(self, arrays: Arrays, owned: I64, shares: Floats, output_shares: Floats) -> Arrays:
        """The arrays of a model that went on from this one: learned senses and output rows as means of old and new.

        `shares` of the new are by word, `output_shares` by output row. `owned` are the words of the arrays.
        """
        old = owned[owned < self.n_words]
        learned, begins = self.learned_of(old), self.arrays["offsets"][old]
        order = np.arange(learned.sum()) - np.repeat(np.append(0, learned.cumsum())[:-1], learned)
        rows, olds = (np.repeat(b, learned) + order for b in (arrays["offsets"][: len(old)], begins))
        vectors, output = np.array(arrays["vectors"]), np.array(arrays["output"])
        share = np.repeat(shares[old], learned)[:, None].astype(np.float32)
        before = self.arrays["vectors"][olds]
        vectors[rows] = before + share * (vectors[rows] - before)
        n, before = len(self._output), self._output
        output[:n] = before + output_shares[:n, None].astype(np.float32) * (output[:n] - before)
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)).astype(np.float32)
        return arrays | {"vectors": vectors, "norms": norms, "output": output}


def growth(known: Sticks, totals: Floats) -> Floats:
    """By what the counts of each known word are multiplied, so that they sum to n_w of all text, old and new."""
    sums = np.bincount(known.words, known.counts, minlength=len(known.pending)) + known.pending
    return np.asarray(totals[: len(sums)] / np.maximum(sums, np.finfo(np.float64).tiny))


def scaled(known: Sticks, totals: Floats) -> Floats:
    """Counts of the known sticks in a text of which n_w are `totals`: the past speaks for the whole of it."""
    return np.asarray(known.counts * growth(known, totals)[known.words])


def add_candidates(
    known: Sticks, learned: I64, words: I64, vectors: F32, pseudo_count: float, max_senses: int
) -> Sticks:
    """Add a candidate sense to each of these words that has room: a meaning that the text so far did not have.

    It starts at `vectors` (see `adagram.systems.strange`): near zero, as in a first run, it would never win a token
    against trained senses. Its count is near zero, so its prior is about that of an unborn stick, and with it the
    evidence that it needs: E[log π] has ψ(alpha + count), about -1/(alpha + count). It takes the place of unlearned
    sticks with less than one use.
    """
    is_idle = (known.numbers >= learned[known.words]) & (known.counts < 1.0) & np.isin(known.words, words)
    idle = np.bincount(known.words[is_idle], known.counts[is_idle], minlength=len(known.pending))
    kept = np.flatnonzero(~is_idle)
    sizes = np.bincount(known.words[kept], minlength=len(known.pending))
    has_room = sizes[words] < max_senses
    words, vectors = words[has_room], vectors[has_room]
    all_words = np.append(known.words[kept], words)
    order = np.argsort(all_words, kind="stable")
    vectors = np.concatenate([known.vectors[kept], vectors])[order]
    counts = np.append(known.counts[kept], np.full(len(words), pseudo_count))[order]
    all_words = all_words[order]
    return Sticks(all_words, _numbers(all_words), vectors, counts, known.pending + idle)


def _numbers(words: I64) -> I64:
    """From 0 within each stretch of the same word."""
    starts = np.flatnonzero(np.diff(words, prepend=-1))
    return np.asarray(np.arange(len(words)) - np.repeat(starts, np.diff(np.append(starts, len(words)))))
