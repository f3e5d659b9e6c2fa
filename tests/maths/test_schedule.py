from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.config import TrainConfig
from adagram.maths.schedule import learning_rate
from adagram.maths.subsampling import expected_counts, keep_probability
from adagram.training.spans import SpanMaker, pieces
from tests_support import zipf_corpus


def test_the_rate_falls_in_equal_steps_from_lr_to_zero():
    rates = learning_rate(0.025, np.arange(1001), 1000)
    assert_allclose(np.diff(rates), -0.025 / 1000, rtol=1e-9)
    assert (rates[0], rates[-1]) == (0.025, 0.0)
    assert learning_rate(0.025, 250, 1000) == rates[250]


@pytest.mark.parametrize("subsample", [0.0, 0.01])
def test_expected_counts_are_what_training_keeps(subsample):
    corpus, epochs = zipf_corpus(50, 20_000), 20
    config = TrainConfig(subsample=subsample, epochs=epochs)
    keep = keep_probability(corpus.vocabulary.counts, subsample)
    maker, found = SpanMaker(corpus, config, keep, 4096), np.zeros(50)
    for piece in pieces(len(corpus.tokens), 0, epochs * len(corpus.tokens), 4096):
        span = maker.make(piece)
        found += np.bincount(span.tokens[span.first : span.last], minlength=50)
    assert_allclose(found / epochs, expected_counts(corpus.vocabulary.counts, subsample), rtol=0.03)
