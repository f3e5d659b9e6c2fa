from __future__ import annotations

from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import DIM, N, make, noise_at, random_rows, windows
from references import ReferenceNS


class TestSkipGramNS(Behaviour):
    algorithm = "skipgram-ns"
    has_senses = False
    has_likelihood = False


def test_agrees_with_the_oracle():
    system, span = make("skipgram-ns")
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
