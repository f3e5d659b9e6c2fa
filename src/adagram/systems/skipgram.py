"""Skip-gram with hierarchical softmax, AdaGram with a single sense per word (section 2), and with negative sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.arrays import Senses, Span, Work, make_work
from adagram.systems._skipgram import Noise
from adagram.systems.base import SENSES, OutputRows, System, model_of_senses, random_vectors
from adagram.systems.mpsg import MPSG
from adagram.types import F32, I32, I64, Arrays, Floats

SHARED = 14  # noise words of a window: with ten context words they fill three blocks of eight rows
POWER = 0.75
_NOISE = 3  # random stream


class SkipGram(MPSG):
    """With one sense per word MPSG is Skip-gram: its posterior is one, and its prior stays one."""

    name = "skipgram"

    @property
    def max_senses(self) -> int:
        return 1


class NoiseSystem(System):
    """A system whose output rows are words, compared with noise words."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.noise = noise_of(self.vocabulary, self.config, self.noise_of_window())
        counts, config = self.vocabulary.counts, self.config
        drawn = counts / counts.sum() + config.negatives * noise_distribution(counts)  # as context word or noise
        self.output = OutputRows(self.n_words, config, 2.0 * config.window * drawn)

    def noise_of_window(self) -> int:
        """Return the maximum number of noise words of a window."""
        return SHARED

    def scratch(self) -> Work:
        rows = 2 * self.config.window + SHARED
        return make_work(self.n_words, self.config.dim, 1, rows, self.output.scales)


class SkipGramNS(NoiseSystem):
    name = "skipgram-ns"

    @property
    def max_senses(self) -> int:
        return 1

    def start(self) -> None:
        self.vectors = random_vectors(self.n_words, self.config, SENSES)
        links, pending = np.full(self.n_words, -1, np.int32), np.zeros(self.n_words)
        self._senses = Senses(self.vectors, self.totals, links, pending, self.totals)
        self.start_output()

    def state(self) -> Arrays:
        return {"vectors": self.vectors, **self.output.state()}

    def linked_senses(self) -> Senses:
        return self._senses

    def train(self, span: Span, scratch: Work) -> int:
        from adagram.systems._skipgram import train_span

        n_hot = self.output.n_hot
        return int(train_span(span, self.noise, self.vectors, self.output.rows, n_hot, scratch))

    def arrays(self) -> tuple[Arrays, Arrays]:
        n, ones = self.n_words, np.ones(self.n_words)
        model = model_of_senses(self.vectors, np.arange(n + 1), self.totals, ones, ones > 0)
        return model | {"output": self.output.get()}, {}


def noise_of(vocabulary: Vocabulary, config: TrainConfig, shared: int) -> Noise:
    chances, aliases = alias_table(noise_distribution(vocabulary.counts))
    key = np.random.SeedSequence([config.seed, _NOISE]).generate_state(1, np.uint64)[0]
    return Noise(chances, aliases, config.negatives, shared, key)


def noise_distribution(counts: I64) -> Floats:
    """Mikolov et al. 2013, section 2.2: P(w) ∝ count(w)^(3/4)."""
    weights = counts.astype(np.float64) ** POWER
    return np.asarray(weights / weights.sum())


def alias_table(probabilities: Floats) -> tuple[F32, I32]:
    """Return the tables of Walker's alias method: draw a word uniformly, keep it with its chance, else use its alias.

    >>> chances, aliases = alias_table(np.array([0.5, 0.25, 0.25]))
    >>> chances.tolist(), aliases.tolist()
    ([1.0, 0.75, 0.75], [0, 0, 0])
    """
    n = len(probabilities)
    left = probabilities * n  # probability left of each word, in units of a slot
    chances, aliases = np.ones(n, np.float32), np.arange(n, dtype=np.int32)
    small, large = np.flatnonzero(left < 1.0).tolist(), np.flatnonzero(left >= 1.0).tolist()
    while small and large:
        s, r = small.pop(), large[-1]
        chances[s], aliases[s] = left[s], r
        left[r] -= 1.0 - left[s]
        if left[r] < 1.0:
            small.append(large.pop())
    return chances, aliases
