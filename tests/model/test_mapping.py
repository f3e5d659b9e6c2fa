"""A model as Python's own words see it: in, len, brackets, repr."""

from __future__ import annotations

import xml.dom.minidom

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from adagram.errors import UnknownWordError
from adagram.model import Model
from adagram.model.neighbours import blended_vectors
from adagram.model.sheet import Collocate, Entry, Example


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
    assert ">planted#1</b>" in html


def test_senses_are_cards_in_a_notebook(planted_model):
    senses = planted_model.senses("planted", top=2)
    html = senses._repr_html_()
    parsed = xml.dom.minidom.parseString(html)  # it is well-formed
    names = [name.firstChild.data for name in parsed.getElementsByTagName("b")]
    assert names == [s.name for s in sorted(senses, key=lambda sense: -sense.prior)]
    for sense in senses:
        assert f"{sense.prior:.0%}</span>" in html
        assert ", ".join(n.name.rpartition("#")[0] for n in sense.neighbours) in html


def test_a_card_has_label_collocates_example_and_course_and_no_markup_of_the_text(planted_model, tmp_path):
    folder = tmp_path / "model"
    planted_model.save(folder)
    evil = "<img src=x onerror=alert(1)>"
    lines = [
        Entry(
            name,
            10.0,
            10,
            f"label of {name}{evil}",
            collocates=[Collocate(f"around{evil}", 5, 5, 1.0, 1.0)],
            examples=[Example(f"an example of {name} {evil}", "a.txt", "", 0.9)],
        ).to_json()
        for name in planted_model.names(slice(0, planted_model.n_senses))
    ]
    (folder / "senses.jsonl").write_text("\n".join(lines) + "\n")
    html = Model.load(folder).senses("planted")._repr_html_()
    for text in ("label of planted#0", "around", "an example of planted#1"):
        assert text in html
    assert "<img" not in html
    xml.dom.minidom.parseString(html)  # it is well-formed
