"""Skip-gram with hierarchical softmax: AdaGram with a single sense per word (section 2)."""

from __future__ import annotations

import numpy as np

from adagram.arrays import Arrays
from adagram.kernels.arrays import Span
from adagram.systems.base import Worker
from adagram.systems.learned import model_of_single_senses
from adagram.systems.tree import TreeSystem, random_vectors


class SkipGram(TreeSystem):
    name = "skipgram"

    def start(self) -> None:
        self.vectors = random_vectors(self.owned, self.config, stream=0)
        self.output.set(random_vectors(np.arange(self.output.n_rows), self.config, stream=1))

    def state(self) -> Arrays:
        return {"vectors": self.vectors, "output": self.output.get()}

    def restore(self, arrays: Arrays) -> None:
        self.vectors = np.array(arrays["vectors"])
        self.output.set(arrays["output"])

    def worker(self, number: int) -> Worker:
        work = self.tree_work(max_senses=1)
        return Worker(number, work, work.tally)

    def train(self, span: Span, worker: Worker) -> int:
        from adagram.kernels.skipgram import train_span

        hot = self.output.hot(worker.number)
        return int(train_span(span, self.tree, self.vectors, self.output.rows, hot, worker.work))

    def model_arrays(self) -> Arrays:
        model = model_of_single_senses(self.vectors, self.totals)
        return model | self.tree_arrays()
