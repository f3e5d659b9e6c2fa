from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from references import gradients, objective

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.systems._skipgram import draw_noise
from adagram.systems.skipgram import alias_table, noise_distribution, noise_of
from tests_support import called


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=200).map(np.array))
def test_alias_table_has_the_noise_distribution(counts):
    wanted = noise_distribution(counts)
    chances, aliases = alias_table(wanted)
    found = chances.astype(float)
    np.add.at(found, aliases, 1.0 - chances.astype(float))
    assert_allclose(found / len(counts), wanted, atol=1e-6)


def test_noise_is_unigram_to_the_three_quarters():
    assert_allclose(noise_distribution(np.array([16, 1])), [8 / 9, 1 / 9])
    counts = np.array([5000, 900, 100, 30, 1])
    noise = noise_of(Vocabulary(list("abcde"), counts), TrainConfig.from_preset("paper"), shared=14)
    draw = called(draw_noise)
    drawn = np.bincount([draw(noise, i) for i in range(40_000)], minlength=5) / 40_000
    assert_allclose(drawn, noise_distribution(counts), atol=0.01)


@pytest.mark.parametrize("noise", [[5, 6, 6, 2], [0, 1], []], ids=["some", "the context itself", "none"])
def test_gradients_by_finite_differences(noise):
    draw = np.random.default_rng(0)
    vector, output, context = draw.normal(size=4), draw.normal(size=(7, 4)), [0, 1, 1]
    to_in, to_out = gradients(vector, output, context, noise, negatives=5)
    for array, gradient in ((vector, to_in), (output, to_out)):
        for at in np.ndindex(array.shape):
            values = []
            for change in (1e-5, -2e-5):
                array[at] += change
                values.append(objective(vector, output, context, noise, 5))
            array[at] += 1e-5
            assert gradient[at] == pytest.approx((values[0] - values[1]) / 2e-5, abs=1e-6)


def test_sharing_noise_leaves_the_expected_objective_as_it_is():
    """k noise words per context word and m shared ones have the same mean over the noise."""
    draw = np.random.default_rng(1)
    vector, output, context = draw.normal(size=4), draw.normal(size=(30, 4)), [0, 1, 2]
    chances = noise_distribution(np.arange(30, 0, -1))

    def mean(n_shared: int) -> float:
        drawn = draw.choice(30, p=chances, size=(4000, n_shared))
        return float(np.mean([objective(vector, output, context, noise, 5) for noise in drawn.tolist()]))

    assert mean(3) == pytest.approx(mean(15), abs=0.15)
