from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import DIM, N, make, noise_at, windows

from adagram.kernels.adagram import STREAMS_OF_WORD, draw_row
from adagram.maths.reference_ns import ReferenceNPMSSG
from adagram.systems.senses import SPARE
from tests_support import train_in_memory, zipf_corpus


class TestNPMSSG(Behaviour):
    algorithm = "np-mssg"
    options: ClassVar = {"max_senses": 5, "multi_sense_words": 5, "new_sense_below": 0.5}
    has_likelihood = False


def test_agrees_with_the_oracle():
    """Six words may grow up to four senses: how many they grow, vectors and cluster sizes."""
    threshold = 0.6
    system, span = make("np-mssg", max_senses=4, multi_sense_words=6, new_sense_below=threshold)
    system.senses.arrays.vectors[:, :DIM] *= 20
    system.output.set(system.output.get() * 20)
    first = system.senses.arrays.vectors[:N, :DIM].astype(float)
    born = [[first[w], *(_newborn(w, k) for k in range(1, 4 if w < 6 else 1))] for w in range(N)]
    oracle = ReferenceNPMSSG(born, system.output.get()[:, :DIM].astype(float), 5, threshold)
    scratch = system.scratch(0)
    while (reached := system.train(span, scratch)) < span.last:
        span = span._replace(first=reached)
        assert system.make_room(scratch)
    for place, w, context, rate in windows(make("np-mssg")[1]):
        oracle.step(w, context, noise_at(system.noise, place, len(context)), rate)

    rows, offsets = system.senses.chains()
    assert np.diff(offsets).tolist() == [len(vectors) for vectors in oracle.senses]
    assert sum(np.diff(offsets) > 1) >= 3, "the text makes some words grow"
    counts = [len(contexts) for word in oracle.contexts[:6] for contexts in word]
    assert system.senses.arrays.counts[rows[: len(counts)]].tolist() == counts
    assert_allclose(system.senses.arrays.vectors[rows, :DIM], np.concatenate(oracle.senses), atol=2e-3)


def _newborn(w: int, k: int) -> np.ndarray:
    row = np.zeros((1, 8), np.float32)
    draw_row(row, 0, np.uint64(1), w * STREAMS_OF_WORD + k, DIM)
    return row[0, :DIM].astype(float)


@pytest.mark.parametrize(("threshold", "most"), [(-1.0, 1), (1.0, 6)])
def test_the_threshold_decides_how_many_senses_grow(threshold, most):
    system, span = make("np-mssg", max_senses=6, new_sense_below=threshold)
    scratch = system.scratch(0)
    while (reached := system.train(span, scratch)) < span.last:
        span = span._replace(first=reached)
        system.make_room(scratch)
    sizes = np.diff(system.senses.chains()[1])
    assert sizes[:5].tolist() == [most] * 5


def test_rows_grow_while_training():
    """More births than the rows that are there at the start."""
    corpus, options = zipf_corpus(500, 20_000), {"max_senses": 9, "new_sense_below": 1.0, "threads": 1}
    model = train_in_memory(corpus, algorithm="np-mssg", dim=8, **options)
    assert model.n_senses > 500 + 5 * SPARE
    assert np.isfinite(model.arrays["centres"]).all()
