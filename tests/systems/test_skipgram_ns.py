from __future__ import annotations

import pytest
from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import DIM, N, make, noise_at, random_rows, windows
from references import ReferenceNS


class TestSkipGramNS(Behaviour):
    algorithm = "skipgram-ns"
    has_senses = False
    has_likelihood = False


@pytest.mark.parametrize("step", ["token", "pair"])
def test_agrees_with_the_oracle(step):
    system, span = make("skipgram-ns", step=step)
    state = {"vectors": random_rows(N, seed=1), "output": random_rows(N, seed=2)}
    system.restore(state)
    oracle = ReferenceNS(state["vectors"][:, :DIM].astype(float), state["output"][:, :DIM].astype(float), negatives=5)
    system.train(span, system.scratch())
    for place, w, context, rate in windows(span):
        oracle.step(w, context, noise_at(system.noise, place, len(context)), rate)
    after = system.state()
    assert_allclose(after["vectors"][:, :DIM], oracle.vectors, atol=2e-3)
    assert_allclose(after["output"][:, :DIM], oracle.output, atol=2e-3)
    assert not after["vectors"][:, DIM:].any(), "padding stays zero"


def test_each_pair_has_noise_words_of_its_own():
    system, span = make("skipgram-ns", step="pair")
    drawn = {tuple(noise_at(system.noise, place, 1)) for place, *_ in windows(span)}
    assert len(drawn) > 0.9 * (span.last - span.first) / 2
    assert all(len(noise) == 5 for noise in drawn)
