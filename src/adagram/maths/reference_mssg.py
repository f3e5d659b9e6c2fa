"""MSSG and NP-MSSG (Neelakantan et al. 2014) in plain NumPy, float64, with noise words given: oracles of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from adagram.types import Floats


class AdaGrad:
    """A vector trained by dual averaging (Duchi et al. 2011): η G / (√S + δ) once a gradient has come."""

    def __init__(self, start: Floats, rate: float, delta: float) -> None:
        self.rate, self.delta = rate, delta
        self.total = start.astype(float)  # G
        self.squares = np.zeros_like(self.total)  # S

    @property
    def value(self) -> Floats:
        scale = np.where(self.squares > 0, np.sqrt(self.squares) + self.delta, self.rate)
        return np.asarray(self.rate * self.total / scale)

    def add(self, gradient: Floats) -> None:
        self.total += gradient
        self.squares += gradient**2


@dataclass
class Sense:
    vector: AdaGrad
    centre: Floats  # the random start and all contexts that fell to the cluster, summed up
    n_contexts: int = field(default=0)


class ReferenceMSSG:
    """Section 4: `senses[w]` are those of word w; a word with one has no clusters."""

    def __init__(self, senses: list[list[Sense]], output: list[AdaGrad]) -> None:
        self.senses = senses
        self.output = output

    def step(self, w: int, context: Sequence[int], noise: Sequence[int]) -> None:
        """One token; each context word has as many noise words as the next."""
        sense = self.senses[w][0]
        if self.is_multi(w):
            total = np.sum([self.output[y].value for y in context], axis=0)  # v_context
            sense = self.choose(w, total)
            sense.centre = sense.centre + total
            sense.n_contexts += 1
        each = len(noise) // len(context)
        for j, y in enumerate(context):
            _step(sense.vector, self.output[y], label=1.0)
            for n in noise[j * each : (j + 1) * each]:
                _step(sense.vector, self.output[n], label=0.0)

    def is_multi(self, w: int) -> bool:
        return len(self.senses[w]) > 1

    def choose(self, w: int, total: Floats) -> Sense:
        """s = arg max_k cos(μ(w, k), v_context)"""
        return self.senses[w][int(np.argmax(self.cosines(w, total)))]

    def cosines(self, w: int, total: Floats) -> Floats:
        centres = np.array([sense.centre for sense in self.senses[w]])  # (K, D)
        return np.asarray(centres @ total / np.linalg.norm(centres, axis=1) / np.linalg.norm(total))


class ReferenceNPMSSG(ReferenceMSSG):
    """Section 5: `unborn[w]` are the senses that word w will get, one after the other."""

    def __init__(
        self, senses: list[list[Sense]], output: list[AdaGrad], unborn: list[list[Sense]], threshold: float
    ) -> None:
        super().__init__(senses, output)
        self.unborn = unborn
        self.threshold = threshold
        self.multi = [len(more) > 0 for more in unborn]

    def is_multi(self, w: int) -> bool:
        return self.multi[w]

    def choose(self, w: int, total: Floats) -> Sense:
        """A new sense where max_k cos(μ(w, k), v_context) < λ, else the nearest."""
        if self.cosines(w, total).max() < self.threshold and self.unborn[w]:
            self.senses[w].append(self.unborn[w].pop(0))
            return self.senses[w][-1]
        return super().choose(w, total)


def _step(vector: AdaGrad, output: AdaGrad, label: float) -> None:
    """Along the gradient of log σ(in·out), or log σ(-in·out) for a noise word, both at the old values."""
    before, out = vector.value, output.value
    slope = label - 1.0 / (1.0 + np.exp(-before @ out))
    vector.add(slope * out)
    output.add(slope * before)
