from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from behaviour import Behaviour
from numpy.testing import assert_allclose
from oracles import DIM, N, make, noise_at, output_of, senses_at, windows
from references import AdaGrad, ReferenceNPMSSG, Sense

from adagram.systems._adagram import STREAMS_OF_WORD, draw_row
from adagram.systems._mssg import CENTRES
from adagram.systems.adagram import SPARE
from adagram.systems.base import System
from tests_support import called, train_in_memory, zipf_corpus


class TestNPMSSG(Behaviour):
    algorithm = "np-mssg"
    options: ClassVar = {"max_senses": 5, "multi_sense_words": 5, "new_sense_below": 0.0, "negatives": 1}
    has_likelihood = False


def test_agrees_with_the_oracle():
    """Six words may grow up to four senses: how many they grow, vectors, centres and cluster sizes."""
    threshold = 0.6
    system, span = make("np-mssg", max_senses=4, multi_sense_words=6, new_sense_below=threshold, negatives=2)
    system.senses.arrays.vectors[:, :DIM] *= 20
    system.output.set(system.output.get() * 20)
    senses = [senses_at(system, [w]) for w in range(N)]
    unborn = [[_newborn(system, w, k) for k in range(1, 4 if w < 6 else 1)] for w in range(N)]
    oracle = ReferenceNPMSSG(senses, output_of(system), unborn, threshold)
    scratch, last = system.scratch(), span.last
    while (reached := system.train(span, scratch)) < last:
        span = span._replace(first=reached)
        assert system.make_room(scratch)
    for place, w, context, _ in windows(make("np-mssg")[1]):
        oracle.step(w, context, noise_at(system.noise, place, len(context)))

    rows, offsets = system.senses.chains()
    assert np.diff(offsets).tolist() == [len(each) for each in oracle.senses]
    assert sum(np.diff(offsets) > 1) >= 3, "the text makes some words grow"
    found = [sense for each in oracle.senses for sense in each]
    assert system.senses.arrays.counts[rows].tolist() == [sense.n_contexts for sense in found]
    vectors = [sense.vector.value for sense in found]
    assert_allclose(system.senses.arrays.vectors[rows, :DIM], vectors, atol=2e-3)
    for row, sense in zip(rows, found, strict=True):
        centre = system.senses.clusters.centres[row, :DIM] * (sense.n_contexts + 1)
        assert_allclose(centre, sense.centre, rtol=5e-3, atol=5e-3)


def _newborn(system: System, w: int, k: int) -> Sense:
    """The vector and the centre that sense k of word w will start from."""
    rows = np.zeros((2, 8), np.float32)
    for row, stream in enumerate((k, k + CENTRES)):
        called(draw_row)(rows, row, np.uint64(1), w * STREAMS_OF_WORD + stream, DIM)
    vector, centre = rows[:, :DIM].astype(float)
    return Sense(AdaGrad(vector, system.config.lr, system.config.adagrad), centre)


@pytest.mark.parametrize(("threshold", "most"), [(-1.0, 1), (1.0, 6)])
def test_the_threshold_decides_how_many_senses_grow(threshold, most):
    system, span = make("np-mssg", max_senses=6, new_sense_below=threshold)
    scratch = system.scratch()
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
