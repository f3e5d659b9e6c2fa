"""Compare senses in the light of their words: nearest senses, and the words with the clearest senses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model.arguments import MIN_COUNT, TOP, checked_vector, queries_of
from adagram.model.compact import spans
from adagram.model.context import OneContext
from adagram.model.storage import finite
from adagram.options import OneOf, checked, spelled
from adagram.types import I64, Floats

if TYPE_CHECKING:
    from adagram.model.model import Model

# t of a sense in the light of its word, in similarities and of neighbours: both were chosen in
# benchmarks/notebooks/2026-11-18-blended-similarity.md.
WORD_WEIGHT, NEIGHBOUR_WEIGHT = 0.7, 0.5
WORD, UNSPECIFIC, NUMBER = range(3)  # kinds of words, for neighbours
MAX_UNSPECIFIC = 300  # words that are too unspecific to explain others, at most one in a hundred
OFTEN, MIN_OFTEN = 20.0, 1000  # a count that is not rare, and how many senses must have it
MIN_SHARE, MIN_USES = 0.05, 30.0  # of a second sense that is worth showing
N_COHERENT = 5  # neighbours whose agreement is the coherence of a sense
MARGINAL_SHARE, MARGINAL_COUNT = 0.02, 10.0  # a sense with less is left out of lists
AROUND = 10  # neighbours whose mean prior shows whether a sense is made of leftovers
LEFTOVER_PRIOR = 0.1  # mean prior of the neighbours of a sense that is made of leftovers
_COMPARED = 300  # words with the greatest contrast, whose neighbours are looked up
_BATCH = 64
_WORDS = 4096  # whose vectors are blended at a time, or senses that are rounded
_ROW = 32  # int8 rows are padded to a multiple: the kernel has no remainder then, which takes a fifth of its time
_TINY = 1e-12
HOW = ("best", "mean")  # what a word with several senses stands for
Query = str | NDArray[Any]  # a sense, a word or a vector


@dataclass(frozen=True)
class Neighbour:
    """A sense near another one."""

    name: str
    similarity: float


def unit_vectors(model: Model, rows: I64 | slice = slice(None)) -> NDArray[np.float32]:
    """Return the learned vectors of sense rows, scaled to length one, (n, dim)."""
    norms = np.maximum(model.arrays["norms"][rows], _TINY)
    return np.asarray(model.vectors[rows] / norms[:, None], dtype=np.float32)


def blended_vectors(
    model: Model, rows: NDArray[np.int64] | None = None, weight: float = WORD_WEIGHT
) -> NDArray[np.float32]:
    """Return unit vectors of sense rows for comparison, (n, dim); of all senses if `rows` is None.

    A fine sense stands for a part of its word's uses; people judge it in the light of the word. So
    b_k ∝ (1 - t) u_k + t m_w, with the unit vector u_k of the sense, the direction m_w of Σ_k √π_k u_k, and
    t = `weight`. The only sense of a word keeps its direction. Posteriors use the learned vectors.
    """
    if rows is None:
        return _blend(model, np.arange(len(model)), weight)[0]
    words, which = np.unique(np.searchsorted(model.offsets, rows, side="right") - 1, return_inverse=True)
    begins = np.append(0, np.diff(model.offsets)[words].cumsum())
    blended = _blend(model, words, weight)[0]
    return np.asarray(blended[begins[which] + rows - model.offsets[words[which]]])


def _blend(
    model: Model, words: I64, weight: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the blended unit vectors of the senses of some words, their lengths before, and those of Σ_k √π_k u_k."""
    rows, sizes = spans(model.offsets, words), np.diff(model.offsets)[words]
    unit, roots = unit_vectors(model, rows), np.sqrt(model.priors[rows]).astype(np.float32)
    sums = np.add.reduceat(roots[:, None] * unit, sizes.cumsum() - sizes, axis=0)  # (n_words, dim)
    sum_lengths = np.maximum(np.linalg.norm(sums, axis=1), _TINY)
    directions = np.repeat(sums / sum_lengths[:, None], sizes, axis=0)
    blended = np.asarray((1.0 - weight) * unit + weight * directions, np.float32)
    lengths = np.maximum(np.linalg.norm(blended, axis=1), _TINY)
    return np.asarray(blended / lengths[:, None], np.float32), lengths, sum_lengths


@dataclass(frozen=True)
class Blend:
    """The blended vectors of all senses as factors of the learned ones, which stay memory-mapped.

    b_k = own_k v_k + word_k Σ_l root_l v_l, the sum over the senses l of the same word.
    """

    own: NDArray[np.float32]  # (n_senses,)
    word: NDArray[np.float32]  # (n_senses,)
    root: NDArray[np.float32]  # (n_senses,)
    kinds: NDArray[np.int8]  # (n_words,): WORD, UNSPECIFIC or NUMBER


def blend_of(model: Model, weight: float = NEIGHBOUR_WEIGHT) -> Blend:
    """Return the factors of the blended vectors, and which words are too unspecific to be neighbours.

    A word is unspecific if it is frequent and its senses point everywhere: function words have the greatest count / r⁶,
    r the length of the mean of the unit vectors of their senses, weighted by √π_k.
    """
    own, word = np.empty((2, model.n_senses), np.float32)
    spread = np.empty(len(model.vocabulary))
    norms = np.maximum(model.arrays["norms"], _TINY)
    roots = np.sqrt(np.asarray(model.priors))
    for start in range(0, len(model), _WORDS):  # so that only some of the vectors are in memory at a time
        words = slice(start, start + _WORDS)
        bounds = model.offsets[start : start + _WORDS + 1]
        rows = slice(int(bounds[0]), int(bounds[-1]))
        _, lengths, sum_lengths = _blend(model, np.arange(start, start + len(bounds) - 1), weight)
        own[rows] = (1.0 - weight) / lengths / norms[rows]
        word[rows] = weight / lengths / np.repeat(sum_lengths, np.diff(bounds))
        spread[words] = (np.add.reduceat(roots[rows], bounds[:-1] - bounds[0]) / sum_lengths) ** 6
    names = model.vocabulary.words
    kinds = np.fromiter((WORD if any(map(str.isalpha, name)) else NUMBER for name in names), np.int8, len(names))
    n_unspecific = min(MAX_UNSPECIFIC, len(names) // 100)
    score = np.where(kinds == WORD, np.asarray(model.vocabulary.counts) * spread, -np.inf)
    kinds[np.argsort(-score, kind="stable")[:n_unspecific]] = UNSPECIFIC
    return Blend(own, word, np.asarray(roots / norms, np.float32), kinds)


def content_words(model: Model) -> NDArray[np.bool_]:
    """Return which words can explain a sense, (n_words,): not the unspecific ones, not numbers."""
    return np.asarray(model._blend.kinds == WORD)


def usual_min_count(model: Model) -> float:
    """Return the count that a neighbour must have so that rare words are left out, if the model has enough others."""
    return OFTEN if int((model.counts >= OFTEN).sum()) >= MIN_OFTEN else 1.0


def nearest(
    model: Model, queries: NDArray[np.int64], top: int, min_count: float, learned: bool = False
) -> list[tuple[I64, Floats]]:
    """Return, for each query row, rows and cosines of the nearest senses of `top` other words, one sense of each.

    The query is the learned sense; neighbours are seen in the light of their words (`blended_vectors`), or as they were
    learned. So a neighbour is a word that is near as a whole, and not by one of many fine senses. It has at least
    `min_count` uses. Unspecific words and numbers are neighbours of their kind only.
    """
    words = np.searchsorted(model.offsets, queries, side="right") - 1
    return nearest_to(model, unit_vectors(model, queries), words[:, None], top, min_count, learned)


def nearest_to(
    model: Model,
    units: NDArray[np.float32],
    words: Sequence[I64] | I64,
    top: int,
    min_count: float,
    learned: bool = False,
) -> list[tuple[I64, Floats]]:
    """Return what `nearest` does, for unit vectors, (n_queries, dim), each made of some words, which are left out."""
    top, min_count = checked(top, "top", TOP), checked(min_count, "min_count", MIN_COUNT)
    if top == 0:
        return [(np.empty(0, np.int64), np.empty(0)) for _ in units]
    index = model._index if model._index and model._index.min_count == min_count else None
    dots = () if index else units @ np.asarray(model.vectors).T  # (n_queries, n_senses)
    blend, results = model._blend, []
    for i, own in enumerate(words):
        is_other = np.isin(blend.kinds, [WORD, *blend.kinds[own]])  # (n_words,)
        is_other[own] = False
        rows: I64 | slice = slice(None)
        if index is None:
            bounds, products = model.offsets, dots[i]
        else:
            among = index.candidates(units[i], is_other, top, learned)
            rows, bounds = spans(model.offsets, among), np.append(0, np.diff(model.offsets)[among].cumsum())
            products, is_other = model.vectors[rows] @ units[i], is_other[among]
        if learned:
            cosines = products / np.maximum(model.arrays["norms"][rows], _TINY)
        else:  # rows are all those of some words
            of_words = np.repeat(np.add.reduceat(blend.root[rows] * products, bounds[:-1]), np.diff(bounds))
            cosines = blend.own[rows] * products + blend.word[rows] * of_words
        finite(cosines)
        cosines[model.counts[rows] < min_count] = -np.inf
        of_words = np.maximum.reduceat(cosines, bounds[:-1])
        of_words[~is_other] = -np.inf
        best = _largest(of_words, top)
        senses = [a + int(np.argmax(cosines[a:b])) for a, b in zip(bounds[best], bounds[best + 1], strict=True)]
        results.append((np.arange(model.n_senses)[rows][senses], of_words[best].astype(np.float64)))
    return results


def _largest(scores: NDArray[np.float32], top: int) -> I64:
    """Return the places of the `top` largest scores that are finite, in order, the first of equal ones first."""
    least = np.partition(scores, -top)[-top] if top < len(scores) else -np.inf
    best = np.flatnonzero((scores >= least) & (scores > -np.inf))
    return best[np.argsort(-scores[best], kind="stable")[:top]]


# -- an index


class Rounded(NamedTuple):
    """Unit vectors b ≈ scale · code. For a unit vector q, |q·b - scale q·code| ≤ lost by Cauchy-Schwarz."""

    codes: NDArray[np.int8]  # (n, width), width >= dim
    scales: NDArray[np.float32]  # (n,)
    lost: NDArray[np.float32]  # (n,): |b - scale · code|, and the rounding of float32 products


class Index:
    """For programs that search often: leave few words to compare, and never leave out a nearest one.

    The vectors of the senses with at least `min_count` uses are int8, a quarter of their size, and made when used.
    """

    def __init__(self, model: Model, min_count: float) -> None:
        self.model, self.min_count = model, min_count
        self._rows = np.flatnonzero(model.counts >= min_count)
        self._bounds = np.searchsorted(self._rows, model.offsets)  # (n_words + 1,)

    @cached_property
    def _blended(self) -> Rounded:
        return self._round(blended_vectors(self.model, weight=NEIGHBOUR_WEIGHT))

    @cached_property
    def _learned(self) -> Rounded:
        return self._round(unit_vectors(self.model))

    def _round(self, vectors: NDArray[np.float32]) -> Rounded:
        n, dim = len(self._rows), vectors.shape[1]
        codes, (scales, lost) = np.zeros((n, _wide(dim)), np.int8), np.empty((2, n), np.float32)
        for start in range(0, n, _WORDS):
            part = slice(start, start + _WORDS)
            units = finite(vectors[self._rows[part]])
            scales[part] = np.maximum(np.abs(units).max(axis=1), 1e-12) / 127
            codes[part, :dim] = np.rint(units / scales[part, None])
            lost[part] = np.linalg.norm(units - scales[part, None] * codes[part, :dim], axis=1)
        return Rounded(codes, scales, lost + np.float32(4 * dim * np.finfo(np.float32).eps))

    def candidates(self, unit: NDArray[np.float32], is_other: NDArray[np.bool_], top: int, learned: bool) -> I64:
        """Return the words that can be among the `top` nearest to a unit vector, of those in `is_other`, (n_words,)."""
        from adagram.kernels.predict import word_bounds

        low, high = np.empty((2, len(is_other)), np.float32)
        query = np.zeros(_wide(len(unit)), np.float32)
        query[: len(unit)] = unit
        word_bounds(*(self._learned if learned else self._blended), self._bounds, query, is_other, low, high)
        least = np.partition(low, -top)[-top] if top < len(low) else -np.inf
        return np.flatnonzero((high >= least) & (high > -np.inf))


def _wide(dim: int) -> int:
    return -(-dim // _ROW) * _ROW


# -- words and senses compared


def find_similar(
    model: Model,
    positive: Query | Iterable[Query],
    negative: Query | Iterable[Query],
    top: int,
    min_count: float,
    how: str,
    context: OneContext | None,
) -> list[tuple[str, float]]:
    """Return names and cosines of the senses nearest to some queries, see `Model.most_similar`."""
    checked(how, "how", OneOf(HOW))
    asked = [(query, 1.0) for query in queries_of(positive)]
    asked += [(query, -1.0) for query in queries_of(negative)]
    only = asked[0][0] if len(asked) == 1 else None
    if context is not None and not isinstance(only, str):
        raise InputError("a context belongs to one word; give a single word, or leave the context out")
    if isinstance(only, str) and how == "best" and asked[0][1] > 0:
        rows, _ = _meant(model, only, how, context)
        if len(rows) > 1:
            rows = rows[~marginal_senses(model, only)]
        return _best_of(model, nearest(model, rows, top, min_count))[:top]
    total, own = np.zeros(model.config.dim), list[int]()
    for query, sign in asked:
        if isinstance(query, str):
            rows, weights = _meant(model, query, "mean", context)
            own.append(int(np.searchsorted(model.offsets, rows[0], side="right")) - 1)
            vector = weights @ unit_vectors(model, rows).astype(np.float64)
        else:
            vector = checked_vector(query, model.config.dim)
        total += sign * vector / max(float(np.linalg.norm(vector)), _TINY)
    length = float(np.linalg.norm(total))
    if length < 1e-6:
        raise InputError("there is nothing to look for: give a word, a sense or a vector that is not zero")
    unit = (total / length).astype(np.float32)
    return _best_of(model, nearest_to(model, unit[None], [np.array(own, np.int64)], top, min_count))


def compare(model: Model, first: str, second: str, how: str, contexts: Sequence[OneContext | None]) -> float:
    """Return the cosine of two senses or words, see `Model.similarity`."""
    checked(how, "how", OneOf(HOW))
    if not isinstance(contexts, tuple | list) or len(contexts) != 2:
        raise InputError(f"contexts is {spelled(contexts)}; give two, one for each word, or None")
    (a, p), (b, q) = (
        _meant(model, name, how, context) for name, context in zip((first, second), contexts, strict=True)
    )
    both = blended_vectors(model, np.concatenate([a, b])).astype(np.float64)
    cosines = both[: len(a)] @ both[len(a) :].T  # (senses of the first, senses of the second)
    return float(cosines.max() if how == "best" else p @ cosines @ q)


def _meant(model: Model, name: str, how: str, context: OneContext | None) -> tuple[I64, Floats]:
    """Return rows and weights of the senses that a name stands for: one sense, or those of a word."""
    if model._word_and_number(name):
        return np.array([model.row(name)]), np.ones(1)
    rows = np.arange(model.n_senses)[model.rows(name)]
    if context is None:
        return rows, np.asarray(model.priors[rows])
    posterior = np.asarray(model.disambiguate(name, context))
    if how == "best":
        return rows[[int(posterior.argmax())]], np.ones(1)
    return rows, posterior


def _best_of(model: Model, found: list[tuple[I64, Floats]]) -> list[tuple[str, float]]:
    """Return neighbours of several queries as one list, the nearest sense of each word, the nearest first."""
    rows, cosines = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(-cosines, kind="stable")
    words = np.searchsorted(model.offsets, rows[order], side="right")
    order = order[np.sort(np.unique(words, return_index=True)[1])]
    return list(zip(model.names(rows[order]), cosines[order].tolist(), strict=True))


# -- words that show their senses best


@dataclass(frozen=True)
class Ranked:
    """A word and how clearly its senses differ: score = √(2 share) · distance² · coherence · agreement."""

    word: str
    score: float
    share: float  # of the second sense
    distance: float  # 1 - cosine of the words around the two senses that are most alike
    coherence: float  # of the least coherent sense: how much its neighbours are alike
    agreement: float  # of occurrences near each other in a text, as learned; 1 if it was not measured


def rank_words(model: Model, top: int, compared: int = _COMPARED) -> list[Ranked]:
    """Return up to `top` ambiguous words, the highest score first.

    A word is as clear as the least clear of its senses, of those that lists show (`marginal`). Of two equally clear
    words the more frequent one comes first: more readers know it.
    """
    words, uses = _candidates(model), np.log1p(np.asarray(model.vocabulary.counts))
    owners = np.repeat(np.arange(len(model.vocabulary)), np.diff(model.offsets))
    by_prior = np.lexsort((-model.priors, owners))  # the rows of each word, the main sense first
    main, second = by_prior[model.offsets[words]], by_prior[model.offsets[words] + 1]
    known = model.arrays.get("agreement")
    agreement = np.ones(len(words)) if known is None else np.maximum(known[words], 0.0)
    is_enough = (model.priors[second] >= MIN_SHARE) & (model.counts[second] >= MIN_USES)
    weight = np.where(is_enough, np.sqrt(2.0 * model.priors[second]) * agreement * uses[words] / uses.max(), 0.0)
    cosines = np.einsum("ij,ij->i", unit_vectors(model, main), unit_vectors(model, second))
    kept = np.argsort(-weight * (1.0 - cosines), kind="stable")[:compared]
    kept = kept[weight[kept] > 0]
    rows = [np.arange(*model.offsets[w : w + 2].tolist()) for w in words[kept].tolist()]
    coherence, around, topics = _surroundings(model, np.concatenate([np.empty(0, np.int64), *rows]))
    ranked, begin = [], 0
    for at, of_word in zip(kept.tolist(), rows, strict=True):
        of_list = slice(begin, begin := begin + len(of_word))
        shown = ~marginal(model.priors[of_word], model.counts[of_word], around[of_list])
        if shown.sum() > 1:
            topic = topics[of_list][shown]
            distance = 1.0 - float((topic @ topic.T)[np.triu_indices(len(topic), 1)].max())
            least = float(coherence[of_list][shown].min())
            share, word = float(model.priors[second[at]]), model.vocabulary.words[int(words[at])]
            score = float(weight[at]) * distance**2 * max(least, 0.0)
            ranked.append(Ranked(word, score, share, distance, least, float(agreement[at])))
    return sorted(ranked, key=lambda each: -each.score)[:top]


def _candidates(model: Model) -> I64:
    """Return content words of letters with several senses; a single Latin letter is not a word."""
    several = np.flatnonzero((np.diff(model.offsets) > 1) & content_words(model))
    names = model.vocabulary.words
    plain = [w for w in several.tolist() if names[w].isalpha() and not (names[w].isascii() and len(names[w]) == 1)]
    return np.array(plain, dtype=np.int64)


def _surroundings(model: Model, rows: I64) -> tuple[Floats, Floats, Floats]:
    """Return the coherence of senses, the mean prior of their neighbours, (n,), and the direction of these, (n, dim).

    The coherence is the mean cosine of two of the first neighbours, or that of the sense with them if it is less. The
    direction is that of the neighbours as words: two senses of a country are near other countries, in different senses.
    """
    coherence, prior = np.zeros(len(rows)), np.ones(len(rows))
    topics = np.zeros((len(rows), model.config.dim))
    for start in range(0, len(rows), _BATCH):
        found = nearest(model, rows[start : start + _BATCH], AROUND, usual_min_count(model), learned=True)
        for i, (around, closeness) in enumerate(found, start):
            first, n = unit_vectors(model, around[:N_COHERENT]), min(N_COHERENT, len(around))
            if n > 1:
                coherence[i] = min((first @ first.T)[np.triu_indices(n, 1)].mean(), closeness[:n].mean())
            if n:
                prior[i] = model.priors[around].mean()
                topics[i] = blended_vectors(model, around, weight=1.0).sum(axis=0)
    return coherence, prior, topics / np.maximum(np.linalg.norm(topics, axis=1, keepdims=True), _TINY)


def marginal_senses(model: Model, word: str) -> NDArray[np.bool_]:
    """Return which senses of a word lists leave out, in the order of their rows."""
    rows = np.arange(model.rows(word).start, model.rows(word).stop)
    return marginal(model.priors[rows], model.counts[rows], _surroundings(model, rows)[1])


def marginal(priors: Floats, counts: Floats, around: Floats) -> NDArray[np.bool_]:
    """Return which senses of a word lists leave out: those with few uses, and those made of leftovers.

    `around` is the mean prior of each sense's neighbours. Leftovers are near the leftovers of other words, which are
    side senses there. The main sense is always shown.
    """
    main = int(np.argmax(priors))
    is_marginal = (
        (priors < MARGINAL_SHARE) | (counts < MARGINAL_COUNT) | (around < min(LEFTOVER_PRIOR, around[main] / 2))
    )
    is_marginal[main] = False
    return np.asarray(is_marginal)
