"""Runs a system and its oracle over the same text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from references import AdaGrad, Sense

from adagram.config import TrainConfig
from adagram.kernels.arrays import Span, padded
from adagram.systems._skipgram import Noise, draw_noise, n_noise
from adagram.systems.base import System, system_class
from adagram.training.workers import Piece, SpanMaker
from tests_support import called, zipf_corpus

_draw, _n_noise = called(draw_noise), called(n_noise)

CORPUS = zipf_corpus(20, 400, seed=1)
N = len(CORPUS.vocabulary)
DIM = 5  # not a multiple of eight, so that padding is at work


def make(algorithm: str, **options: Any) -> tuple[System, Span]:
    """A fresh system, and a span that does not start where the corpus does."""
    config = TrainConfig.from_preset("paper", algorithm=algorithm, dim=DIM, window=3, threads=1, lr=0.1, **options)
    system = system_class(algorithm)(config, CORPUS.vocabulary, CORPUS.vocabulary.counts.astype(float))
    system.start()
    maker = SpanMaker(CORPUS, config, len(CORPUS.tokens))
    return system, maker.make(Piece(0, 100, len(CORPUS.tokens)))


def random_rows(n: int, seed: int) -> np.ndarray:
    """Rows as large as after training, so that an error would show."""
    rows = np.zeros((n, padded(DIM)), np.float32)
    rows[:, :DIM] = np.random.default_rng(seed).normal(size=(n, DIM))
    return rows


def windows(span: Span) -> Iterator[tuple[int, int, list[int], float]]:
    """(place, word, context, rate) of each token that is trained."""
    for i in range(span.first, span.last):
        context = [int(span.tokens[j]) for j in range(span.left[i], span.right[i]) if j != i]
        yield int(span.positions[i]), int(span.tokens[i]), context, float(span.rates[i])


def noise_at(noise: Noise, place: int, n_contexts: int) -> list[int]:
    return [_draw(noise, place * noise.shared + d) for d in range(_n_noise(noise, n_contexts))]


def output_of(system: System) -> list[AdaGrad]:
    """The output rows of a system with AdaGrad, for its oracle."""
    config = system.config
    return [AdaGrad(row[:DIM], config.lr, config.adagrad) for row in system.output.get()]


def senses_at(system: Any, rows: Any) -> list[Sense]:
    """The senses in some rows of a system with clusters, for its oracle."""
    config, vectors, centres = system.config, system.senses.arrays.vectors, system.senses.clusters.centres
    return [
        Sense(AdaGrad(vectors[row, :DIM], config.lr, config.adagrad), centres[row, :DIM].astype(float)) for row in rows
    ]
