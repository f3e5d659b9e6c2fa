from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.maths.merging import log_evidence, merge_loss, merged_vector, shares

LOG_P = np.log(np.array([[0.5, 0.1, 0.1], [0.1, 0.6, 0.2], [0.2, 0.2, 0.9], [0.4, 0.1, 0.3]]))
PRIORS = np.array([0.5, 0.3, 0.2])


def test_evidence_is_the_mixture() -> None:
    assert_allclose(np.exp(log_evidence(LOG_P, PRIORS)), np.exp(LOG_P) @ PRIORS)


def test_shares_sum_to_one() -> None:
    assert_allclose(shares(LOG_P, PRIORS).sum(), 1.0)


def test_equal_senses_merge_for_nothing() -> None:
    twice = LOG_P[:, [0, 1, 1]]
    assert merge_loss(twice, PRIORS, (1, 2), twice[:, 1]) == pytest.approx(0.0, abs=1e-12)


def test_loss_is_per_context_of_the_smaller_sense_whatever_the_amount_of_text() -> None:
    union = LOG_P[:, :2].mean(axis=1)
    once = merge_loss(LOG_P, PRIORS, (0, 1), union)
    assert once > 0
    assert merge_loss(np.tile(LOG_P, (50, 1)), PRIORS, (0, 1), np.tile(union, 50)) == pytest.approx(once)


def test_the_union_leans_to_the_larger_count() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    union = merged_vector(vectors, np.array([3.0, 1.0]))
    assert_allclose(union, [0.75, 0.25])
    assert union.dtype == np.float32  # kernels read rows as float32
