"""Reference implementations in NumPy and float64, the oracles of the tests: Algorithm 1 and the other systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from adagram.paper.negative_sampling import gradients
from adagram.paper.objective import global_bound, local_bound, log_predictive, sense_posterior
from adagram.paper.schedule import learning_rate
from adagram.paper.softmax import Huffman, log_p_word, log_p_word_gradient
from adagram.paper.stick_breaking import expected_pi, is_learned, softmax, updated_counts
from adagram.types import Floats


class Reference:
    """The parameters θ = (vectors, output) and the counts n_wk that stand for q(β)."""

    def __init__(
        self,
        tree: Huffman,
        n_w: Floats,
        vectors: Floats,
        output: Floats,
        alpha: float,
        negligible: float = 0.0,  # posterior up to which a sense is not updated
    ) -> None:
        self.tree = tree
        self.n_w = n_w  # (V,)
        self.vectors = vectors  # (V, T, D) in_wk
        self.output = output  # (V, D) out_n; the last row is unused
        self.alpha, self.negligible = alpha, negligible
        self.counts = np.zeros(vectors.shape[:2])  # (V, T)
        self.counts[:, 0] = n_w

    def log_p(self, w: int, context: Sequence[int]) -> Floats:
        """log p(y_j | w, k), (T, C)"""
        return np.array(
            [[log_p_word(v, self.output, self.tree, y) for y in context] for v in self.vectors[w]]
        )

    def posterior(self, w: int, context: Sequence[int]) -> Floats:
        """Local step: γ_k, (T,)"""
        return sense_posterior(self.counts[w], self.alpha, self.log_p(w, context))

    def step(self, w: int, context: Sequence[int], rate: float) -> Floats:
        """Run one iteration of Algorithm 1; return γ."""
        posterior = self.posterior(w, context)
        self.counts[w] = updated_counts(self.counts[w], posterior, self.n_w[w], rate)
        moved = np.where(posterior > self.negligible, posterior, 0.0)
        in_gradient, out_gradient = self.gradients(w, context, moved)
        self.vectors[w] += rate * in_gradient
        self.output += rate * out_gradient
        return posterior

    def gradients(self, w: int, context: Sequence[int], posterior: Floats) -> tuple[Floats, Floats]:
        """∇_θ Σ_k γ_k Σ_j log p(y_j | w, k): with respect to in_wk, (T, D), and to out, (V, D)."""
        in_gradient = np.zeros_like(self.vectors[w])
        out_gradient = np.zeros_like(self.output)
        for k, gamma in enumerate(posterior):
            for y in context:
                to_in, to_out = log_p_word_gradient(self.vectors[w, k], self.output, self.tree, y)
                in_gradient[k] += gamma * to_in
                out_gradient[self.tree.path(y)[0]] += gamma * to_out
        return in_gradient, out_gradient

    def train(self, tokens: NDArray[np.integer], window: int, lr: float) -> None:
        """One pass with the schedule of Algorithm 1."""
        for i, (w, context) in enumerate(windows(tokens, window)):
            self.step(w, context, learning_rate(lr, i, len(tokens)))

    def bound(self, tokens: NDArray[np.integer], window: int) -> float:
        """The variational bound with every q(z) at its optimum."""
        total = sum(global_bound(counts, self.alpha) for counts in self.counts)
        for w, context in windows(tokens, window):
            log_p = self.log_p(w, context)
            posterior = sense_posterior(self.counts[w], self.alpha, log_p)
            total += local_bound(self.counts[w], self.alpha, log_p, posterior)
        return total

    def log_likelihood(self, tokens: NDArray[np.integer], window: int) -> float:
        """Eq. (9), mean over context words."""
        each = [
            log_predictive(self.counts[w], self.alpha, self.log_p(w, c))[0]
            for w, c in windows(tokens, window)
        ]
        return float(np.concatenate(each).mean())

    def n_senses(self) -> NDArray[np.int64]:
        """Learned senses of each word, (V,)"""
        return np.asarray(is_learned(expected_pi(self.counts, self.alpha), self.counts).sum(axis=1))


def windows(tokens: NDArray[np.integer], window: int) -> Iterator[tuple[int, list[int]]]:
    """Every token with the words up to `window` places away."""
    for i, w in enumerate(tokens.tolist()):
        yield w, tokens[max(0, i - window) : i].tolist() + tokens[i + 1 : i + 1 + window].tolist()


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
