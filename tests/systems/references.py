"""Reference implementations of the systems beside AdaGram, in NumPy and float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from adagram.paper.softmax import Huffman, log_p_word, log_p_word_gradient
from adagram.paper.stick_breaking import log_sigmoid, softmax
from adagram.types import Floats


def objective(vector: Floats, output: Floats, context: Sequence[int], noise: Sequence[int], negatives: int) -> float:
    """Their Eq. (4) for a window: Σ_j [log σ(in·out_j) + k E log σ(-in·out_noise)].

    The expectation over noise words is a mean over the ones given, which all context words share; a noise word that
    equals the context word is left out.
    """
    share = negatives / max(len(noise), 1)
    total = 0.0
    for y in context:
        total += float(log_sigmoid(output[y] @ vector))
        total += share * sum(float(log_sigmoid(-output[n] @ vector)) for n in noise if n != y)
    return total


def gradients(
    vector: Floats, output: Floats, context: Sequence[int], noise: Sequence[int], negatives: int
) -> tuple[Floats, Floats]:
    """Gradients of the objective with respect to in, (D,), and to all rows of out, (V, D)."""
    share = negatives / max(len(noise), 1)
    slopes = np.zeros(len(output))  # of in·out_n
    for y in context:
        slopes[y] += 1.0 - _sigma(output[y] @ vector)
        for n in noise:
            if n != y:
                slopes[n] -= share * _sigma(output[n] @ vector)
    return slopes @ output, slopes[:, None] * vector


def _sigma(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-x)))


class ReferenceMPSG:
    """K senses with vectors and priors for every word."""

    def __init__(self, tree: Huffman, vectors: Floats, output: Floats) -> None:
        self.tree = tree
        self.vectors = vectors  # (V, K, D)
        self.output = output  # (V, D); the last row is unused
        self.priors = np.full(vectors.shape[:2], 1.0 / vectors.shape[1])  # (V, K) π

    def posterior(self, w: int, context: Sequence[int]) -> Floats:
        """E-step: γ_k ∝ π_wk Π_j p(y_j | w, k)."""
        log_p = [sum(log_p_word(v, self.output, self.tree, y) for y in context) for v in self.vectors[w]]
        return softmax(np.log(self.priors[w]) + np.array(log_p))

    def step(self, w: int, context: Sequence[int], rate: float) -> None:
        """M-step, online: one gradient step of Σ_k γ_k Σ_j log p(y_j | w, k), and π ← (1-λ) π + λ γ."""
        posterior = self.posterior(w, context)
        to_in, to_out = np.zeros_like(self.vectors[w]), np.zeros_like(self.output)
        for k, gamma in enumerate(posterior):
            for y in context:
                in_part, out_part = log_p_word_gradient(self.vectors[w, k], self.output, self.tree, y)
                to_in[k] += gamma * in_part
                to_out[self.tree.path(y)[0]] += gamma * out_part
        self.vectors[w] += rate * to_in
        self.output += rate * to_out
        self.priors[w] += rate * (posterior - self.priors[w])


class AdaGrad:
    """A vector trained by dual averaging (Duchi et al. 2011): η G / (√S + δ) after the first gradient."""

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
    centre: Floats  # sum of the random start and of all contexts of the cluster
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
    """Section 5: `unborn[w]` are the senses that word w will get, in this order."""

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
        """Return a new sense if max_k cos(μ(w, k), v_context) < λ, else the nearest."""
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


class ReferenceNS:
    """Skip-gram with negative sampling: one vector per word."""

    def __init__(self, vectors: Floats, output: Floats, negatives: int) -> None:
        self.vectors = vectors  # (V, D)
        self.output = output  # (V, D)
        self.negatives = negatives

    def step(self, w: int, context: Sequence[int], noise: Sequence[int], rate: float) -> None:
        to_in, to_out = gradients(self.vectors[w], self.output, context, noise, self.negatives)
        self.vectors[w] += rate * to_in
        self.output += rate * to_out
