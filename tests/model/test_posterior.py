"""Asking for senses with text, words, sides and lists of them; the answer behaves as an array."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from adagram.errors import InputError, UnknownWordError
from adagram.model import Model, Posterior, Sides
from model_support import assign, random_model

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


CONTEXTS = [["w3 w8", "w30"], [["w3", "w8"], ["w30"]], [Sides(["w3"], "w8"), "w30"]]


@pytest.mark.parametrize("many", CONTEXTS)
@pytest.mark.parametrize("words", ["w0", ["w0", "W0"], np.array(["w0", "w0"])])
def test_many_contexts_are_a_batch(words, many):
    found = MODEL.disambiguate_batch(words, many)
    assert isinstance(found, list)
    for context, posterior in zip((["w3", "w8"], ["w30"]), found, strict=True):
        assert_allclose(posterior, MODEL.disambiguate("w0", context), atol=1e-5)
        assert posterior.names == MODEL.names(MODEL.rows("w0"))
        assert posterior.known == len(context)


def test_a_batch_takes_what_tables_and_generators_give():
    pandas = pytest.importorskip("pandas")
    texts = ["w3", "w8 w30", "w5"]
    expected = [MODEL.disambiguate("w0", text) for text in texts]
    for contexts in (pandas.Series(texts), np.array(texts), iter(texts), (text.split() for text in texts)):
        found = MODEL.disambiguate_batch("w0", contexts)
        for posterior, one in zip(found, expected, strict=True):
            assert_allclose(posterior, one, atol=1e-5)
    with pytest.raises(InputError, match="context 1 is nan, of type float"):
        MODEL.disambiguate_batch("w0", pandas.Series(["w3", None], dtype=object).fillna(np.nan))
    with pytest.raises(InputError, match=r"contexts is .* of type DataFrame"):
        MODEL.disambiguate_batch("w0", pandas.DataFrame({"w3": texts}))


def test_a_list_of_words_is_one_context_whatever_is_in_it():
    for words in (["w3", "w8"], ("w3", "w8"), iter(["w3", "w8"]), np.array(["w3", "w8"]), ["w3", "\n", "w8"]):
        found = MODEL.disambiguate("w0", words)
        assert isinstance(found, Posterior)
        assert_array_equal(found, MODEL.disambiguate("w0", "w3 w8"))
    with pytest.warns(UserWarning, match="knows none of the 2 words of the context, so this is the prior"):
        found = MODEL.disambiguate("w0", ["香蕉水果新鲜", "手机电脑软件"])
    assert isinstance(found, Posterior)
    assert found.known == 0


@pytest.mark.parametrize(
    "context", [["w3 w8", "w30 w5"], [["w3"], ["w8"]], [1, 2], 3, None, b"w3", {"w3": 1}, Sides("w3", 4)]
)
def test_what_is_not_one_context_is_refused(context):
    with pytest.raises(InputError, match=r"disambiguate_batch|it must be"):
        MODEL.disambiguate("w0", context)


@pytest.mark.parametrize("contexts", ["w3 w8", Sides("w3", "w8"), None, 3])
def test_what_is_not_a_list_of_contexts_is_refused(contexts):
    with pytest.raises(InputError, match=r"contexts is .* it must be a list of contexts"):
        MODEL.disambiguate_batch("w0", contexts)


@pytest.mark.parametrize(("words", "n"), [(["w0"] * 3, 1), (["w0"], 2), ([], 1)])
def test_as_many_words_as_contexts(words, n):
    with pytest.raises(InputError, match=f"there are {len(words)} words and {n} contexts"):
        MODEL.disambiguate_batch(words, ["w3 w8"] * n)


def test_the_place_of_the_word_itself_is_recognised():
    context = "w1 w2 w3 w4 {} w5 w6 w7 w8"
    marked = MODEL.disambiguate("w0", context.format("_"))
    for own in ("w0", "W0"):
        assert_array_equal(MODEL.disambiguate("w0", context.format(own)), marked)
    assert marked.known == 6  # the window is three words
    for words in (context.format("w0").split(), context.format("_").split()):
        assert_array_equal(MODEL.disambiguate("w0", words), marked)
        assert_allclose(MODEL.disambiguate_batch("w0", [words])[0], marked, atol=1e-5)
    assert_allclose(MODEL.disambiguate("w0", "w0"), MODEL.priors[MODEL.rows("w0")])


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("w0 w1 w2 w0 w3", "w0 w1 w2", "w3"),  # the second is nearer to the middle
        ("w0 w1 w2 w0", "", "w1 w2 w0"),  # equally near: the first
        ("w1 w0 unheard of words w0", "w1", "w0"),  # unknown words count as places
        ("w0 w1 _ w0 w5 w6", "w0 w1", "w0 w5 w6"),  # a mark says it
    ],
)
def test_of_several_places_the_one_nearest_to_the_middle_counts(text, left, right):
    expected = MODEL.disambiguate("w0", Sides(left, right))
    assert_array_equal(MODEL.disambiguate("w0", text), expected)
    assert_array_equal(MODEL.disambiguate("w0", text.split()), expected)


def test_the_best_sense_of_a_model_with_decisions_goes_by_its_own_number(tmp_path):
    MODEL.save(tmp_path / "model")
    model = Model.load(tmp_path / "model").decide("hide w0#1")
    found = [model.disambiguate("w0", f"w{i}") for i in range(1, 40)]
    assert {posterior.best for posterior in found} == {"w0#0", "w0#2"}
    merged = Model.load(tmp_path / "model").decide("undo").decide("merge w0 0 1")
    again = [*merged.disambiguate_batch("w0", [f"w{i}" for i in range(1, 40)]), merged.disambiguate("w0", "w3")]
    assert {posterior.best for posterior in again} == {"w0#0", "w0#2"}
    for posterior in (*found, *again):
        assert posterior.names == ["w0#0", "w0#2"]
        assert posterior.best == posterior.names[int(np.argmax(posterior))]


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
    rows, probabilities = assign(MODEL, text)
    assert len(rows) == len(words)
    first, second = (assign(MODEL, part) for part in (words[:4], words[4:]))
    assert_array_equal(rows, np.append(first[0], second[0]))
    assert_array_equal(probabilities, np.append(first[1], second[1]))
    assert MODEL.log_likelihood(text) == MODEL.log_likelihood(words) == MODEL.log_likelihood(iter(words))
    assert_array_equal(assign(MODEL, iter(words[:4]))[0], first[0])
    for many in ([text, text], [words, words]):
        with pytest.raises(InputError, match=r"a text .* as a str|a list of words"):
            assign(MODEL, many)
        with pytest.raises(InputError, match=r"a text .* as a str|a list of words"):
            MODEL.log_likelihood(many)


def test_unknown_words_have_no_row():
    rows, probabilities = assign(MODEL, "w1 zzqqx w2")
    assert (rows[1], probabilities[1]) == (-1, 0.0)
    assert [name.partition("#")[0] for name in MODEL.names(rows[[0, 2]])] == ["w1", "w2"]
    with pytest.raises(InputError, match="-1 is not among the sense rows"):
        MODEL.names(rows)


def test_a_word_that_is_unknown_in_every_spelling_is_refused():
    with pytest.raises(UnknownWordError, match="'W99' is not in the vocabulary"):
        MODEL.disambiguate("W99", WORDS)


def test_a_pickle_of_an_opened_model_is_its_path(tmp_path):
    MODEL.save(tmp_path / "model")
    opened = Model.load(tmp_path / "model").using("none", 1)
    text = "w1 w2 w3 w0 w4"
    expected = assign(opened, text)
    stored = pickle.dumps(opened)
    assert len(stored) < 1000
    for again in (pickle.loads(stored), pickle.loads(pickle.dumps(MODEL.using("none", 1)))):
        for found, wanted in zip(assign(again, text), expected, strict=True):
            assert_array_equal(found, wanted)
    assert not np.array_equal(assign(MODEL, text)[1], expected[1])


@pytest.mark.slow
def test_other_processes_take_a_model_as_an_argument(tmp_path):
    """A new interpreter as of multiprocessing, and the pickles of Ray, Spark and joblib."""
    MODEL.save(tmp_path / "model")
    opened = Model.load(tmp_path / "model")
    assign(opened, "w1 w2")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = pool.submit(opened.disambiguate, "w1", "w2 w3").result()
    assert_array_equal(found, opened.disambiguate("w1", "w2 w3"))
    cloudpickle = pytest.importorskip("cloudpickle")
    assert len(cloudpickle.dumps(opened)) < 4000  # its arrays have more
    assert_array_equal(pickle.loads(cloudpickle.dumps(opened.disambiguate))("w1", "w2 w3"), found)
