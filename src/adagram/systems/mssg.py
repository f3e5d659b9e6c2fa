"""MSSG and NP-MSSG (Neelakantan et al. 2014): each sense has a cluster of contexts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from adagram.kernels.arrays import Span, Work, padded
from adagram.paper.stick_breaking import is_learned
from adagram.systems.adagram import GrowingSystem, SenseRows
from adagram.systems.base import CENTRES, SENSES, model_of_senses, random_vectors, with_likeliest
from adagram.systems.skipgram import NoiseSystem
from adagram.types import F32, Arrays, Floats


class Clusters(NamedTuple):
    """What a sense has besides its vector, row by row."""

    centres: F32  # (capacity, padded dim) means of a random start and of the contexts of the cluster
    squares: F32  # (capacity, padded dim) sums of squared gradients; no columns without AdaGrad


class ClusterRows(SenseRows):
    """Sense rows; `arrays.counts` are the contexts of each cluster."""

    def __init__(self, dim: int, totals: Floats, has_squares: bool) -> None:
        self._widths = padded(dim), padded(dim) if has_squares else 0
        super().__init__(dim, totals)

    def _allocate(self, capacity: int) -> None:
        super()._allocate(capacity)
        self.clusters = Clusters(*(np.zeros((capacity, width), np.float32) for width in self._widths))

    def state(self) -> Arrays:
        return super().state() | {name: each[: self.used] for name, each in self.clusters._asdict().items()}


class MSSG(GrowingSystem, NoiseSystem):
    senses: ClusterRows
    name = "mssg"
    threshold = -np.inf  # cosine below which a context starts a new sense

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        has_squares = self.config.adagrad > 0
        self.senses = ClusterRows(self.config.dim, self.totals, has_squares)
        width = padded(self.config.dim) if has_squares else 0
        self.output_squares = np.zeros((len(self.vocabulary), width), np.float32)
        self.n_multi = min(self.config.multi_sense_words, self.n_words)
        self.n_first = self.config.senses  # of each of these words, at the start

    def noise_of_window(self) -> int:
        return 2 * self.config.window * self.config.negatives  # each context word has its own

    def start(self) -> None:
        """Set random vectors and centres."""
        self.senses.link(np.repeat(np.arange(self.n_multi), self.n_first))
        n = self.senses.used
        random_vectors(n, self.config, SENSES, self.senses.arrays.vectors[:n])
        random_vectors(n, self.config, CENTRES, self.senses.clusters.centres[:n])
        self.start_output()

    def state(self) -> Arrays:
        return self.senses.state() | self.output.state() | {"output_squares": self.output_squares}

    @property
    def max_senses(self) -> int:
        return self.config.senses

    def train(self, span: Span, scratch: Work) -> int:
        from adagram.systems._mssg import train_span

        arrays = (self.senses.arrays, self.senses.clusters, self.output.rows, self.output_squares)
        rule = np.float32(self.config.lr), np.float32(self.config.adagrad)  # η and δ of AdaGrad
        options = self.n_multi, rule, self.threshold, self.max_senses, np.uint64(self.config.seed)
        return int(train_span(span, self.noise, *arrays, self.output.n_hot, scratch, options))

    def arrays(self) -> tuple[Arrays, Arrays]:
        rows, offsets = self.senses.chains()
        found = self.senses.arrays.counts[rows]
        words = np.repeat(np.arange(self.n_words), np.diff(offsets))
        seen = np.bincount(words, found, minlength=self.n_words)[words]
        is_first = np.diff(words, prepend=-1) != 0
        # The prior of a sense is its share of the word's contexts. Words with a single sense, or not trained yet, have
        # counted no contexts: the first sense has all.
        priors = np.where(seen > 0, found / np.maximum(seen, 1.0), is_first)
        counts = priors * self.totals[words]
        keep = with_likeliest(offsets, priors, is_learned(priors, counts))
        model = model_of_senses(self.senses.arrays.vectors, offsets, counts, priors, keep, rows)
        return model | {"centres": self.senses.clusters.centres[rows[keep]], "output": self.output.get()}, {}


class NPMSSG(MSSG):
    name = "np-mssg"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.n_first, self.threshold = 1, float(self.config.new_sense_below)

    @property
    def max_senses(self) -> int:
        return self.config.max_senses
