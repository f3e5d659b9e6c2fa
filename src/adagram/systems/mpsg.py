"""Multi-prototype Skip-gram (Tian et al. 2014): AdaGram's parametric form, K senses for every word.

Tian et al. take each pair of a word and a context word as a sample with a hidden sense of its own; here, as in AdaGram
and in the comparison of its paper, all words of a token's context share the token's sense.
"""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import Senses, Span, Work
from adagram.systems.base import SENSES, TreeSystem, model_of_senses, random_vectors
from adagram.types import Arrays

MIN_PRIOR = 1e-12  # of a sense without posterior; its logarithm must stay finite


class MPSG(TreeSystem):
    name = "mpsg"

    def start(self) -> None:
        """Set random vectors, so that the senses of a word differ, and uniform priors."""
        n_senses = self.max_senses
        vectors = random_vectors(self.n_words * n_senses, self.config, SENSES)
        counts = np.repeat(self.totals / n_senses, n_senses)
        links = np.arange(1, len(counts) + 1, dtype=np.int32)
        links[n_senses - 1 :: n_senses] = -1
        self.senses = Senses(vectors, counts, links, np.zeros(self.n_words), self.totals)
        self.start_output()

    def state(self) -> Arrays:
        return {"vectors": self.senses.vectors, "counts": self.senses.counts, **self.output.state()}

    @property
    def stride(self) -> int:
        return self.max_senses

    def linked_senses(self) -> Senses:
        return self.senses

    @property
    def max_senses(self) -> int:
        return self.config.senses

    def train(self, span: Span, scratch: Work) -> int:
        from adagram.systems._mpsg import train_span

        n_hot, n_senses = self.output.n_hot, self.max_senses
        return int(train_span(span, self.tree, self.senses, self.output.rows, n_hot, scratch, n_senses))

    def arrays(self) -> tuple[Arrays, Arrays]:
        n, n_senses = self.n_words, self.max_senses
        counts = self.senses.counts
        priors = np.maximum(counts / np.repeat(self.totals, n_senses), MIN_PRIOR)
        keep = np.ones(len(counts), dtype=bool)  # K senses for every word, used or not
        model = model_of_senses(self.senses.vectors, np.arange(n + 1) * n_senses, counts, priors, keep)
        return model | self.tree_arrays(), {}
