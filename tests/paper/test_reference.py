"""The oracle against theory: finite differences, a bound that never falls, symmetry of senses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.paper.reference import Reference, log_predictive, predictive_posterior, windows
from adagram.paper.softmax import huffman
from adagram.paper.stick_breaking import expected_log_pi, expected_pi

TOKENS = np.random.default_rng(5).choice(6, size=60, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])


def make(n_senses: int = 3, dim: int = 4, alpha: float = 0.3, seed: int = 0) -> Reference:
    draw = np.random.default_rng(seed)
    n_w = np.sort(np.bincount(TOKENS, minlength=6))[::-1].astype(float)
    model = Reference(
        huffman(n_w.astype(np.int64)), n_w, draw.normal(size=(6, n_senses, dim)), draw.normal(size=(6, dim)), alpha
    )
    model.counts = draw.gamma(1.0, 4.0, size=(6, n_senses))
    return model


def test_gradients_by_finite_differences():
    model, w, context = make(), 2, [0, 1, 1, 4]
    posterior = model.posterior(w, context)
    in_gradient, out_gradient = model.gradients(w, context, posterior)

    def objective() -> float:
        return float(posterior @ model.log_p(w, context).sum(axis=1))

    for array, gradient in ((model.vectors[w], in_gradient), (model.output, out_gradient)):
        for at in np.ndindex(array.shape):
            array[at] += 1e-6
            above = objective()
            array[at] -= 2e-6
            below = objective()
            array[at] += 1e-6
            assert gradient[at] == pytest.approx((above - below) / 2e-6, abs=1e-5)


def test_full_batch_bound_never_falls():
    """Coordinate ascent on q(z), q(β) and a small gradient step on θ, over all data."""
    model = make(alpha=0.1)
    bounds = [model.bound(TOKENS, 2)]
    for _ in range(8):
        counts = np.zeros_like(model.counts)
        in_step, out_step = np.zeros_like(model.vectors), np.zeros_like(model.output)
        for w, context in windows(TOKENS, 2):
            posterior = model.posterior(w, context)
            counts[w] += posterior
            in_gradient, out_gradient = model.gradients(w, context, posterior)
            in_step[w] += in_gradient
            out_step += out_gradient
        model.counts = counts
        bounds.append(model.bound(TOKENS, 2))
        model.vectors += 1e-3 * in_step
        model.output += 1e-3 * out_step
        bounds.append(model.bound(TOKENS, 2))
    assert np.all(np.diff(bounds) > -1e-9)
    assert bounds[-1] > bounds[0] + 1


def test_bound_is_below_the_log_likelihood_of_the_mean():
    """Jensen: E[log Σ…] with the expected prior is an upper bound on the local part."""
    model = make()
    joint = sum(log_predictive(model.counts[w], model.alpha, model.log_p(w, c))[1] for w, c in windows(TOKENS, 2))
    assert model.bound(TOKENS, 2) < joint


def test_senses_differ_by_their_prior_and_their_vector_only():
    """Vectors exchanged among senses: posteriors without the prior are exchanged, and so are the gradients."""
    model, other, order = make(), make(), [2, 0, 1]
    other.vectors = other.vectors[:, order]
    E_pi = np.exp(expected_log_pi(model.counts[1], model.alpha))
    posterior, of_other = model.posterior(1, [0, 2]), other.posterior(1, [0, 2])
    likelihood, of_other_likelihood = posterior / E_pi, of_other / E_pi
    assert_allclose(of_other_likelihood / of_other_likelihood.sum(), (likelihood / likelihood.sum())[order])
    in_gradient, out_gradient = model.gradients(1, [0, 2], posterior)
    of_other_in, of_other_out = other.gradients(1, [0, 2], posterior[order])
    assert_allclose(of_other_in, in_gradient[order])
    assert_allclose(of_other_out, out_gradient)


def test_posterior_of_eq_8_uses_the_mean_prior():
    model = make()
    log_p = model.log_p(1, [0, 2])
    weights = expected_pi(model.counts[1], model.alpha) * np.exp(log_p.sum(1))
    assert_allclose(predictive_posterior(model.counts[1], model.alpha, log_p), weights / weights.sum())


def test_one_sense_is_skip_gram():
    """With T=1 the posterior is one, and a step is Skip-gram's gradient step."""
    model = make(n_senses=1)
    model.counts[:, 0] = model.n_w
    before = model.vectors.copy(), model.output.copy()
    in_gradient, out_gradient = model.gradients(1, [0, 3], np.ones(1))
    posterior = model.step(1, [0, 3], 0.1)
    assert posterior.tolist() == [1.0]
    assert_allclose(model.vectors[1], before[0][1] + 0.1 * in_gradient)
    assert_allclose(model.output, before[1] + 0.1 * out_gradient)
    assert_allclose(model.counts[:, 0], model.n_w)
