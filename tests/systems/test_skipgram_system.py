from __future__ import annotations

import numpy as np
import pytest
from behaviour import CORPUS, Behaviour
from numpy.testing import assert_allclose
from oracles import DIM, N, make, random_rows, windows

from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.paper.softmax import huffman
from tests_support import train_in_memory


class TestSkipGram(Behaviour):
    algorithm = "skipgram"
    has_senses = False


def test_it_is_adagram_with_one_sense():
    options = {"dim": 12, "epochs": 2, "threads": 1}
    skipgram = train_in_memory(CORPUS, algorithm="skipgram", **options)
    adagram = train_in_memory(CORPUS, algorithm="adagram", max_senses=1, **options)
    assert_allclose(adagram.arrays["vectors"], skipgram.arrays["vectors"], atol=1e-5)
    assert_allclose(adagram.arrays["output"], skipgram.arrays["output"], atol=1e-5)


def test_a_step_per_pair_agrees_with_word2vec():
    """Against the textbook loop: each context word of each token in turn."""
    system, span = make("skipgram", step="pair")
    (_, by_token) = make("skipgram")
    state = {"vectors": random_rows(N, seed=1), "output": random_rows(N, seed=2)}
    vectors, output = (state[name][:, :DIM].astype(float) for name in ("vectors", "output"))
    system.restore(state)
    assert system.train(span, system.scratch()) == span.last
    tree = huffman(system.vocabulary.counts)
    for _, w, context, rate in windows(by_token):
        for y in context:
            path = slice(tree.offsets[y], tree.offsets[y + 1])
            nodes, is_left = tree.steps[path] >> 1, (tree.steps[path] & 1) > 0
            slopes = is_left - 1 / (1 + np.exp(-output[nodes] @ vectors[w]))
            gradient = slopes @ output[nodes]
            output[nodes] += rate * slopes[:, None] * vectors[w]
            vectors[w] += rate * gradient
    after = system.state()
    assert_allclose(after["vectors"][:, :DIM], vectors, atol=2e-3)
    assert_allclose(after["output"][:, :DIM], output, atol=2e-3)


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns"])
def test_a_step_per_pair_trains_with_threads_and_boundaries(algorithm):
    options = {"algorithm": algorithm, "step": "pair", "dim": 12, "threads": 2, "subsample": 0.01}
    model = train_in_memory(CORPUS, **options, shrink_windows=True)
    assert np.isfinite(model.vectors).all()
    assert model.vectors.any(axis=1).all()


def test_a_step_per_pair_is_for_words_with_one_sense():
    with pytest.raises(InputError, match="adagram needs all of a token's context"):
        TrainConfig.from_preset("paper", step="pair")
    with pytest.raises(InputError, match="step is 'word'; it must be one of token, pair"):
        TrainConfig.from_preset("paper", step="word")
