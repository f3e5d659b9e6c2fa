"""Nearest senses by cosine, exactly; words that show their senses best; senses on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import I64, Floats
from adagram.model.arguments import MIN_COUNT, TOP, checked
from adagram.model.storage import finite
from adagram.text.stop_words import ENGLISH

if TYPE_CHECKING:
    from adagram.model.model import Model

OFTEN, MIN_OFTEN = 20.0, 1000  # a count that is not rare, and how many senses must have it
MIN_SHARE, MIN_USES = 0.05, 30.0  # of a second sense that is worth showing
N_COHERENT = 5  # neighbours whose agreement is the coherence of a sense
MARGINAL_SHARE, MARGINAL_COUNT = 0.02, 10.0  # a sense with less is left out of lists
AROUND = 10  # neighbours whose mean prior tells whether a sense is made of leftovers
LEFTOVER_PRIOR = 0.1  # mean prior of the neighbours of a sense that is made of leftovers
FREQUENT = 200  # words so frequent that they say nothing about a sense, of a large vocabulary
_COMPARED = 300  # words with the greatest contrast, whose neighbours are looked up
_BATCH = 64
_BLOCK = 256  # scores whose maximum is taken together when the best are looked for


@dataclass(frozen=True)
class Neighbour:
    """A sense near another one."""

    name: str
    similarity: float


def unit_vectors(model: Model, rows: I64 | slice = slice(None)) -> NDArray[np.float32]:
    """Return the learned vectors of sense rows, scaled to length one, (n, dim)."""
    norms = np.maximum(model.arrays["norms"][rows], 1e-12)
    return np.asarray(model.vectors[rows] / norms[:, None], dtype=np.float32)


def usual_min_count(model: Model) -> float:
    """The count that a neighbour must have so that rare words are left out, where the model has enough others."""
    return OFTEN if int((model.counts >= OFTEN).sum()) >= MIN_OFTEN else 1.0


def nearest(
    model: Model, queries: NDArray[np.int64], top: int, min_count: float
) -> list[tuple[NDArray[np.int64], Floats]]:
    """For each query row: rows and cosines of the `top` nearest senses of other words with at least min_count."""
    top, min_count = checked(top, "top", TOP), checked(min_count, "min_count", MIN_COUNT)
    if top == 0:
        return [(np.empty(0, np.int64), np.empty(0)) for _ in queries]
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    cosines = vectors[queries] @ vectors.T  # (n_queries, n_senses)
    cosines /= norms
    cosines /= norms[queries][:, None]
    finite(cosines)
    cosines[:, np.flatnonzero(model.counts < min_count)] = -np.inf
    words = np.searchsorted(model.offsets, queries, side="right") - 1
    results = []
    for word, row in zip(words, cosines, strict=True):
        # The word's own senses are no neighbours.
        row[model.offsets[word] : model.offsets[word + 1]] = -np.inf
        best = np.flatnonzero((row >= nth_largest(row, top)) & (row > -np.inf))
        best = best[np.lexsort((best, -row[best]))[:top]]
        results.append((best, row[best].astype(np.float64)))
    return results


def nth_largest(scores: NDArray[np.float32], top: int) -> float:
    """The top-th largest score, or -inf when there are fewer.

    The `top` largest scores lie in the `top` blocks with the largest maxima, so only those are partitioned.
    """
    if top >= len(scores):
        return -np.inf
    blocks = len(scores) // _BLOCK
    rest = scores[blocks * _BLOCK :]
    if blocks <= top:
        return float(np.partition(scores, -top)[-top])
    table = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK)
    best = np.argpartition(table.max(axis=1), -top)[-top:]
    return float(np.partition(np.append(table[best], rest), -top)[-top])


# -- words that show their senses best


@dataclass(frozen=True)
class Ranked:
    """A word and how clearly its two main senses differ: score = √(2 share) · distance · coherence · agreement."""

    word: str
    score: float
    share: float  # prior of the second sense
    distance: float  # 1 - cosine of the two
    coherence: float  # of the less coherent one: how much its neighbours are alike
    agreement: float  # of occurrences near each other in a text, as learned; 1 if it was not measured


def rank_words(model: Model, top: int, compared: int = _COMPARED) -> list[Ranked]:
    """Return up to `top` ambiguous words, the highest score first."""
    words = _candidates(model)
    main, second = _main_senses(model, words)
    share = model.priors[second]
    distance = 1.0 - _cosines(model, main, second)
    agreement = _agreement(model, words)
    is_enough = (share >= MIN_SHARE) & (model.counts[second] >= MIN_USES)
    contrast = np.where(is_enough, np.sqrt(2.0 * share) * distance * agreement, 0.0)
    kept = np.argsort(-contrast, kind="stable")[:compared]
    kept = kept[contrast[kept] > 0]
    coherence = np.minimum(*coherences(model, np.concatenate([main[kept], second[kept]])).reshape(2, -1))
    score = contrast[kept] * np.maximum(coherence, 0.0)
    return [
        Ranked(
            model.vocabulary.words[int(words[kept[i]])],
            score=float(score[i]),
            share=float(share[kept[i]]),
            distance=float(distance[kept[i]]),
            coherence=float(coherence[i]),
            agreement=float(agreement[kept[i]]),
        )
        for i in np.argsort(-score, kind="stable")[:top].tolist()
    ]


def marginal_senses(model: Model, word: str) -> NDArray[np.bool_]:
    """Which senses of a word lists leave out, in the order of their rows."""
    rows = np.arange(model.rows(word).start, model.rows(word).stop)
    found = nearest(model, rows, AROUND, usual_min_count(model))
    around = np.array([model.priors[near].mean() if len(near) else 1.0 for near, _ in found])
    return marginal(model.priors[rows], model.counts[rows], around)


def marginal(priors: Floats, counts: Floats, around: Floats) -> NDArray[np.bool_]:
    """Which senses of a word lists leave out: those with few uses, and those made of leftovers.

    `around` is the mean prior of each sense's neighbours. Leftovers stand near the leftovers of other words, which are
    side senses there. The main sense is always shown.
    """
    main = int(np.argmax(priors))
    is_marginal = (
        (priors < MARGINAL_SHARE)
        | (counts < MARGINAL_COUNT)
        | (around < min(LEFTOVER_PRIOR, around[main] / 2))
    )
    is_marginal[main] = False
    return np.asarray(is_marginal)


def _candidates(model: Model) -> I64:
    """Words of letters with several senses that are no function words."""
    several = np.flatnonzero(np.diff(model.offsets) > 1).tolist()
    spelled = ((w, model.vocabulary.words[w]) for w in several)
    plain = [w for w, word in spelled if word.isalpha() and len(word) > 2 and word not in ENGLISH]
    return np.array(plain, dtype=np.int64)


def _main_senses(model: Model, words: I64) -> tuple[I64, I64]:
    """Rows of the senses with the highest and the second-highest prior of each word."""
    first, second = np.empty_like(words), np.empty_like(words)
    for i, w in enumerate(words.tolist()):
        start, stop = int(model.offsets[w]), int(model.offsets[w + 1])
        second[i], first[i] = start + np.argsort(model.priors[start:stop], kind="stable")[-2:]
    return first, second


def _agreement(model: Model, words: I64) -> Floats:
    """A word whose occurrences agree less than by chance is none to show."""
    known = model.arrays.get("agreement")
    return np.ones(len(words)) if known is None else np.maximum(known[words], 0.0)


def _cosines(model: Model, a: I64, b: I64) -> Floats:
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    return np.asarray(np.einsum("ij,ij->i", vectors[a], vectors[b]) / norms[a] / norms[b], dtype=np.float64)


def coherences(model: Model, rows: NDArray[np.int64]) -> Floats:
    """For each sense: the mean cosine between two of its nearest neighbours, times the share that says something.

    It is the mean cosine of the sense with them if that is less. Rare words are no neighbours, and the most frequent
    words of a language stand near to everything.
    """
    found = np.zeros(len(rows))
    frequent = min(FREQUENT, len(model.vocabulary) // 20)
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    for start in range(0, len(rows), _BATCH):
        near = nearest(model, rows[start : start + _BATCH], N_COHERENT, MIN_USES)
        for i, (around, closeness) in enumerate(near, start):
            unit = vectors[around] / norms[around][:, None]
            pairs = len(around) * (len(around) - 1)
            alike = (float((unit @ unit.T).sum()) - len(around)) / pairs if pairs else 0.0
            words = np.searchsorted(model.offsets, around, side="right") - 1
            found[i] = min(alike, closeness.mean()) * np.mean(words >= frequent) if pairs else 0.0
    return found


# -- senses on a plane


@dataclass(frozen=True)
class SenseMap:
    """Senses of the asked words first, then their neighbours; `owner` is the place of the sense that brought it."""

    rows: NDArray[np.int64]  # (n_points,) sense rows
    points: Floats  # (n_points, 2)
    owner: NDArray[np.int64]  # (n_points,) an asked sense is its own owner
    n_asked: int
    explained: tuple[float, float]  # share of the variance along either axis


def principal_plane(vectors: NDArray[np.float32]) -> tuple[Floats, tuple[float, float]]:
    """PCA: coordinates on the two main axes, (n, 2), and the share of the variance that each explains."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    axes = min(2, len(s))
    points = np.zeros((len(vectors), 2))
    points[:, :axes] = u[:, :axes] * s[:axes]
    # An axis has no natural sign; the point furthest from the middle is put on the positive side.
    furthest = points[np.abs(points).argmax(axis=0), [0, 1]]
    points *= np.where(furthest < 0, -1.0, 1.0)
    share = np.append(s**2 / max(float((s**2).sum()), 1e-12), [0.0, 0.0])
    return points, (float(share[0]), float(share[1]))


def sense_map(model: Model, words: Sequence[str], top: int = 12, min_count: float = 1.0) -> SenseMap:
    """The senses of some words and the `top` nearest senses around each, on one plane."""
    asked = np.concatenate([np.arange(model.rows(w).start, model.rows(w).stop) for w in dict.fromkeys(words)])
    found = nearest(model, asked, top, min_count)
    return place(model, asked, found)


def place(
    model: Model, asked: NDArray[np.int64], found: Sequence[tuple[NDArray[np.int64], Floats]]
) -> SenseMap:
    """Put senses and their neighbours on a plane; a shared neighbour belongs to the sense it is nearest to."""
    closest: dict[int, tuple[float, int]] = {}
    for owner, (rows, cosines) in enumerate(found):
        for row, cosine in zip(rows.tolist(), cosines.tolist(), strict=True):
            closest[row] = max(closest.get(row, (-np.inf, 0)), (cosine, owner))
    around = [row for row in closest if row not in set(asked.tolist())]
    rows = np.concatenate([asked, np.array(around, dtype=np.int64)])
    owner_of = np.append(np.arange(len(asked)), [closest[row][1] for row in around]).astype(np.int64)
    points, explained = principal_plane(unit_vectors(model, rows))
    return SenseMap(rows, points, owner_of, len(asked), explained)
