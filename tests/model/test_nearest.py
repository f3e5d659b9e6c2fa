"""The exact nearest senses."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adagram
from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.export import blended_model
from adagram.model import Model
from adagram.model.edits import Decision
from adagram.model.neighbours import WORD, Index, _largest, blended_vectors, nearest, unit_vectors


def model_of(vectors: np.ndarray, sizes: np.ndarray, counts: np.ndarray) -> Model:
    n, dim = vectors.shape
    arrays = {
        "vectors": vectors.astype(np.float32),
        "norms": np.linalg.norm(vectors, axis=1).astype(np.float32),
        "offsets": np.append(0, sizes.cumsum()).astype(np.int64),
        "counts": counts.astype(np.float64),
        "priors": np.ones(n),
        "output": np.zeros((1, dim), np.float32),
    }
    words = [f"w{i}" for i in range(len(sizes))]
    return Model(
        arrays, Vocabulary(words, np.ones(len(sizes))), {"config": TrainConfig.from_preset("paper", dim=dim).to_dict()}
    )


def blended(vectors: np.ndarray, sizes: np.ndarray, priors: np.ndarray) -> np.ndarray:
    """By the definition: (1 - t) u + t m, m the direction of the sum of √π u over the senses of the word."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found = np.empty_like(unit)
    for start, stop in pairwise(np.append(0, sizes.cumsum()).tolist()):
        mean = np.sqrt(priors[start:stop]) @ unit[start:stop]
        found[start:stop] = 0.5 * unit[start:stop] + 0.5 * mean / np.linalg.norm(mean)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@given(st.integers(0, 2**32), st.integers(2, 200), st.integers(8, 70), st.integers(1, 30))
def test_neighbours_are_those_of_the_definition(seed: int, n_words: int, dim: int, top: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 4, n_words)
    n = int(sizes.sum())
    vectors, counts = draw.standard_normal((n, dim)) ** 3, draw.integers(0, 3, n)
    model = model_of(vectors, sizes, counts)
    words = np.repeat(np.arange(n_words), sizes)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    plain = np.flatnonzero(model._blend.kinds == WORD)
    for query in draw.integers(0, n, 3).tolist():
        for learned, seen in ((False, blended(vectors, sizes, np.ones(n))), (True, unit)):
            is_other = (words != words[query]) & (counts >= 1)
            if words[query] in plain:
                is_other &= np.isin(words, plain)
            others, cosines = np.flatnonzero(is_other), seen @ unit[query]
            best = [cosines[others[words[others] == w]].max() for w in np.unique(words[others])]
            rows, found = nearest(model, np.array([query]), top, 1.0, learned)[0]
            np.testing.assert_allclose(found, np.sort(best)[::-1][:top], atol=2e-5)
            np.testing.assert_allclose(found, cosines[rows], atol=2e-5)
            assert set(rows.tolist()) <= set(others.tolist())
            assert len(set(words[rows].tolist())) == len(rows), "no word twice"


def same_with_an_index(model: Model, queries: np.ndarray, top: int, min_count: float, rounding: float = 0.0) -> None:
    """Check that an index gives the neighbours that a comparison with all senses gives, in the same order.

    Two whose cosines differ by less than `rounding` may change places.
    """
    for learned in (False, True):
        model._index = None
        expected = nearest(model, queries, top, min_count, learned)
        model._index = Index(model, min_count)
        found = nearest(model, queries, top, min_count, learned)
        for (rows, cosines), (by_all, exact) in zip(found, expected, strict=True):
            np.testing.assert_allclose(cosines, exact, atol=1e-6)
            assert np.all(np.abs(cosines - exact)[rows != by_all] < rounding)


@given(st.integers(0, 2**32), st.integers(2, 300), st.integers(8, 70), st.integers(1, 400), st.integers(0, 9))
def test_an_index_finds_the_same_neighbours(seed: int, n_words: int, dim: int, top: int, min_count: int) -> None:
    """Words of all kinds, senses that are too rare, and more asked for than there are."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 5, n_words)
    n = int(sizes.sum())
    model = model_of(draw.standard_normal((n, dim)) ** 3, sizes, draw.integers(0, 10, n))
    words = [f"{i}" if i % 5 == 0 else f"w{i}" for i in range(n_words)]
    counts = np.sort(draw.integers(1, 1000, n_words))[::-1]
    model = Model(model.arrays, Vocabulary(words, counts), model.info)
    same_with_an_index(model, draw.integers(0, n, 4), top, float(min_count), rounding=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_an_index_finds_the_same_of_equal_neighbours(seed: int) -> None:
    """Each component is 0 or ±1 and four are not 0: products are exact, and many are equal."""
    draw = np.random.default_rng(seed)
    vectors = np.zeros((400, 16))
    for row in vectors:
        row[draw.choice(16, 4, replace=False)] = draw.choice([-1, 1], 4)
    model = model_of(vectors, np.ones(400, int), np.ones(400))
    assert np.unique(vectors @ vectors[0]).size < 12
    same_with_an_index(model, draw.integers(0, 400, 20), 10, 1.0)


@pytest.fixture(scope="module")
def english() -> Model:
    return adagram.load("en")


def test_an_index_of_the_english_model_finds_the_same(english: Model) -> None:
    """Its vectors are int8 on disk."""
    queries = np.random.default_rng(1).integers(0, english.n_senses, 100)
    same_with_an_index(Model(english.arrays, english.vocabulary, english.info), queries, 10, 20.0)


def test_an_index_knows_an_editors_decisions_and_levels(english: Model) -> None:
    bank, rock = english.rows("bank"), english.rows("rock")
    decisions = [Decision("merge", (bank.start, bank.start + 1)), Decision("hide", (rock.stop - 1,))]
    for changed in (english._changed(decisions=decisions), english.at("coarse")):
        assert changed.n_senses < english.n_senses
        others = np.random.default_rng(2).integers(0, changed.n_senses, 20)
        queries = np.concatenate([np.r_[changed.rows("bank")], np.r_[changed.rows("rock")], others])
        same_with_an_index(changed, queries, 5, 20.0)


def test_an_index_leaves_few_words_to_compare(english: Model) -> None:
    index, others = Index(english, 20.0), np.ones(len(english.vocabulary), np.bool_)
    units = unit_vectors(english, np.arange(0, english.n_senses, 997))
    assert np.mean([len(index.candidates(unit, others, 10, learned=False)) for unit in units]) < 60


def test_an_index_refuses_damaged_vectors() -> None:
    vectors = np.eye(8)
    vectors[3, 3] = np.nan
    model = model_of(vectors, np.ones(8, int), np.ones(8))
    model._index = Index(model, 1.0)
    with pytest.raises(InputError, match="damaged"):
        nearest(model, np.array([0]), 3, 1.0)


def test_blended_vectors_of_some_rows_are_those_of_all(planted_model) -> None:
    every = blended_vectors(planted_model)
    rows = np.array([7, 3, 3, 0])
    np.testing.assert_allclose(blended_vectors(planted_model, rows), every[rows], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(every, axis=1), 1.0, rtol=1e-5)
    only = np.flatnonzero(np.diff(planted_model.offsets) == 1)
    rows = planted_model.offsets[only]
    np.testing.assert_allclose(every[rows], unit_vectors(planted_model, rows), atol=1e-6)


def test_a_blended_model_has_these_vectors_and_the_same_names(planted_model) -> None:
    made = blended_model(planted_model)
    np.testing.assert_array_equal(made.vectors, blended_vectors(planted_model))
    np.testing.assert_allclose(unit_vectors(made), made.vectors, atol=1e-6)
    assert made.names(made.rows("planted")) == planted_model.names(planted_model.rows("planted"))


def test_numbers_and_unspecific_words_are_neighbours_of_their_kind_only() -> None:
    """In 200 words two are too many: the frequent ones whose senses point everywhere."""
    draw = np.random.default_rng(3)
    sizes = np.append([8, 8, 1, 1], np.ones(196, int))
    vectors = draw.standard_normal((int(sizes.sum()), 12))
    model = model_of(vectors, sizes, np.full(len(vectors), 9.0))
    words = ["the", "of", "25", "1990", "music", *(f"w{i}" for i in range(195))]
    counts = np.append([900, 800, 700, 600, 500], np.full(195, 9))
    model = Model(model.arrays, Vocabulary(words, counts), model.info)

    def around(word: str) -> set[str]:
        return {n.name.rpartition("#")[0] for n in model.neighbours(f"{word}#0", top=1000)}

    assert around("music") == set(words[5:])
    assert around("the") == {"of", *words[4:]}
    assert around("25") == {"1990", *words[4:]}


def test_a_zero_vector_has_neighbours_too() -> None:
    vectors = np.vstack([np.zeros((1, 8)), np.eye(8)])
    model = model_of(vectors, np.ones(9, int), np.ones(9))
    rows, cosines = nearest(model, np.array([0]), 3, 1.0)[0]
    assert len(rows) == 3
    assert cosines.tolist() == [0.0, 0.0, 0.0]


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=300), st.integers(1, 40))
def test_largest(values: list[float], top: int) -> None:
    scores = np.array(values, np.float32)
    assert _largest(scores, top).tolist() == np.argsort(-scores, kind="stable")[:top].tolist()


@pytest.mark.parametrize("top", [0, 1, 1000])
def test_any_number_of_neighbours(top: int) -> None:
    model = model_of(np.eye(6), np.array([2, 2, 2]), np.ones(6))
    rows, _ = nearest(model, np.array([0]), top, 1.0)[0]
    assert set(rows.tolist()) <= {2, 3, 4, 5}  # never the word's own senses
    assert len(rows) == min(top, 2)
