"""Whatever the public functions are given, they answer or raise an AdagramError: no crash, no other error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import adagram
from adagram.errors import AdagramError, InputError
from adagram.model import Model, Posterior, Sides
from adagram.model.context import Weighted
from adagram.model.diff import difference
from model_support import assign, random_model


def cluster_model() -> Model:
    model = random_model()
    kept = {name: array for name, array in model.arrays.items() if name not in ("steps", "paths")}
    return Model(kept | {"centres": kept["vectors"]}, model.vocabulary, model.info)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Model]:
    """One with a tree, one with clusters, one with an editor's decisions."""
    folder = tmp_path_factory.mktemp("models") / "model"
    random_model().save(folder)
    return [random_model(), cluster_model(), Model.load(folder).decide("merge w0 0 2").decide("hide w5#0")]


N = 40  # words of the models
WORDS = st.sampled_from(["w0", "w1", "W2", "w5", "w99", "w0#1", "w0#99", "", "_", "w1 w2", "w1\nw2", "\ud800"])
NUMBERS = st.one_of(st.integers(-5, N + 5), st.integers(), st.floats(), st.booleans())
ARRAYS = arrays.arrays(
    st.sampled_from([np.int32, np.int64, np.uint8, np.uint64, np.float64, bool, "U3"]),
    arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=6),
)
ANYTHING = st.recursive(
    st.one_of(st.none(), WORDS, NUMBERS, st.binary(max_size=4), st.text(max_size=9), ARRAYS, st.complex_numbers()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(WORDS, inner, max_size=2),
        st.lists(inner, max_size=3).map(lambda items: (item for item in items)),
        st.builds(Sides, inner, inner),
    ),
    max_leaves=8,
)
CONTEXT = st.one_of(st.lists(WORDS, max_size=6), WORDS, st.builds(Sides, WORDS, st.lists(WORDS, max_size=3)), ANYTHING)
IDS = st.one_of(
    arrays.arrays(st.sampled_from([np.int32, np.int64]), st.integers(0, 8), elements=st.integers(0, N - 1)),
    st.lists(st.integers(-2, N + 2), max_size=8),
    ANYTHING,
)
ENDS = st.one_of(
    st.lists(st.integers(-1, 10), max_size=5), st.lists(st.integers(0, 9), max_size=4).map(sorted), ANYTHING
)
TOP = st.one_of(st.integers(0, 5), ANYTHING)
MANY = settings(suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.filterwarnings("ignore:the model knows none")


def answer(function: Any, *arguments: Any, **named: Any) -> Any:
    """What a function gives; None if it refuses, with a sentence."""
    try:
        return function(*arguments, **named)
    except AdagramError as error:
        sentence = str(error)
    assert 10 < len(sentence) < 800
    assert "\n" not in sentence
    return None


@MANY
@given(st.one_of(WORDS, ANYTHING), CONTEXT)
def test_one_context(models: list[Model], word: Any, context: Any) -> None:
    for model in models:
        found = answer(model.disambiguate, word, context)
        assert found is None or (type(found) is Posterior and math.isclose(found.sum(), 1.0, rel_tol=1e-4))


@MANY
@given(
    st.one_of(WORDS, st.lists(WORDS, max_size=4), ANYTHING),
    st.one_of(st.lists(CONTEXT, max_size=4), st.lists(CONTEXT, max_size=3).map(iter), ANYTHING),
)
def test_a_batch(models: list[Model], words: Any, contexts: Any) -> None:
    for model in models:
        found = answer(model.disambiguate_batch, words, contexts)
        assert found is None or all(type(one) is Posterior for one in found)
        if isinstance(words, list) and isinstance(contexts, list) and len(words) != len(contexts):
            assert found is None


@MANY
@given(st.one_of(WORDS, st.lists(WORDS, max_size=6), ANYTHING))
def test_texts(models: list[Model], text: Any) -> None:
    for model in models:
        rows_and_probabilities = answer(assign, model, text)
        if rows_and_probabilities is not None:
            rows, probabilities = rows_and_probabilities
            assert len(model.names(rows[rows >= 0])) <= len(rows) == len(probabilities)
            assert ((rows >= -1) & (rows < model.n_senses)).all()
        found = answer(model.log_likelihood, text)
        assert found is None or (type(found) is float and found < 0)


@MANY
@given(IDS, ENDS)
def test_the_predictor(models: list[Model], ids: Any, ends: Any) -> None:
    for model in models:
        found = answer(model.predictor.in_text, ids, ends)
        if found is not None:
            assert all(math.isclose(one.sum(), 1.0, rel_tol=1e-4) for one in found)
        assigned = answer(model.predictor.assign, ids, ends)
        assert (assigned is None) == (found is None)
        figures = answer(model.predictor.likelihood, ids)
        assert figures is None or figures.per_word < 0


@MANY
@given(st.one_of(WORDS, ANYTHING), TOP, TOP)
def test_looking(models: list[Model], name: Any, top: Any, min_count: Any) -> None:
    for model in models:
        for function in (model.senses, model.neighbours, model.most_similar):
            answer(function, name, top, min_count)
        for function in (model.rows, model.row, model.vector, model.word_vector, model.tokenize):
            answer(function, name)
        answer(model.similarity, "w1#0", name)
        answer(model.__getitem__, name)
        answer(model.frame, name, top)
        assert (name in model) in (True, False)


@MANY
@given(st.one_of(IDS, st.slices(300)))
def test_names(models: list[Model], rows: Any) -> None:
    for model in models:
        found = answer(model.names, rows)
        assert found is None or all("#" in name for name in found)


@MANY
@given(st.one_of(st.sampled_from(["kept", "none"]), ANYTHING), st.one_of(st.none(), st.integers(0, 9), ANYTHING))
def test_contexts_of_ones_own(models: list[Model], weights: Any, window: Any) -> None:
    for model in models:
        other = answer(model.using, weights, window)
        if other is not None:
            assert len(assign(other, "w1 w2 w3")[0]) == 3
            other.disambiguate("w0", "w1 w2 _ w3")


@MANY
@given(TOP, TOP)
def test_differences(models: list[Model], top: Any, min_count: Any) -> None:
    model = random_model()
    model.info["corpus"] = {"fingerprint": "one"}
    assert answer(difference, model, model, ["moved", "faded"], top, min_count) in ([], None)


@pytest.mark.parametrize("wrong", [None, 3, 2.5, ["model"], b"model", "", {"a": 1}])
def test_what_is_not_a_path_is_refused(wrong: Any) -> None:
    for function in (adagram.load, random_model().save):
        with pytest.raises(InputError, match="it must be a path"):
            function(wrong)


@pytest.mark.parametrize("wrong", [["bank#1"], None, 3, b"bank", ("w0", "w1")])
def test_what_is_not_a_name_is_refused(wrong: Any) -> None:
    model = random_model()
    for function in (model.vector, model.neighbours, model.row, model.senses):
        with pytest.raises(InputError, match=r"sense is .* it must be the name of a sense, such as 'apple#1'"):
            function(wrong)


def test_ids_and_ends_that_would_reach_a_kernel() -> None:
    predictor = random_model().predictor
    ids = np.array([1, 2, 3], np.int32)
    for wrong in ([1, 40], [-1, 2], [2**31], [2**70], [1.5, 2.0], [[1, 2]], "w1"):
        with pytest.raises(InputError, match="word ids"):
            predictor.likelihood(wrong)
    for wrong in ([2], [4], [2, 1, 3], [-1, 3], [], [0.5, 3.0], [2**62], 3):
        with pytest.raises(InputError, match="line ends"):
            predictor.assign(ids, wrong)
    with pytest.raises(InputError, match="there are 3 words and 1 contexts"):
        predictor.posteriors(ids, [Weighted(ids, np.ones(3))])
    with pytest.raises(InputError, match="places of a text"):
        predictor.at_places(ids, np.array([3]))
