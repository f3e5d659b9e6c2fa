"""What the systems with negative sampling have in common: the noise and their scratch space."""

from __future__ import annotations

import numpy as np

from adagram.config import TrainConfig
from adagram.kernels.arrays import Work, make_work
from adagram.kernels.negative_sampling import Noise
from adagram.maths.negative_sampling import alias_table, noise_distribution
from adagram.vocabulary import Vocabulary

SHARED = 14  # noise words of a window: with ten context words they fill three blocks of eight rows
_NOISE = 3  # random stream


def noise_of(vocabulary: Vocabulary, config: TrainConfig) -> Noise:
    chances, aliases = alias_table(noise_distribution(vocabulary.counts))
    key = np.random.SeedSequence([config.seed, _NOISE]).generate_state(1, np.uint64)[0]
    return Noise(chances, aliases, config.negatives, SHARED, key)


def noise_work(vocabulary: Vocabulary, config: TrainConfig, max_senses: int) -> Work:
    return make_work(len(vocabulary), config.dim, max_senses, 2 * config.window + SHARED)
