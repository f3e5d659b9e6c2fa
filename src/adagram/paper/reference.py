"""The bound of section 3.1, the predictions of section 3.2, and Algorithm 1, in NumPy: the oracles of the tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from adagram.paper.schedule import learning_rate
from adagram.paper.softmax import Huffman, log_p_word, log_p_word_gradient
from adagram.paper.stick_breaking import (
    expected_log_pi,
    expected_log_prior_minus_q,
    expected_pi,
    is_learned,
    softmax,
    updated_counts,
)
from adagram.types import Floats


def sense_posterior(counts: Floats, alpha: float, log_p: Floats) -> Floats:
    """Eq. (5): q(z=k) ∝ exp(E[log π_k] + Σ_j log p(y_j | w, k)), with log_p (T, C)."""
    return softmax(expected_log_pi(counts, alpha) + log_p.sum(axis=1))


def predictive_posterior(counts: Floats, alpha: float, log_p: Floats, weights: Floats | float = 1.0) -> Floats:
    """Eq. (8): p(z=k | w, y) ∝ E[π_k] Π_j p(y_j | w, k)^w_j; every weight w_j is one in the paper."""
    return softmax(np.log(expected_pi(counts, alpha)) + (log_p * weights).sum(axis=1))


def log_predictive(counts: Floats, alpha: float, log_p: Floats) -> tuple[Floats, float]:
    """Eq. (9): log Σ_k E[π_k] p(y_j | w, k) for each context word alone, (C,), and for the context jointly."""
    log_pi = np.log(expected_pi(counts, alpha))
    alone = np.logaddexp.reduce(log_pi[:, None] + log_p, axis=0)
    jointly = np.logaddexp.reduce(log_pi + log_p.sum(axis=1))
    return alone, float(jointly)


def local_bound(counts: Floats, alpha: float, log_p: Floats, posterior: Floats) -> float:
    """The part of the bound of one token: E_q[log p(z | β) - log q(z) + Σ_j log p(y_j | z)]."""
    entropy = -float((posterior * np.log(np.maximum(posterior, 1e-300))).sum())
    return float(posterior @ (expected_log_pi(counts, alpha) + log_p.sum(axis=1))) + entropy


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
        row_rates: Floats | float = 1.0,  # (V,) of each output row, times the learning rate; 1 is the paper's
    ) -> None:
        self.tree = tree
        self.n_w = n_w  # (V,)
        self.vectors = vectors  # (V, T, D) in_wk
        self.output = output  # (V, D) out_n; the last row is unused
        self.alpha, self.negligible = alpha, negligible
        self.row_rates = np.broadcast_to(row_rates, len(output))[:, None]
        self.counts = np.zeros(vectors.shape[:2])  # (V, T)
        self.counts[:, 0] = n_w

    def log_p(self, w: int, context: Sequence[int]) -> Floats:
        """log p(y_j | w, k), (T, C)"""
        return np.array([[log_p_word(v, self.output, self.tree, y) for y in context] for v in self.vectors[w]])

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
        self.output += rate * self.row_rates * out_gradient
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
        total = sum(expected_log_prior_minus_q(counts, self.alpha) for counts in self.counts)
        for w, context in windows(tokens, window):
            log_p = self.log_p(w, context)
            posterior = sense_posterior(self.counts[w], self.alpha, log_p)
            total += local_bound(self.counts[w], self.alpha, log_p, posterior)
        return total

    def log_likelihood(self, tokens: NDArray[np.integer], window: int) -> float:
        """Eq. (9), mean over context words."""
        each = [log_predictive(self.counts[w], self.alpha, self.log_p(w, c))[0] for w, c in windows(tokens, window)]
        return float(np.concatenate(each).mean())

    def n_senses(self) -> NDArray[np.int64]:
        """Learned senses of each word, (V,)"""
        return np.asarray(is_learned(expected_pi(self.counts, self.alpha), self.counts).sum(axis=1))


def windows(tokens: NDArray[np.integer], window: int) -> Iterator[tuple[int, list[int]]]:
    """Every token with the words up to `window` places away."""
    for i, w in enumerate(tokens.tolist()):
        yield w, tokens[max(0, i - window) : i].tolist() + tokens[i + 1 : i + 1 + window].tolist()
