"""A model as Python's own words see it: in, len, brackets, repr."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from adagram.errors import UnknownWordError
from adagram.model.neighbours import blended_vectors


def test_words_and_senses_are_in_a_model(planted_model):
    for name in ("planted", "Planted", "planted#1", "PLANTED#0"):
        assert name in planted_model
    for name in ("plantd", "planted#99", "plantd#0", "", 3):
        assert name not in planted_model
    assert len(planted_model) == len(list(planted_model)) == 25


def test_brackets_give_vectors(planted_model):
    assert_array_equal(planted_model["planted#1"], planted_model.vector("planted#1"))
    with pytest.raises(UnknownWordError, match="choose one of"):
        planted_model["planted"]


def test_similarity_is_in_the_light_of_both_words(planted_model):
    for name, cosine in planted_model.most_similar("planted#0", topn=3):
        assert planted_model.similarity("planted#0", name) != pytest.approx(cosine, abs=1e-5)
    only = [word for word in planted_model if word != "planted"][:2]
    a, b = (planted_model[word] for word in only)
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert planted_model.similarity(*only) == pytest.approx(cosine, abs=1e-5), "nothing to blend"
    unit = blended_vectors(planted_model)[planted_model.rows("planted")].astype(np.float64)
    assert planted_model.similarity("planted#0", "planted#1") == pytest.approx(unit[0] @ unit[1], abs=1e-5)


def test_a_model_says_what_it_is(planted_model):
    assert repr(planted_model).startswith("<adagram.Model: 25 words, ")
    html = planted_model._repr_html_()
    assert "&lt;adagram.Model: 25 words" in html
    assert "<td>planted#1</td>" in html


def test_senses_and_posteriors_are_tables_in_a_notebook(planted_model):
    senses = planted_model.senses("planted", top=2)
    assert "<th>nearest senses</th>" in senses._repr_html_()
    assert f"<td>planted#1</td><td>{senses[1].prior:.2f}</td>" in senses._repr_html_()
    html = planted_model.disambiguate("planted", "topic0x1")._repr_html_()
    assert html.count("<td>planted#") == len(senses)
