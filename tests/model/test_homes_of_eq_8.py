"""Eq. (8) has three homes: the formula, the predictor of one context and the kernel for many."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from adagram.paper.reference import predictive_posterior
from adagram.paper.softmax import huffman, log_p_word
from model_support import random_model

MODEL = random_model()
TREE = huffman(MODEL.vocabulary.counts)
ids = st.integers(0, len(MODEL.vocabulary) - 1)


@given(ids, st.lists(ids, min_size=1, max_size=12))
def test_the_homes_of_eq_8_agree(w: int, contexts: list[int]) -> None:
    assume(w not in contexts)  # it would be taken for the place of the word
    word, context = MODEL.vocabulary.words[w], [MODEL.vocabulary.words[y] for y in contexts]
    rows, dim = MODEL.rows(word), MODEL.config.dim
    output = np.asarray(MODEL.arrays["output"][:, :dim], dtype=np.float64)
    vectors = MODEL.vectors[rows].astype(np.float64)
    log_p = np.array([[log_p_word(v, output, TREE, y) for y in contexts] for v in vectors])  # (senses, C)
    # The stick after the learned ones is part of the formula, but no sense that the model answers with.
    counts = np.append(MODEL.counts[rows], 0.0)
    formula = predictive_posterior(counts, MODEL.config.alpha, np.vstack([log_p, log_p.mean(axis=0)]))[:-1]
    assert_allclose(MODEL.disambiguate(word, context), formula / formula.sum(), rtol=1e-3, atol=1e-9)
    (batch,) = MODEL.disambiguate_batch([word], [context])
    assert_allclose(batch, formula / formula.sum(), rtol=1e-3, atol=1e-9)
