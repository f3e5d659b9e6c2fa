from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np
from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import CORPUS, DIM, N, make, noise_at, windows

from adagram.maths.reference_ns import ReferenceMSSG
from tests_support import train_in_memory


class TestMSSG(Behaviour):
    algorithm = "mssg"
    options: ClassVar = {"senses": 2, "multi_sense_words": 5}
    has_likelihood = False


def test_agrees_with_the_oracle():
    """Six words with three senses, the others with one: vectors, centres and cluster sizes."""
    system, span = make("mssg", senses=3, multi_sense_words=6)
    rows, offsets = system.senses.chains()
    system.senses.arrays.vectors[:, :DIM] *= 20
    system.output.set(system.output.get() * 20)
    start = system.senses.arrays.vectors[rows, :DIM].astype(float)
    senses = [list(start[a:b]) for a, b in pairwise(offsets)]
    assert [len(vectors) for vectors in senses] == [3] * 6 + [1] * (N - 6)
    oracle = ReferenceMSSG(senses, system.output.get()[:, :DIM].astype(float), negatives=5)
    system.train(span, system.scratch(0))
    for place, w, context, rate in windows(span):
        oracle.step(w, context, noise_at(system.noise, place, len(context)), rate)

    arrays = system.senses.arrays
    assert_allclose(arrays.vectors[rows, :DIM], np.concatenate(oracle.senses), atol=2e-3)
    assert_allclose(system.output.get()[:, :DIM], oracle.output, atol=2e-3)
    for w in range(6):
        for row, contexts in zip(rows[offsets[w] :], oracle.contexts[w], strict=False):
            assert arrays.counts[row] == len(contexts)
            assert_allclose(system.senses.centres[row, :DIM], np.mean(contexts, axis=0), atol=2e-3)


def test_only_the_most_frequent_words_have_several_senses():
    model = train_in_memory(CORPUS, algorithm="mssg", dim=8, senses=3, multi_sense_words=4, threads=1)
    sizes = np.diff(model.offsets)
    assert (sizes[:4] > 1).all()
    assert (sizes[4:] == 1).all()


def test_without_multi_sense_words_it_is_skipgram_ns():
    mssg = train_in_memory(CORPUS, algorithm="mssg", dim=8, multi_sense_words=0, threads=1)
    skipgram = train_in_memory(CORPUS, algorithm="skipgram-ns", dim=8, threads=1)
    assert_allclose(mssg.vectors, skipgram.vectors, atol=1e-6)


def test_the_sense_is_the_nearest_centre():
    model = train_in_memory(CORPUS, algorithm="mssg", dim=12, senses=3, multi_sense_words=9, threads=1)
    word, context = model.vocabulary.words[0], model.vocabulary.words[3:7]
    mean = model.arrays["output"][3:7].mean(axis=0)
    centres = model.arrays["centres"][model.rows(word)]
    cosines = centres @ mean / np.linalg.norm(centres, axis=1)
    assert model.disambiguate(word, context).argmax() == cosines.argmax()
