from __future__ import annotations

from typing import ClassVar

import numpy as np
from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import CORPUS, DIM, N, make, random_rows, windows
from references import ReferenceMPSG

from adagram.paper.softmax import huffman
from tests_support import train_in_memory


class TestMPSG(Behaviour):
    algorithm = "mpsg"
    options: ClassVar = {"senses": 2}


def test_agrees_with_the_oracle():
    system, span = make("mpsg", senses=3)
    totals = CORPUS.vocabulary.counts.astype(float)
    state = {
        "vectors": random_rows(3 * N, seed=1),
        "output": random_rows(N, seed=2),
        "counts": np.repeat(totals / 3, 3),
    }
    system.restore(state)
    oracle = ReferenceMPSG(
        huffman(CORPUS.vocabulary.counts),
        state["vectors"][:, :DIM].reshape(N, 3, DIM).astype(float),
        state["output"][:, :DIM].astype(float),
    )
    system.train(span, system.scratch())
    for _, w, context, rate in windows(span):
        oracle.step(w, context, rate)
    after = system.state()
    assert_allclose(after["counts"].reshape(N, 3) / totals[:, None], oracle.priors, atol=2e-3)
    assert_allclose(after["vectors"][:, :DIM].reshape(N, 3, DIM), oracle.vectors, atol=5e-3)
    assert_allclose(after["output"][:, :DIM], oracle.output, atol=5e-3)


def test_every_word_has_k_senses():
    model = train_in_memory(CORPUS, algorithm="mpsg", dim=8, senses=4, threads=1)
    assert (np.diff(model.offsets) == 4).all()


def test_one_sense_is_skipgram():
    """With K = 1 there is nothing to mix."""
    mpsg = train_in_memory(CORPUS, algorithm="mpsg", dim=8, senses=1, threads=1)
    skipgram = train_in_memory(CORPUS, algorithm="skipgram", dim=8, threads=1)
    assert_allclose(mpsg.vectors, skipgram.vectors, atol=1e-6)
