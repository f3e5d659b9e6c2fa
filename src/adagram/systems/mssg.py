"""Multi-sense Skip-gram (Neelakantan et al. 2014): K context clusters for the frequent words."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.kernels.arrays import Span, padded
from adagram.systems.base import Scratch
from adagram.systems.clusters import ClusterRows
from adagram.systems.initial import CENTRES, SENSES, random_vectors
from adagram.systems.noise import NoiseSystem, noise_work
from adagram.types import ArrayMap, Arrays, Floats


class MSSG(NoiseSystem):
    name = "mssg"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        has_squares = self.config.adagrad > 0
        self.senses = ClusterRows(self.config.dim, self.totals, has_squares)
        width = padded(self.config.dim) if has_squares else 0
        self.output_squares = np.zeros((len(self.vocabulary), width), np.float32)
        self.n_multi = int(np.searchsorted(self.owned, self.config.multi_sense_words))

    def noise_of_window(self) -> int:
        return 2 * self.config.window * self.config.negatives  # each context word has its own

    def start(self) -> None:
        """Random vectors and centres."""
        n, more = len(self.vocabulary), self.config.senses - 1
        rows = self.senses.reserve(self.n_multi * more).reshape(self.n_multi, more)
        further = n + self.owned[: self.n_multi, None] * more + np.arange(more)
        numbers = np.append(self.owned, further)
        random_vectors(numbers, self.config, SENSES, self.senses.arrays.vectors[: len(numbers)])
        random_vectors(numbers, self.config, CENTRES, self.senses.clusters.centres[: len(numbers)])
        before = np.arange(self.n_multi)
        for k in range(more):
            self.senses.arrays.next_row[before] = rows[:, k]
            before = rows[:, k]
        self.start_output()

    def state(self) -> Arrays:
        return self.senses.state() | self.output.state() | {"output_squares": self.output_squares}

    def take_state(self, arrays: ArrayMap) -> None:
        self.senses.restore(arrays)
        self.output.restore(arrays)
        self.output_squares[:] = arrays["output_squares"]

    @property
    def most_senses(self) -> int:
        return self.config.senses

    def scratch(self) -> Scratch:
        return Scratch(noise_work(self.vocabulary, self.config, max_senses=1))

    @property
    def rule(self) -> tuple[np.float32, np.float32]:
        """η and δ of AdaGrad."""
        return np.float32(self.config.lr), np.float32(self.config.adagrad)

    def train(self, span: Span, scratch: Scratch, lane: int = 0) -> int:
        from adagram.kernels.mssg import train_span

        return int(train_span(*self.arguments(span, scratch, lane), (self.n_multi, self.rule)))

    def arguments(self, span: Span, scratch: Scratch, lane: int) -> tuple[Any, ...]:
        """What the kernels of both systems take."""
        senses, output = self.senses, self.output
        hot = output.hot(lane)
        arrays = (senses.arrays, senses.clusters, output.rows, self.output_squares)
        return (span, self.noise, *arrays, hot, scratch.work)

    def usage(self) -> Floats:
        """As the clusters have it; words with a single sense have counted nothing and go on as the others do."""
        usage, n = self.senses.arrays.counts[: self.senses.used].copy(), self.n_multi
        seen = usage.sum() / self.totals[:n].sum() if n else 1.0
        usage[n : len(self.owned)] = seen * self.totals[n:]
        return usage

    def trained_arrays(self) -> Arrays:
        return self.senses.model_arrays() | {"output": self.output.get()}
