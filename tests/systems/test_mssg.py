from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import CORPUS, DIM, N, make, noise_at, output_of, senses_at, windows
from references import ReferenceMSSG

from tests_support import train_in_memory


class TestMSSG(Behaviour):
    algorithm = "mssg"
    options: ClassVar = {"senses": 2, "multi_sense_words": 5, "negatives": 1}
    has_likelihood = False


@pytest.mark.parametrize("negatives", [1, 3])
def test_agrees_with_the_oracle(negatives):
    """Six words with three senses, the others with one: vectors, centres and cluster sizes."""
    system, span = make("mssg", senses=3, multi_sense_words=6, negatives=negatives, adagrad=0.3)
    rows, offsets = system.senses.chains()
    system.senses.arrays.vectors[:, :DIM] *= 20
    system.output.set(system.output.get() * 20)
    senses = [senses_at(system, rows[a:b]) for a, b in pairwise(offsets)]
    assert [len(each) for each in senses] == [3] * 6 + [1] * (N - 6)
    oracle = ReferenceMSSG(senses, output_of(system))
    system.train(span, system.scratch())
    for place, w, context, _ in windows(span):
        oracle.step(w, context, noise_at(system.noise, place, len(context)))

    arrays = system.senses.arrays
    assert_allclose(system.output.get()[:, :DIM], [row.value for row in oracle.output], atol=2e-3)
    for w in range(N):
        for row, sense in zip(rows[offsets[w] :], oracle.senses[w], strict=False):
            assert_allclose(arrays.vectors[row, :DIM], sense.vector.value, atol=2e-3)
            assert arrays.counts[row] == sense.n_contexts
            if w < 6:
                found = system.senses.clusters.centres[row, :DIM] * (sense.n_contexts + 1)
                assert_allclose(found, sense.centre, rtol=5e-3, atol=5e-3)


def test_without_adagrad_a_step_is_the_gradient_at_the_falling_rate():
    system, span = make("mssg", multi_sense_words=0, adagrad=0, negatives=1)
    system.senses.arrays.vectors[:, :DIM] *= 20
    vectors = system.senses.arrays.vectors[:N, :DIM].astype(float)
    output = system.output.get()[:, :DIM].astype(float)
    system.train(span, system.scratch())
    for place, w, context, rate in windows(span):
        noise = noise_at(system.noise, place, len(context))
        for pair in zip(context, noise, strict=True):
            for y, label in zip(pair, (1.0, 0.0), strict=True):
                slope = rate * (label - 1 / (1 + np.exp(-vectors[w] @ output[y])))
                vectors[w], output[y] = vectors[w] + slope * output[y], output[y] + slope * vectors[w]
    assert_allclose(system.senses.arrays.vectors[:N, :DIM], vectors, atol=1e-4)
    assert_allclose(system.output.get()[:, :DIM], output, atol=1e-4)


def test_only_the_most_frequent_words_have_several_senses():
    model = train_in_memory(CORPUS, algorithm="mssg", dim=8, senses=3, multi_sense_words=4, negatives=1, threads=1)
    sizes = np.diff(model.offsets)
    assert (sizes[:4] > 1).all()
    assert (sizes[4:] == 1).all()


def test_the_sense_is_the_nearest_centre():
    model = train_in_memory(CORPUS, algorithm="mssg", dim=12, senses=3, multi_sense_words=9, threads=1)
    word, context = model.vocabulary.words[0], model.vocabulary.words[3:7]
    mean = model.arrays["output"][3:7].mean(axis=0)
    centres = model.arrays["centres"][model.rows(word)]
    cosines = centres @ mean / np.linalg.norm(centres, axis=1)
    assert model.disambiguate(word, context).argmax() == cosines.argmax()
