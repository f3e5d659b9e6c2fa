"""Shares and counts of senses are those of the whole text, and the merge tree is kept with the model."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.compact import model_of_frequent
from adagram.model.resolution import TREE
from adagram.training.merge_senses import counts_in_text, shared_out
from tests_support import corpus_of, train_in_memory

OPTIONS = {"dim": 24, "threads": 1, "epochs": 3, "merge_senses": True}


def sorted_by_date(n_lines: int = 600) -> EncodedCorpus:
    """A text whose word has one topic in the first 60 % of the lines, and another in the rest."""
    draw = np.random.default_rng(0)
    lines = []
    for n in range(n_lines):
        words = [f"topic{int(n >= 0.6 * n_lines)}x{j}" for j in draw.integers(0, 12, size=40)]
        words[10] = words[30] = "planted"
        lines.append(words)
    return corpus_of(lines)


@pytest.fixture(scope="module")
def model() -> Model:
    return train_in_memory(sorted_by_date(), **OPTIONS)


def test_shares_are_those_of_a_text_that_is_sorted_by_date(model: Model) -> None:
    senses = sorted(model.senses("planted", top=1), key=lambda sense: -sense.prior)
    assert [sense.neighbours[0].name[:6] for sense in senses] == ["topic0", "topic1"]
    assert_allclose([sense.prior for sense in senses], [0.6, 0.4], atol=0.02)
    assert_allclose([sense.count for sense in senses], [720, 480], atol=24)


def test_counts_are_the_same_for_any_number_of_threads_and_parts(model: Model, monkeypatch) -> None:
    corpus = sorted_by_date()
    whole = counts_in_text(model, corpus, 1)
    monkeypatch.setattr("adagram.training.merge_senses.PART", 1000)
    assert_allclose(counts_in_text(model, corpus, 3), whole, rtol=1e-9)


def test_a_word_that_was_not_sampled_keeps_its_counts() -> None:
    found = shared_out(np.array([3.0, 1.0, 6.0, 2.0]), np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 2, 4]))
    assert_array_equal(found, [2.0, 2.0, 6.0, 2.0])


def test_the_tree_is_saved_copied_pickled_and_cut_with_the_model(model: Model, tmp_path: Path) -> None:
    tree = model._learned_tree
    assert tree is not None
    model.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    loaded.save(tmp_path / "small", dtype="int8")
    for other in (loaded, Model.load(tmp_path / "small"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(other._merge_tree.into, tree.into)
        assert_allclose(other._merge_tree.height, tree.height, rtol=1e-6)
    few = model_of_frequent(loaded, 5)
    for word in few:
        of_few, of_all = few._merge_tree.height[few.rows(word)], tree.height[model.rows(word)]
        assert_allclose(of_few, of_all, rtol=1e-6)


def test_a_damaged_tree_is_refused(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    path = tmp_path / "model" / TREE
    data = bytearray(path.read_bytes())
    data[-4 * model.n_senses :] = b"\xff" * (4 * model.n_senses)
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        Model.load(tmp_path / "model").at("coarse")
