"""Multi-sense Skip-gram (Neelakantan et al. 2014): K context clusters for the frequent words."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.arrays import ArrayMap, Arrays, Floats
from adagram.kernels.arrays import Span
from adagram.systems.base import Scratch
from adagram.systems.clusters import ClusterRows
from adagram.systems.initial import SENSES, random_vectors
from adagram.systems.noise import NoiseSystem, noise_work


class MSSG(NoiseSystem):
    name = "mssg"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.senses = ClusterRows(self.config.dim, self.totals)
        self.n_multi = int(np.searchsorted(self.owned, self.config.multi_sense_words))

    def start(self) -> None:
        """Random vectors and empty clusters: the first K contexts of a word become its centres."""
        n, more = len(self.vocabulary), self.config.senses - 1
        rows = self.senses.reserve(self.n_multi * more).reshape(self.n_multi, more)
        further = n + self.owned[: self.n_multi, None] * more + np.arange(more)
        vectors = random_vectors(np.append(self.owned, further), self.config, SENSES)
        self.senses.arrays.vectors[: len(vectors)] = vectors
        before = np.arange(self.n_multi)
        for k in range(more):
            self.senses.arrays.next_row[before] = rows[:, k]
            before = rows[:, k]
        self.start_output()

    def state(self) -> Arrays:
        return self.senses.state() | {"output": self.output.get()}

    def take_state(self, arrays: ArrayMap) -> None:
        self.senses.restore(arrays)
        self.output.set(arrays["output"])

    @property
    def most_senses(self) -> int:
        return self.config.senses

    def scratch(self, thread: int) -> Scratch:
        # Two senses: a row for the gradient, one for the mean of the context.
        return Scratch(thread, noise_work(self.vocabulary, self.config, max_senses=2))

    def train(self, span: Span, scratch: Scratch) -> int:
        from adagram.kernels.mssg import train_span

        hot = self.output.hot(scratch.thread)
        senses, centres = self.senses.arrays, self.senses.centres
        return int(
            train_span(span, self.noise, senses, centres, self.output.rows, hot, scratch.work, self.n_multi)
        )

    def usage(self) -> Floats:
        """As the clusters have it; words with a single sense have counted nothing and go on as the others do."""
        usage, n = self.senses.arrays.counts[: self.senses.used].copy(), self.n_multi
        seen = usage.sum() / self.totals[:n].sum() if n else 1.0
        usage[n : len(self.owned)] = seen * self.totals[n:]
        return usage

    def model_arrays(self) -> Arrays:
        return self.senses.model_arrays() | {"output": self.output.get()}
