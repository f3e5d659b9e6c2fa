"""Systems that continue a model: they start from its senses and tree, learn at limited rates, and average with it.

A continued word keeps its learned senses. It may get one candidate sense, if uses in the new text fit none of them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.arrays import Span, Work
from adagram.model.compact import ranges
from adagram.paper.schedule import keep_probability
from adagram.paper.softmax import Huffman, graft
from adagram.paper.stick_breaking import is_learned
from adagram.systems.adagram import AdaGram, Live
from adagram.systems.base import System, with_likeliest
from adagram.systems.mpsg import MPSG
from adagram.systems.skipgram import SkipGram, SkipGramNS
from adagram.types import F32, I32, I64, ArrayMap, Arrays, Floats

RATE_WEIGHT = 40.0  # a use may change a word of n_w uses by RATE_WEIGHT / n_w
# Weight of an old use against a new one when old and new rows are averaged: senses change less over time than contexts.
OLD_SENSES, OLD_OUTPUT = 0.5, 0.16
PSEUDO_COUNT = 0.5  # of a candidate sense, times alpha: it needs as much evidence as an unborn stick
MIN_USES = 5.0  # that a candidate must win to be learned
MAX_FREQUENCY = 1e-3  # more frequent words get no candidate: their contexts are everywhere
MIN_FREQUENT = 5000  # but a word with fewer uses than this does not count as frequent
MAX_USES = 100  # of a word that are examined, evenly over the text
ROUNDS = 4  # of choosing the uses of a new meaning again; they hardly change after the second
RADIUS = 2  # windows on each side: subsampled training windows extend further than one
MIN_DISTANCE = 0.16  # cosine by which the uses must be nearer to each other than to any sense
MIN_KEEP = 0.1  # words that subsampling keeps less often are ignored
LENGTH = 0.8  # of the start vector from the mean of all senses, in average lengths: it can still turn


class Sticks(NamedTuple):
    """All sticks that have a vector, word by word: learned senses in order, then unlearned ones."""

    words: I64  # (n,)
    vectors: F32  # (n, padded dim)
    counts: Floats  # (n,)
    pending: Floats  # (n_old_words,) the count of all sticks that have no vector

    @property
    def numbers(self) -> I64:
        """Return the number of each stick in its word, from 0."""
        return np.arange(len(self.words)) - np.searchsorted(self.words, self.words)


@dataclass(frozen=True)
class PreviousState:
    """The model that is continued. Its words have the first ids of the new vocabulary."""

    arrays: ArrayMap  # as learned, without decisions of an editor
    rest: ArrayMap  # see `adagram.model.storage`
    counts: I64  # (n_words,) uses of each word in the old text
    tokens: NDArray[np.uint32]  # of the new text
    find_new_senses: bool = True  # whether words may get a candidate sense

    @property
    def n_words(self) -> int:
        return len(self.arrays["offsets"]) - 1

    def sticks(self) -> Sticks:
        """Return learned and unlearned senses together."""
        offsets, rest = self.arrays["offsets"], self.rest
        words = np.append(np.repeat(np.arange(self.n_words), np.diff(offsets)), rest["words"])
        order = np.argsort(words, kind="stable")  # learned ones first, within each word
        vectors, counts = (np.concatenate([self.arrays[name], rest[name]])[order] for name in ("vectors", "counts"))
        return Sticks(words[order], vectors, counts, np.asarray(rest["pending"]))

    def n_learned(self, n_words: int) -> I32:
        """Return how many learned senses each of the first n_words words has; 0 for new words."""
        learned = np.zeros(n_words, np.int32)
        learned[: self.n_words] = np.diff(self.arrays["offsets"])
        return learned

    @property
    def output(self) -> F32:
        output: F32 = self.arrays["output"]
        return output[:-1] if "steps" in self.arrays else output  # a tree has one node fewer than words

    def average_with(self, arrays: Arrays, shares: Floats, output_shares: Floats) -> Arrays:
        """Return the arrays of the continued model: learned senses and output rows as means of old and new.

        `shares` of the new are by word, `output_shares` by output row.
        """
        learned = self.n_learned(self.n_words)
        old, rows = self.arrays["vectors"], ranges(arrays["offsets"][: self.n_words], learned)
        vectors, output = np.array(arrays["vectors"]), np.array(arrays["output"])
        share = np.repeat(shares[: self.n_words], learned)[:, None].astype(np.float32)
        vectors[rows] = old + share * (vectors[rows] - old)
        n, old = len(self.output), self.output
        output[:n] = old + output_shares[:n, None].astype(np.float32) * (output[:n] - old)
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)).astype(np.float32)
        return arrays | {"vectors": vectors, "norms": norms, "output": output}


class Continued(System):
    """Mixin before a System class: the same system, started from a previous model."""

    def __init__(self, config: TrainConfig, vocabulary: Vocabulary, totals: Floats, previous: PreviousState) -> None:
        self.previous = previous
        super().__init__(config, vocabulary, totals)
        counts = np.asarray(vocabulary.counts)
        self._old_uses = np.append(previous.counts, np.zeros(len(counts) - previous.n_words, np.int64))
        self._new_uses = counts - self._old_uses
        keep, passes = keep_probability(counts, config.subsample), config.epochs or 1
        self._max_rates = max_rate(passes * keep * counts)
        self._count_rates = count_rate(keep * self._old_uses, keep * self._new_uses, passes)

    def make_tree(self) -> Huffman:
        """Return the previous tree with the new words grafted in."""
        tree = Huffman(self.previous.arrays["steps"], self.previous.arrays["paths"])
        return graft(tree, self.vocabulary.counts)

    def start(self) -> None:
        super().start()  # type: ignore[safe-super]
        self.start_senses(self.previous.sticks())

    @abstractmethod
    def start_senses(self, sticks: Sticks) -> None:
        """Set the senses of known words."""

    def start_output(self) -> None:
        """Set the previous output rows, and zeros for new ones: see `adagram.paper.softmax.graft`."""
        old = self.previous.output
        self.output.set(np.pad(old, ((0, self.output.n_rows - len(old)), (0, 0))))

    def train(self, span: Span, scratch: Work) -> int:
        return super().train(self.limited(span), scratch)  # type: ignore[safe-super]

    def limited(self, span: Span) -> Span:
        return limit_rates(span, self._max_rates, self._count_rates)

    def arrays(self) -> tuple[Arrays, Arrays]:
        shares = new_share(self._old_uses, self._new_uses, OLD_SENSES)
        output_shares = new_share(self.output_uses(self._old_uses), self.output_uses(self._new_uses), OLD_OUTPUT)
        learned, rest = super().arrays()  # type: ignore[safe-super]
        return self.previous.average_with(learned, shares, output_shares), rest


class ContinuedSkipGramNS(Continued, SkipGramNS):
    def start_senses(self, sticks: Sticks) -> None:
        self.vectors[sticks.words] = sticks.vectors


class ContinuedMPSG(Continued, MPSG):
    def start_senses(self, sticks: Sticks) -> None:
        rows = sticks.words * self.stride + sticks.numbers
        self.senses.vectors[rows] = sticks.vectors
        self.senses.counts[rows] = sticks.counts * growth(sticks, self.totals)[sticks.words]


class ContinuedSkipGram(ContinuedMPSG, SkipGram):
    pass


class ContinuedAdaGram(Continued, AdaGram):
    def start_senses(self, sticks: Sticks) -> None:
        grown = growth(sticks, self.totals)
        sticks = sticks._replace(counts=sticks.counts * grown[sticks.words], pending=sticks.pending * grown)
        self._n_learned = self.previous.n_learned(self.n_words)
        count = PSEUDO_COUNT * self.config.alpha
        old, new = self._old_uses, self._new_uses
        kept = new * keep_probability(self.vocabulary.counts, self.config.subsample)
        is_rare = old + new < np.maximum(MAX_FREQUENCY * (old + new).sum(), MIN_FREQUENT)
        words = np.flatnonzero((old > 0) & (kept >= MIN_USES) & is_rare & self.previous.find_new_senses)
        found = find_new_meanings(self.previous, self.vocabulary, self.config, words)
        sticks = add_candidates(sticks, self._n_learned, *found, count, self.config.max_senses)
        rows, arrays = self.senses.link(sticks.words), self.senses.arrays
        arrays.vectors[rows], arrays.counts[rows] = sticks.vectors, sticks.counts
        arrays.pending[: len(sticks.pending)] = sticks.pending

    def train(self, span: Span, scratch: Work) -> int:
        from adagram.training._continued_systems import train_span

        config, base_rates = self.config, span.rates
        return int(
            train_span(
                *(self.limited(span), base_rates, self._n_learned),
                *(self.tree, self.senses.arrays, self.output.rows, self.output.n_hot, scratch),
                *(float(config.alpha), config.max_senses, np.uint64(config.seed)),
            )
        )

    def live(self) -> Live:
        """Return the live senses; old ones count as learned, candidates with fewer than MIN_USES do not."""
        live = super().live()
        sizes = np.diff(live.offsets)
        is_old = ranges(np.zeros_like(sizes), sizes) < np.repeat(self._n_learned, sizes)
        is_old_word = np.arange(self.n_words) < self.previous.n_words
        has_failed = np.repeat(is_old_word, sizes) & ~is_old & (live.counts < MIN_USES)
        counts = np.where(has_failed, 0.0, live.counts)
        priors = self.priors(live.offsets, counts)
        keep = with_likeliest(live.offsets, priors, is_old | is_learned(priors, counts))
        return Live(live.rows, live.offsets, counts, priors, keep)


CONTINUED: dict[str, type[Continued]] = {
    "adagram": ContinuedAdaGram,
    "skipgram": ContinuedSkipGram,
    "skipgram-ns": ContinuedSkipGramNS,
    "mpsg": ContinuedMPSG,
}


def limit_rates(span: Span, max_rates: Floats, count_rates: Floats) -> Span:
    """Return the span with the rates of known words limited; new words have those of a first run."""
    tokens, base = span.tokens[: len(span.rates)], span.rates
    rates = np.minimum(base, max_rates[tokens]).astype(np.float32)
    counted = count_rates[tokens]
    return span._replace(rates=rates, count_rates=np.where(counted < 1.0, counted, base).astype(np.float32))


def max_rate(totals: Floats) -> Floats:
    """Return the highest learning rate of a word with n_w uses in all text: RATE_WEIGHT / n_w.

    With a weight of 1 it would be the running mean of online variational Bayes. A first run has no such limit.
    """
    return np.asarray(RATE_WEIGHT / np.maximum(totals, 1.0))


def count_rate(old: Floats, new: Floats, passes: int) -> Floats:
    """Return λ of a word for the counts of its senses, with `old` uses counted and `new` ones to come.

    (1-λ)^(new passes) is the share of the old uses in all. With this λ at every new use, each use counts once in the
    end: the running mean of online variational Bayes, with one rate for all uses. Without old uses λ is 1.

    >>> count_rate(np.array([300.0, 0.0]), np.array([100.0, 100.0]), 1).round(5).tolist()
    [0.00287, 1.0]
    """
    old_share = old / np.maximum(old + new, 1.0)
    return np.asarray(1.0 - np.minimum(old_share, 1.0) ** (1.0 / np.maximum(passes * new, 1.0)))


def new_share(old: I64 | Floats, new: I64 | Floats, weight: float) -> Floats:
    """Return the share of a continued run in a row with `old` and `new` uses: new / (weight · old + new).

    The natural weights of online variational Bayes are uses; `weight` is below one because the run started from the
    old values, so its result represents the old text as well.

    >>> new_share(np.array([1000, 0, 1000]), np.array([200, 100, 0]), weight=0.2).tolist()
    [0.5, 1.0, 0.0]
    """
    return np.asarray(new / np.maximum(weight * old + new, np.finfo(np.float64).tiny))


def growth(sticks: Sticks, totals: Floats) -> Floats:
    """Return the factor for the counts of each known word that makes them sum to n_w of all text, old and new."""
    sums = np.bincount(sticks.words, sticks.counts, minlength=len(sticks.pending)) + sticks.pending
    return np.asarray(totals[: len(sums)] / np.maximum(sums, np.finfo(np.float64).tiny))


def add_candidates(
    sticks: Sticks, n_learned: I32, words: I64, vectors: F32, pseudo_count: float, max_senses: int
) -> Sticks:
    """Add a candidate sense to each of these words that has room, starting at `vectors`.

    Near zero, as in a first run, it would never win a token against trained senses. Its count is near zero, so its
    prior, and the evidence that it needs, are about those of an unborn stick: E[log π] has ψ(alpha + count), about
    -1/(alpha + count). It replaces unlearned sticks with less than one use.
    """
    is_idle = (sticks.numbers >= n_learned[sticks.words]) & (sticks.counts < 1.0) & np.isin(sticks.words, words)
    idle = np.bincount(sticks.words[is_idle], sticks.counts[is_idle], minlength=len(sticks.pending))
    kept = np.flatnonzero(~is_idle)
    sizes = np.bincount(sticks.words[kept], minlength=len(sticks.pending))
    has_room = sizes[words] < max_senses
    words, vectors = words[has_room], vectors[has_room]
    all_words = np.append(sticks.words[kept], words)
    order = np.argsort(all_words, kind="stable")
    vectors = np.concatenate([sticks.vectors[kept], vectors])[order]
    counts = np.append(sticks.counts[kept], np.full(len(words), pseudo_count))[order]
    return Sticks(all_words[order], vectors, counts, sticks.pending + idle)


def find_new_meanings(
    previous: PreviousState, vocabulary: Vocabulary, config: TrainConfig, words: I64
) -> tuple[I64, F32]:
    """Return those of these known words that have uses in the new text which no known sense fits, and start vectors.

    A start vector is the mean of all senses, which predicts frequent words, moved towards the context words of the
    uses that fit least.
    """
    from adagram.training._continued_systems import list_uses

    uses_of_senses, counts = np.asarray(previous.arrays["counts"]), np.asarray(vocabulary.counts)
    mean = np.asarray(uses_of_senses @ previous.arrays["vectors"] / uses_of_senses.sum(), np.float32)
    centred = previous.arrays["vectors"] - mean
    lengths = np.linalg.norm(centred, axis=1)
    offsets = np.asarray(previous.arrays["offsets"])
    means = np.zeros((len(counts), centred.shape[1]), np.float32)  # of the senses of each word, by prior
    means[: previous.n_words] = np.add.reduceat(
        centred * previous.arrays["priors"][:, None].astype(np.float32), offsets[:-1]
    )
    keep = keep_probability(counts, config.subsample)
    means *= np.where(keep < MIN_KEEP, 0.0, keep)[:, None].astype(np.float32)
    wanted, uses = np.full(len(counts), -1), counts.copy()
    wanted[words] = np.arange(len(words))
    uses[: previous.n_words] -= previous.counts
    begins = np.append(0, np.minimum(uses[words], MAX_USES).cumsum())
    positions = np.zeros(int(begins[-1]), np.int64)
    list_uses(previous.tokens, wanted, uses, begins, np.zeros(len(words), np.int64), positions)
    found, usual = list[tuple[int, F32]](), np.average(lengths, weights=uses_of_senses)
    for w, begin, end in zip(words.tolist(), begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        if begin < end:
            contexts = sums_around(previous.tokens, positions[begin:end], RADIUS * config.window, means)
            direction, margin = new_direction(_units(contexts), _units(centred[offsets[w] : offsets[w + 1]]))
            if margin > MIN_DISTANCE:
                found.append((w, mean + np.float32(LENGTH * usual) * direction))
    vectors = np.array([vector for _, vector in found], np.float32).reshape(-1, len(mean))
    return np.array([w for w, _ in found], np.int64), vectors


def sums_around(tokens: NDArray[np.uint32], positions: I64, radius: int, means: F32) -> F32:
    """Return the sum of the means of the words around each position, (n_positions, width)."""
    from scipy.sparse import csr_array

    steps = np.arange(-radius, radius + 1)
    around = positions[:, None] + steps
    ids = tokens[np.clip(around, 0, len(tokens) - 1)]
    # Most of a running text is words without a mean.
    is_used = (around >= 0) & (around < len(tokens)) & (steps != 0) & (means[ids, 0] != 0.0)
    bounds = np.append(0, is_used.sum(axis=1).cumsum())
    matrix = csr_array((np.ones(bounds[-1], np.float32), ids[is_used], bounds), shape=(len(positions), len(means)))
    return np.asarray(matrix @ means)


def new_direction(contexts: F32, senses: F32) -> tuple[F32, float]:
    """Return the direction of the uses that the senses fit least, all of length one, and how far they are apart.

    Start with the third of the uses with the lowest fit, the cosine with the nearest sense; then, ROUNDS times, choose
    those that fit their own mean better than any sense. They are apart by how much better, on average, one of them fits
    the others than any sense: the others than c have the sum total - c.
    """
    fits = (contexts @ senses.T).max(axis=1)
    chosen = fits <= np.sort(fits)[len(fits) // 3]
    for _ in range(ROUNDS):
        chosen = contexts @ _units(contexts[chosen].sum(axis=0)) > fits
    total = contexts[chosen].sum(axis=0)
    if chosen.sum() < 2:
        return total, 0.0
    others = _units(total - contexts[chosen])
    return _units(total), float((np.einsum("ij,ij->i", contexts[chosen], others) - fits[chosen]).mean())


def _units(vectors: F32) -> F32:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny))
