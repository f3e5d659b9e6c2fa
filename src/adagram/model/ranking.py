"""Which words show best that they have several senses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.languages import ENGLISH
from adagram.model.homographs import HOMOGRAPHS
from adagram.model.neighbours import nearest, usual_min_count
from adagram.types import I64, Floats

if TYPE_CHECKING:
    from adagram.model.senses import SenseTable

LEAST_SHARE, LEAST_COUNT = 0.05, 30.0  # of a second sense that is worth showing
LEAST_SCORE = 0.1  # of a known homograph that goes before other words
NEIGHBOURS = 5  # whose agreement is the coherence of a sense
FEW_SHARE, FEW_COUNT = 0.02, 10.0  # a sense with less is left out of lists
AROUND = 10  # neighbours whose priors tell whether a sense is made of leftovers
STRAY = 0.1  # mean prior of the neighbours of a sense that is made of leftovers
FREQUENT = 200  # words so frequent that they say nothing about a sense, of a large vocabulary
_COMPARED = 300  # homographs, and other words, with the greatest contrast, whose neighbours are looked up
_BATCH = 64


@dataclass(frozen=True)
class Ranked:
    """A word and how clearly its two main senses differ: score = √(2 share) · distance · coherence · agreement."""

    word: str
    is_homograph: bool  # in the list of well-known ones
    score: float
    share: float  # prior of the second sense
    distance: float  # 1 - cosine of the two
    coherence: float  # of the less coherent one: how much its neighbours are alike
    agreement: (
        float  # of occurrences near each other in a text, as learned; 1 where the model does not know it
    )


def rank_words(model: SenseTable, top: int, compared: int = _COMPARED) -> list[Ranked]:
    """Up to `top` ambiguous words: well-known homographs by score, then all others by score."""
    words = _candidates(model)
    main, second = _main_senses(model, words)
    share = model.priors[second]
    distance = 1.0 - _cosines(model, main, second)
    agreement = _agreement(model, words)
    is_enough = (share >= LEAST_SHARE) & (model.counts[second] >= LEAST_COUNT)
    contrast = np.where(is_enough, np.sqrt(2.0 * share) * distance * agreement, 0.0)
    is_known = np.array([model.vocabulary.words[w] in HOMOGRAPHS for w in words.tolist()], dtype=bool)
    order = np.argsort(-contrast, kind="stable")
    kept = np.concatenate([order[is_known[order]][:compared], order[~is_known[order]][:compared]])
    kept = kept[contrast[kept] > 0]
    coherence = np.minimum(*coherences(model, np.concatenate([main[kept], second[kept]])).reshape(2, -1))
    score = contrast[kept] * np.maximum(coherence, 0.0)
    goes_first = is_known[kept] & (score >= LEAST_SCORE)
    best = np.lexsort((-score, ~goes_first))[:top].tolist()
    return [
        Ranked(
            model.vocabulary.words[int(words[kept[i]])],
            bool(is_known[kept[i]]),
            score=float(score[i]),
            share=float(share[kept[i]]),
            distance=float(distance[kept[i]]),
            coherence=float(coherence[i]),
            agreement=float(agreement[kept[i]]),
        )
        for i in best
    ]


def marginal_senses(model: SenseTable, word: str) -> NDArray[np.bool_]:
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
    is_marginal = (priors < FEW_SHARE) | (counts < FEW_COUNT) | (around < min(STRAY, around[main] / 2))
    is_marginal[main] = False
    return np.asarray(is_marginal)


def _candidates(model: SenseTable) -> I64:
    """Words of letters with several senses that are no function words."""
    several = np.flatnonzero(np.diff(model.offsets) > 1).tolist()
    spelled = ((w, model.vocabulary.words[w]) for w in several)
    plain = [w for w, word in spelled if word.isalpha() and len(word) > 2 and word not in ENGLISH]
    return np.array(plain, dtype=np.int64)


def _main_senses(model: SenseTable, words: I64) -> tuple[I64, I64]:
    """Rows of the senses with the highest and the second-highest prior of each word."""
    first, second = np.empty_like(words), np.empty_like(words)
    for i, w in enumerate(words.tolist()):
        start, stop = int(model.offsets[w]), int(model.offsets[w + 1])
        second[i], first[i] = start + np.argsort(model.priors[start:stop], kind="stable")[-2:]
    return first, second


def _agreement(model: SenseTable, words: I64) -> Floats:
    """A word whose occurrences agree less than by chance is none to show."""
    known = model.arrays.get("agreement")
    return np.ones(len(words)) if known is None else np.maximum(known[words], 0.0)


def _cosines(model: SenseTable, a: I64, b: I64) -> Floats:
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    return np.asarray(np.einsum("ij,ij->i", vectors[a], vectors[b]) / norms[a] / norms[b], dtype=np.float64)


def coherences(model: SenseTable, rows: NDArray[np.int64]) -> Floats:
    """For each sense: the mean cosine between two of its nearest neighbours, times the share that says something.

    It is the mean cosine of the sense with them if that is less. Rare words are no neighbours, and the most frequent
    words of a language stand near to everything.
    """
    found = np.zeros(len(rows))
    frequent = min(FREQUENT, len(model.vocabulary) // 20)
    vectors, norms = model.arrays["vectors"], np.maximum(model.arrays["norms"], 1e-12)
    for start in range(0, len(rows), _BATCH):
        near = nearest(model, rows[start : start + _BATCH], NEIGHBOURS, LEAST_COUNT)
        for i, (around, closeness) in enumerate(near, start):
            unit = vectors[around] / norms[around][:, None]
            pairs = len(around) * (len(around) - 1)
            alike = (float((unit @ unit.T).sum()) - len(around)) / pairs if pairs else 0.0
            words = np.searchsorted(model.offsets, around, side="right") - 1
            found[i] = min(alike, closeness.mean()) * np.mean(words >= frequent) if pairs else 0.0
    return found
