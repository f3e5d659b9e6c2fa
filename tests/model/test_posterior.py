"""Asking for senses with text, words, sides and lists of them; the answer behaves as an array."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from adagram.errors import UnknownWordError
from adagram.model import Model, Posterior, Sides
from model_support import random_model

MODEL = random_model()
WORDS = ["w3", "w8", "w30"]


def test_text_and_words_are_the_same_context():
    expected = MODEL.disambiguate("w0", WORDS)
    for context in ("w3 w8 w30", "W3, unknown W8; w30!", tuple(WORDS)):
        assert_array_equal(MODEL.disambiguate("w0", context), expected)
    assert_array_equal(MODEL.disambiguate("W0", WORDS), expected)


def test_the_answer_is_an_array_with_names():
    found = MODEL.disambiguate("w0", "w3 w8")
    assert isinstance(found, Posterior)
    assert found.names == ["w0#0", "w0#1", "w0#2"] == MODEL.names(MODEL.rows("w0"))
    assert len(found) == 3
    assert found.best == found.names[int(np.argmax(found))]
    assert found.best in repr(found)
    assert found.known == 2
    assert found.sum() == pytest.approx(1.0)
    assert sum(found) == pytest.approx(1.0)
    assert isinstance(found.sum(), float)
    assert type(found * 2) is type(found[1:]) is np.ndarray
    assert isinstance(found[0], float)
    assert_array_equal(np.asarray(found) @ np.ones(3), found @ np.ones(3))


def test_it_says_when_no_context_word_is_known():
    found = MODEL.disambiguate("w0", "nothing that it knows")
    assert found.known == 0
    assert "prior" in repr(found)
    assert_allclose(found, MODEL.priors[MODEL.rows("w0")])


def test_it_survives_a_pickle():
    found = MODEL.disambiguate("w0", WORDS)
    again = pickle.loads(pickle.dumps(found))
    assert_array_equal(again, found)
    assert (again.names, again.best, again.known) == (found.names, found.best, found.known)


@pytest.mark.parametrize("many", [["w3 w8", "w30"], [["w3", "w8"], ["w30"]], [Sides(["w3"], "w8"), "w30"]])
def test_a_list_of_contexts_gives_a_list_of_answers(many):
    found = MODEL.disambiguate("w0", many)
    assert isinstance(found, list)
    for context, posterior in zip((["w3", "w8"], ["w30"]), found, strict=True):
        assert_allclose(posterior, MODEL.disambiguate("w0", context), atol=1e-5)
        assert posterior.names == MODEL.names(MODEL.rows("w0"))
        assert posterior.known == len(context)


def test_a_marked_place_bounds_the_context():
    near = "w1 w2 w3 _ w4 w5 w6"  # the window is three words
    assert_array_equal(MODEL.disambiguate("w0", f"w30 w31 {near} w32"), MODEL.disambiguate("w0", near))
    sides = Sides("w30 w31 w1 w2 w3", ["w4", "w5", "w6", "w32"])
    assert_array_equal(MODEL.disambiguate("w0", sides), MODEL.disambiguate("w0", near))
    whole = MODEL.disambiguate("w0", f"w30 w31 {near} w32".replace("_", ""))
    assert not np.allclose(whole, MODEL.disambiguate("w0", near))


def test_a_word_that_looks_like_a_place_is_a_word():
    model = random_model(words=["_", "a", "b", "c", "d", "e"])
    assert_array_equal(model.context.of("a b c d _ e").ids, [1, 2, 3, 4, 5])  # more than three before it


def test_running_text_and_likelihood_take_text():
    text = "W1 w2, unknown w3\n\nw4 w5 w6 w0"
    words = text.lower().replace(",", "").split()
    rows, probabilities = MODEL.assign(text)
    assert len(rows) == len(words)
    first, second = (MODEL.assign(part) for part in (words[:4], words[4:]))
    assert_array_equal(rows, np.append(first[0], second[0]))
    assert_array_equal(probabilities, np.append(first[1], second[1]))
    assert MODEL.log_likelihood(text) == MODEL.log_likelihood(words)


def test_a_word_that_is_unknown_in_every_spelling_is_refused():
    with pytest.raises(UnknownWordError, match="'W99' is not in the vocabulary"):
        MODEL.disambiguate("W99", WORDS)


def test_a_pickle_of_an_opened_model_is_its_path(tmp_path):
    MODEL.save(tmp_path / "model")
    opened = Model.load(tmp_path / "model").using("none", 1)
    text = "w1 w2 w3 w0 w4"
    expected = opened.assign(text)
    stored = pickle.dumps(opened)
    assert len(stored) < 1000
    for again in (pickle.loads(stored), pickle.loads(pickle.dumps(MODEL.using("none", 1)))):
        for found, wanted in zip(again.assign(text), expected, strict=True):
            assert_array_equal(found, wanted)
    assert not np.array_equal(MODEL.assign(text)[1], expected[1])


@pytest.mark.slow
def test_other_processes_take_a_model_as_an_argument(tmp_path):
    """A new interpreter as of multiprocessing, and the pickles of Ray, Spark and joblib."""
    MODEL.save(tmp_path / "model")
    opened = Model.load(tmp_path / "model")
    opened.assign("w1 w2")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = pool.submit(opened.disambiguate, "w1", "w2 w3").result()
    assert_array_equal(found, opened.disambiguate("w1", "w2 w3"))
    cloudpickle = pytest.importorskip("cloudpickle")
    assert len(cloudpickle.dumps(opened)) < 1000
    assert_array_equal(pickle.loads(cloudpickle.dumps(opened.disambiguate))("w1", "w2 w3"), found)
