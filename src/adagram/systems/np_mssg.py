"""NP-MSSG (Neelakantan et al. 2014): MSSG whose words grow a sense when a context is far from all their clusters."""

from __future__ import annotations

import numpy as np

from adagram.kernels.arrays import Span
from adagram.systems.base import Scratch
from adagram.systems.initial import CENTRES, SENSES, random_vectors
from adagram.systems.mssg import MSSG


class NPMSSG(MSSG):
    name = "np-mssg"

    def start(self) -> None:
        """One random vector and one random centre per word."""
        n = len(self.owned)
        random_vectors(self.owned, self.config, SENSES, self.senses.arrays.vectors[:n])
        random_vectors(self.owned, self.config, CENTRES, self.senses.clusters.centres[:n])
        self.start_output()

    @property
    def most_senses(self) -> int:
        return self.config.max_senses

    def train(self, span: Span, scratch: Scratch, lane: int = 0) -> int:
        from adagram.kernels.np_mssg import train_span

        config = self.config
        growth = (float(config.new_sense_below), config.max_senses, np.uint64(config.seed))
        return int(train_span(*self.arguments(span, scratch, lane), (self.n_multi, self.rule, *growth)))

    def make_room(self, scratch: Scratch) -> bool:
        return self.senses.take_spares(scratch.work.spare)

    def grow(self) -> None:
        self.senses.grow()
