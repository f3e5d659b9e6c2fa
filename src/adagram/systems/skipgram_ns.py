"""Skip-gram with negative sampling (Mikolov et al. 2013): output rows are words, not tree nodes."""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import Span
from adagram.systems.base import Scratch
from adagram.systems.learned import model_of_single_senses
from adagram.systems.noise import NoiseSystem, noise_work
from adagram.types import ArrayMap, Arrays


class SkipGramNS(NoiseSystem):
    name = "skipgram-ns"

    def start(self) -> None:
        self.vectors = self.start_vectors()
        self.start_output()

    def state(self) -> Arrays:
        return {"vectors": self.vectors, **self.output.state()}

    def take_state(self, arrays: ArrayMap) -> None:
        self.vectors = np.array(arrays["vectors"])
        self.output.restore(arrays)

    def scratch(self) -> Scratch:
        return Scratch(noise_work(self.vocabulary, self.config, max_senses=1))

    def train(self, span: Span, scratch: Scratch, lane: int = 0) -> int:
        from adagram.kernels.skipgram_ns import train_span

        hot = self.output.hot(lane)
        return int(train_span(span, self.noise, self.vectors, self.output.rows, hot, scratch.work))

    def trained_arrays(self) -> Arrays:
        return model_of_single_senses(self.vectors, self.totals) | {"output": self.output.get()}
