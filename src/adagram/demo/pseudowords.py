"""Pseudo-words: two unrelated words become one token, so that its two senses are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.evaluation.clustering import adjusted_rand_index, majority_f1
from adagram.model import Model

Pairs = list[tuple[int, int]]
MIN_COUNT, MAX_COUNT = 200, 2000  # occurrences of a word that may become half of a pseudo-word
MAX_COSINE = 0.15  # between the two halves


@dataclass(frozen=True)
class Scores:
    """Means over pseudo-words, on text that was not trained on."""

    ari: float
    accuracy: float  # share of occurrences whose half is the most frequent one of their sense


def choose_pairs(model: Model, n_pairs: int, seed: int) -> Pairs:
    """Draw pairs of words of similar frequency and unrelated meaning."""
    vocabulary, counts = model.vocabulary, model.vocabulary.counts
    often = np.flatnonzero((counts >= MIN_COUNT) & (counts <= MAX_COUNT)).tolist()
    free = [w for w in often if len(vocabulary.words[w]) > 3 and vocabulary.words[w].isalpha()]
    vectors = {w: _unit(model.word_vector(vocabulary.words[w])) for w in free}
    draw = np.random.default_rng(seed)
    pairs: Pairs = []
    for w in draw.permutation(free).tolist():
        if len(pairs) == n_pairs or w not in free:
            continue
        alike = [v for v in free if v != w and 0.8 < counts[v] / counts[w] < 1.25]
        unrelated = [v for v in alike if vectors[v] @ vectors[w] < MAX_COSINE]
        if unrelated:
            partner = int(draw.choice(unrelated))
            pairs.append((int(w), partner))
            free = [v for v in free if v not in (w, partner)]
    return pairs


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def merge(corpus: EncodedCorpus, pairs: Pairs) -> tuple[EncodedCorpus, NDArray[np.int64]]:
    """Return the corpus with every pair as one token 'first+second', and the new id of every old word."""
    old = corpus.vocabulary
    names, counts = list(old.words), old.counts.copy()
    target = np.arange(len(old))
    for first, second in pairs:
        names[first] = f"{old.words[first]}+{old.words[second]}"
        counts[first] += counts[second]
        counts[second] = 0
        target[second] = first
    vocabulary = Vocabulary.from_counts({names[w]: int(counts[w]) for w in np.flatnonzero(counts)})
    new_id = np.array([vocabulary.index[names[target[w]]] for w in range(len(old))])
    tokens = new_id[corpus.tokens].astype(np.uint32)
    return EncodedCorpus(tokens, corpus.ends, vocabulary, corpus.fingerprint + "+pairs", corpus.meta), new_id


def measure(
    model: Model, pairs: Pairs, held_out: NDArray[np.int64], new_id: NDArray[np.int64]
) -> dict[str, Scores]:
    """Score how well the two halves are told apart: by the model, by one sense for all, and at random."""
    draw = np.random.default_rng(0)
    found: dict[str, list[tuple[float, float]]] = {"adagram": [], "one sense": [], "random": []}
    text = new_id[held_out].astype(np.int32)
    everywhere = model.predictor.in_text(text, np.array([len(text)]))
    for first, second in pairs:
        at = np.flatnonzero((held_out == first) | (held_out == second))
        truth = (held_out[at] == second).astype(int).tolist()
        if len(set(truth)) < 2:
            continue
        posteriors = [everywhere[i] for i in at.tolist()]
        n_senses = len(posteriors[0])
        guesses = {
            "adagram": [int(p.argmax()) for p in posteriors],
            "one sense": [0] * len(at),
            "random": draw.integers(0, max(2, n_senses), len(at)).tolist(),
        }
        for name, guess in guesses.items():
            found[name].append((adjusted_rand_index(truth, guess), majority_f1(truth, guess)))
    return {name: Scores(*np.mean(rows, axis=0).tolist()) for name, rows in found.items() if rows}
