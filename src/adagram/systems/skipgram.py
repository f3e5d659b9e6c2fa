"""Skip-gram with hierarchical softmax: AdaGram with a single sense per word (section 2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.kernels.arrays import Senses, Span
from adagram.systems.base import Scratch
from adagram.systems.learned import model_of_single_senses
from adagram.systems.tree import TreeSystem
from adagram.types import ArrayMap, Arrays


class SkipGram(TreeSystem):
    name = "skipgram"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._links = np.full(len(self.owned), -1, np.int32)
        self._pending = np.zeros(len(self.owned))

    def start(self) -> None:
        self.vectors = self.start_vectors()
        self.start_output()

    def state(self) -> Arrays:
        return {"vectors": self.vectors, **self.output.state()}

    def take_state(self, arrays: ArrayMap) -> None:
        self.vectors = np.array(arrays["vectors"])
        self.output.restore(arrays)

    def linked_senses(self) -> Senses:
        settled = np.zeros(len(self.owned), np.int32)
        return Senses(self.vectors, self.totals, self._links, self._pending, self.totals, settled)

    def scratch(self) -> Scratch:
        return Scratch(self.tree_work(max_senses=1))

    def train(self, span: Span, scratch: Scratch, lane: int = 0) -> int:
        from adagram.kernels.skipgram import train_span

        hot = self.output.hot(lane)
        return int(train_span(span, self.tree, self.vectors, self.output.rows, hot, scratch.work))

    def trained_arrays(self) -> Arrays:
        model = model_of_single_senses(self.vectors, self.totals)
        return model | self.tree_arrays()
