"""The scikit-learn transformer."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from adagram.errors import InputError
from adagram.integrations.sklearn import SenseTransformer
from adagram.model import Model
from model_support import assign, random_model

MODEL = random_model()
TEXTS = ["w0 w1 w2 w3", "nothing known", "", "w5 w0 strange w0", "w2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model"
    MODEL.save(path)
    return path


def expected_rows(model: Model, text: str) -> list[int]:
    rows, _ = assign(model, model.tokenize(text))
    return [row for row in rows.tolist() if row >= 0]


def test_vectors_are_means_of_the_likeliest_senses(folder: Path) -> None:
    found = SenseTransformer(folder).fit_transform(TEXTS)
    for text, vector in zip(TEXTS, found, strict=True):
        rows = expected_rows(MODEL, text)
        mean = MODEL.vectors[rows].mean(axis=0) if rows else np.zeros(MODEL.config.dim)
        np.testing.assert_allclose(vector, mean, atol=1e-6)


def test_a_model_may_be_given_in_place_of_its_path(folder: Path) -> None:
    expected = SenseTransformer(folder).fit_transform(TEXTS)
    for model in (MODEL, Model.load(folder)):
        transformer = SenseTransformer(model)
        np.testing.assert_array_equal(transformer.fit_transform(TEXTS), expected)
        copied = pickle.loads(pickle.dumps(clone(transformer).fit(TEXTS)))
        np.testing.assert_array_equal(copied.transform(TEXTS), expected)


def test_counts_are_counts_of_the_likeliest_senses(folder: Path) -> None:
    transformer = SenseTransformer(folder, output="counts")
    found = transformer.fit_transform(TEXTS)
    names = transformer.get_feature_names_out()
    assert found.shape == (len(TEXTS), MODEL.n_senses)
    for text, row in zip(TEXTS, found.toarray(), strict=True):
        senses = [name for name, n in zip(names, row, strict=True) for _ in range(int(n))]
        assert senses == sorted(MODEL.names(expected_rows(MODEL, text)), key=list(names).index)


def test_words_without_a_probable_sense_are_left_out(folder: Path) -> None:
    text = " ".join(MODEL.vocabulary.words)
    _, probabilities = assign(MODEL, text.split())
    counts = SenseTransformer(folder, output="counts", min_probability=0.9).fit_transform([text])
    assert counts.sum() == (probabilities >= 0.9).sum() < len(probabilities)


def test_contexts_are_those_asked_for(folder: Path) -> None:
    text = " ".join(MODEL.vocabulary.words)
    rows, _ = assign(MODEL.using("none", window=1), text)
    counts = SenseTransformer(Model.load(folder).using(window=1), output="counts").fit_transform([text])
    assert sorted(rows.tolist()) == sorted(counts.indices.tolist())
    assert sorted(rows.tolist()) != sorted(assign(MODEL, text)[0].tolist())


def test_a_fitted_transformer_is_pickled_by_path(folder: Path) -> None:
    transformer = SenseTransformer(folder).fit(TEXTS)
    stored = pickle.dumps(transformer)
    assert len(stored) < 1000
    np.testing.assert_array_equal(pickle.loads(stored).transform(TEXTS), transformer.transform(TEXTS))
    with pytest.raises(NotFittedError):
        pickle.loads(pickle.dumps(SenseTransformer(folder))).transform(TEXTS)


def test_a_pickle_without_its_model_says_so(folder: Path, tmp_path: Path) -> None:
    MODEL.save(tmp_path / "moved")
    stored = pickle.dumps(SenseTransformer(tmp_path / "moved").fit(TEXTS))
    (tmp_path / "moved").rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="moved is not a model"):
        pickle.loads(stored)


def test_parameters_can_be_searched_in_a_pipeline(folder: Path) -> None:
    texts = ["w0 w1 w2", "w20 w21 w22"] * 10
    pipeline = make_pipeline(SenseTransformer(folder), LogisticRegression())
    grid = {"sensetransformer__output": ["vectors", "counts"]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=1).fit(texts, [0, 1] * 10)
    assert search.best_score_ == 1.0


def test_parameters_are_kept_by_clone_and_set(folder: Path) -> None:
    transformer = SenseTransformer(folder, output="counts").fit(TEXTS)
    assert clone(transformer).get_params() == transformer.get_params()
    assert transformer.set_params(output="vectors").transform(TEXTS).shape == (5, MODEL.config.dim)


@pytest.mark.parametrize(
    ("parameters", "texts", "reason"),
    [
        ({"output": "words"}, TEXTS, "output is 'words'"),
        ({"min_probability": 2}, TEXTS, "min_probability is 2"),
        ({"min_probability": "high"}, TEXTS, "min_probability is 'high'; it must be a number from 0 to 1"),
        ({}, "one text", "X is 'one text', of type str; it must be a list of texts"),
        ({}, None, "X is None"),
        ({}, [["tokens"]], "text 0 is of type list"),
        ({"model": "no/such/folder"}, TEXTS, "not a model"),
    ],
)
def test_bad_input_is_named(parameters: dict[str, Any], texts: Any, reason: str, folder: Path) -> None:
    with pytest.raises(InputError, match=reason):
        SenseTransformer(**{"model": folder} | parameters).fit(texts)


def test_check_estimator_as_far_as_it_goes_with_text(folder: Path) -> None:
    """It stops by itself before the checks that would pass a matrix of numbers to fit."""
    with pytest.warns(SkipTestWarning, match="requires input"):
        results = estimator_checks.check_estimator(SenseTransformer(str(folder)), on_skip=None)
    assert results
    assert {result["status"] for result in results} == {"passed"}


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_checks_of_scikit_learn_that_need_no_matrix(check: str, folder: Path) -> None:
    getattr(estimator_checks, check)("SenseTransformer", SenseTransformer(str(folder)))
