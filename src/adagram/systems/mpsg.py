"""Multi-prototype Skip-gram (Tian et al. 2014): AdaGram's parametric form, K senses for every word.

Tian et al. take each pair of a word and a context word as a sample with a hidden sense of its own; here, as in AdaGram
and in the comparison of its paper, all words of a token's context share the token's sense.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adagram.kernels.arrays import Senses, Span
from adagram.systems._mpsg import Mixture
from adagram.systems.base import SENSES, Scratch, TreeSystem, model_of_senses, random_vectors
from adagram.types import ArrayMap, Arrays

MIN_PRIOR = 1e-12  # of a sense without posterior; its logarithm must stay finite


class MPSG(TreeSystem):
    name = "mpsg"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        n_words, n_senses = self.n_words, self.config.senses
        self._links = np.arange(1, n_words * n_senses + 1, dtype=np.int32)
        self._links[n_senses - 1 :: n_senses] = -1
        self._pending = np.zeros(n_words)

    def start(self) -> None:
        """Set random vectors, so that the senses of a word differ, and uniform priors."""
        n_senses = self.config.senses
        vectors = random_vectors(np.arange(self.n_words * n_senses), self.config, SENSES)
        counts = np.repeat(self.totals / n_senses, n_senses)
        self.mixture = Mixture(vectors, counts, self.totals)
        self.start_output()

    def state(self) -> Arrays:
        return {"vectors": self.mixture.vectors, "counts": self.mixture.counts, **self.output.state()}

    def set_state(self, arrays: ArrayMap) -> None:
        self.mixture = Mixture(np.array(arrays["vectors"]), np.array(arrays["counts"]), self.totals)
        self.output.restore(arrays)

    @property
    def stride(self) -> int:
        return self.config.senses

    def linked_senses(self) -> Senses:
        return Senses(*self.mixture[:2], self._links, self._pending, self.totals)

    def scratch(self) -> Scratch:
        return Scratch(self.tree_block(self.config.senses))

    def train(self, span: Span, scratch: Scratch) -> int:
        from adagram.systems._mpsg import train_span

        n_hot = self.output.n_hot
        return int(
            train_span(
                span, self.tree, self.mixture, self.output.rows, n_hot, scratch.work, self.config.senses
            )
        )

    def arrays(self) -> tuple[Arrays, Arrays]:
        n, n_senses = self.n_words, self.config.senses
        counts = self.mixture.counts
        priors = np.maximum(counts / np.repeat(self.totals, n_senses), MIN_PRIOR)
        keep = np.ones(len(counts), dtype=bool)  # K senses for every word, used or not
        model = model_of_senses(self.mixture.vectors, np.arange(n + 1) * n_senses, counts, priors, keep)
        return model | self.tree_arrays(), {}
