from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.config import TrainConfig
from adagram.paper.schedule import expected_counts, learning_rate
from adagram.training.continued_systems import count_rate, limit_rates, max_rate
from adagram.training.workers import SpanMaker, pieces
from tests_support import corpus_of, zipf_corpus


def test_the_rate_falls_in_equal_steps_from_lr_to_zero():
    rates = learning_rate(0.025, np.arange(1001), 1000)
    assert_allclose(np.diff(rates), -0.025 / 1000, rtol=1e-9)
    assert (rates[0], rates[-1]) == (0.025, 0.0)
    assert learning_rate(0.025, 250, 1000) == rates[250]


@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize(("old", "new"), [(20, 20), (1000, 50), (3, 4000)])
def test_with_the_rate_of_counts_every_use_has_counted_once(old, new, passes):
    rate = count_rate(np.array([old]), np.array([new]), passes)[0]
    assert (1 - rate) ** (passes * new) == pytest.approx(old / (old + new))


def test_a_word_without_old_uses_takes_all_from_the_new_ones():
    assert count_rate(np.array([0.0]), np.array([7.0]), 1)[0] == 1.0


def test_counts_of_new_words_follow_the_learning_rate():
    corpus, config = (
        corpus_of([["old", "new"]] * 50),
        TrainConfig.from_preset("paper", epochs=1, lr=0.025, subsample=0.0),
    )
    new = corpus.vocabulary.index["new"]
    old_uses = np.where(np.arange(2) == new, 0.0, 50.0)
    span = SpanMaker(corpus, config, 4096).make(next(pieces(100, 0, 100, 4096)))
    span = limit_rates(span, np.full(2, 1e-3), count_rate(old_uses, np.full(2, 50.0), 1))
    is_new = span.tokens[:100] == new
    assert_allclose(span.count_rates[is_new], learning_rate(0.025, span.positions[is_new], 100), rtol=1e-6)
    assert_allclose(span.count_rates[~is_new], 1 - 0.5 ** (1 / 50), rtol=1e-5)


def test_of_n_uses_one_more_changes_at_most_forty_parts():
    assert_allclose(max_rate(np.array([0, 400, 1e6])), [40.0, 0.1, 4e-5])


@pytest.mark.parametrize(("uses", "passes"), [(20, 1), (20, 5), (1000, 1), (1000, 5)])
def test_as_many_old_uses_as_new_ones_keep_half(uses, passes):
    """Also of few uses: the falling learning rate does not limit λ."""
    corpus = corpus_of([["word", "a", "b", "c"]] * uses)
    config, w = (
        TrainConfig.from_preset("paper", epochs=passes, lr=0.025, subsample=0.0),
        corpus.vocabulary.index["word"],
    )
    n_words, counts = len(corpus.vocabulary), np.asarray(corpus.vocabulary.counts)
    maker, share = SpanMaker(corpus, config, 4096), 1.0
    for piece in pieces(len(corpus.tokens), 0, passes * len(corpus.tokens), 4096):
        span = limit_rates(maker.make(piece), np.ones(n_words), count_rate(counts, counts, passes))
        at = np.arange(span.first, span.last)
        share *= np.prod(1.0 - span.count_rates[at[span.tokens[at] == w]].astype(float))
    assert share == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("subsample", [0.0, 0.01])
def test_expected_counts_are_what_training_keeps(subsample):
    corpus, epochs = zipf_corpus(50, 20_000), 20
    config = TrainConfig.from_preset("paper", subsample=subsample, epochs=epochs)
    maker, found = SpanMaker(corpus, config, 4096), np.zeros(50)
    for piece in pieces(len(corpus.tokens), 0, epochs * len(corpus.tokens), 4096):
        span = maker.make(piece)
        found += np.bincount(span.tokens[span.first : span.last], minlength=50)
    assert_allclose(found / epochs, expected_counts(corpus.vocabulary.counts, subsample), rtol=0.03)
