"""Skip-gram with hierarchical softmax: AdaGram with a single sense per word (section 2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.kernels.arrays import Span, make_work
from adagram.systems.base import Arrays, OutputRows, System, Worker
from adagram.systems.learned import model_of_single_senses
from adagram.systems.tree import longest_path, node_visits, random_vectors, tree_of


class SkipGram(System):
    name = "skipgram"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tree = tree_of(self.vocabulary)
        self.output = OutputRows(
            len(self.vocabulary), self.config, node_visits(self.tree, self.vocabulary, self.config.window)
        )

    def start(self) -> None:
        n = len(self.vocabulary)
        self.vectors = random_vectors(n, self.config, stream=0)
        self.output.set(random_vectors(n, self.config, stream=1))

    def state(self) -> Arrays:
        return {"vectors": self.vectors, "output": self.output.get()}

    def restore(self, arrays: Arrays) -> None:
        self.vectors = np.array(arrays["vectors"])
        self.output.set(arrays["output"])

    def worker(self, number: int) -> Worker:
        nodes = 2 * self.config.window * longest_path(self.tree)
        work = make_work(len(self.vocabulary), self.config.dim, 1, nodes)
        return Worker(number, work, work.tally)

    def train(self, span: Span, worker: Worker) -> int:
        from adagram.kernels.skipgram import train_span

        hot = self.output.hot(worker.number)
        return int(train_span(span, self.tree, self.vectors, self.output.rows, hot, worker.work))

    def model_arrays(self) -> Arrays:
        model = model_of_single_senses(self.vectors, self.totals)
        return model | {"output": self.output.get(), "steps": self.tree.steps, "paths": self.tree.offsets}
