"""Skip-gram with negative sampling (Mikolov et al. 2013): output rows are words, not tree nodes."""

from __future__ import annotations

import numpy as np

from adagram.arrays import Arrays
from adagram.kernels.arrays import Span
from adagram.systems.base import Worker
from adagram.systems.learned import model_of_single_senses
from adagram.systems.noise import NoiseSystem, noise_work
from adagram.systems.tree import random_vectors


class SkipGramNS(NoiseSystem):
    name = "skipgram-ns"

    def start(self) -> None:
        self.vectors = random_vectors(self.owned, self.config, stream=0)
        self.output.set(random_vectors(np.arange(self.output.n_rows), self.config, stream=1))

    def state(self) -> Arrays:
        return {"vectors": self.vectors, "output": self.output.get()}

    def restore(self, arrays: Arrays) -> None:
        self.vectors = np.array(arrays["vectors"])
        self.output.set(arrays["output"])

    def worker(self, number: int) -> Worker:
        work = noise_work(self.vocabulary, self.config, max_senses=1)
        return Worker(number, work, work.tally)

    def train(self, span: Span, worker: Worker) -> int:
        from adagram.kernels.skipgram_ns import train_span

        hot = self.output.hot(worker.number)
        return int(train_span(span, self.noise, self.vectors, self.output.rows, hot, worker.work))

    def model_arrays(self) -> Arrays:
        return model_of_single_senses(self.vectors, self.totals) | {"output": self.output.get()}
