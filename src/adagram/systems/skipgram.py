"""Skip-gram with hierarchical softmax: AdaGram with a single sense per word (section 2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.kernels.arrays import Senses, Span
from adagram.systems.base import SENSES, Scratch, System, TreeSystem, model_of_single_senses, random_vectors
from adagram.systems.negative_sampling import NoiseSystem
from adagram.types import ArrayMap, Arrays


class OneVector(System):
    """State of the systems with one vector per word."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._links = np.full(self.n_words, -1, np.int32)
        self._pending = np.zeros(self.n_words)

    def start(self) -> None:
        self.vectors = random_vectors(np.arange(self.n_words), self.config, SENSES)
        self.start_output()

    def state(self) -> Arrays:
        return {"vectors": self.vectors, **self.output.state()}

    def set_state(self, arrays: ArrayMap) -> None:
        self.vectors = np.array(arrays["vectors"])
        self.output.restore(arrays)

    def linked_senses(self) -> Senses:
        return Senses(self.vectors, self.totals, self._links, self._pending, self.totals)


class SkipGram(OneVector, TreeSystem):
    name = "skipgram"

    def scratch(self) -> Scratch:
        return Scratch(self.tree_work(max_senses=1))

    def train(self, span: Span, scratch: Scratch) -> int:
        from adagram.systems._skipgram import train_span

        n_hot = self.output.n_hot
        return int(train_span(span, self.tree, self.vectors, self.output.rows, n_hot, scratch.work))

    def arrays(self) -> tuple[Arrays, Arrays]:
        return model_of_single_senses(self.vectors, self.totals) | self.tree_arrays(), {}


class SkipGramNS(OneVector, NoiseSystem):
    name = "skipgram-ns"

    def scratch(self) -> Scratch:
        return Scratch(self.noise_work())

    def train(self, span: Span, scratch: Scratch) -> int:
        from adagram.systems._skipgram import train_span_ns

        n_hot = self.output.n_hot
        return int(train_span_ns(span, self.noise, self.vectors, self.output.rows, n_hot, scratch.work))

    def arrays(self) -> tuple[Arrays, Arrays]:
        return model_of_single_senses(self.vectors, self.totals) | {"output": self.output.get()}, {}
