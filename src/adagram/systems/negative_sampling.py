"""Base of the systems with negative sampling, and their noise distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.arrays import Work, make_work
from adagram.paper.negative_sampling import alias_table, noise_distribution
from adagram.systems._negative_sampling import Noise
from adagram.systems.base import OutputRows, System
from adagram.types import Floats

SHARED = 14  # noise words of a window: with ten context words they fill three blocks of eight rows
_NOISE = 3  # random stream


class NoiseSystem(System):
    """A system whose output rows are words, compared with noise words."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.noise = noise_of(self.vocabulary, self.config, self.noise_of_window())
        self.output = OutputRows(self.n_words, self.config, row_visits(self.vocabulary, self.config))

    def noise_of_window(self) -> int:
        """Return the maximum number of noise words of a window."""
        return SHARED

    def noise_work(self) -> Work:
        rows = 2 * self.config.window + SHARED
        return make_work(self.n_words, self.config.dim, 1, rows, self.output.scales)


def noise_of(vocabulary: Vocabulary, config: TrainConfig, shared: int) -> Noise:
    chances, aliases = alias_table(noise_distribution(vocabulary.counts))
    key = np.random.SeedSequence([config.seed, _NOISE]).generate_state(1, np.uint64)[0]
    return Noise(chances, aliases, config.negatives, shared, key)


def row_visits(vocabulary: Vocabulary, config: TrainConfig) -> Floats:
    """Return how often a window updates the output row of each word, as context or noise, on average, (n_words,)."""
    shares = vocabulary.counts / vocabulary.counts.sum()
    noise = noise_distribution(vocabulary.counts)
    return np.asarray(2.0 * config.window * (shares + config.negatives * noise))
