"""Semantic resolution at use: levels are nested, keep names, and add up what they merge."""

from __future__ import annotations

import pickle
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from adagram.cli.options import DEFAULT_RESOLUTION
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.edits import append_line, refreshed
from adagram.model.resolution import DEFAULT, LEVELS, merge_tree, threshold_of
from adagram.model.sheet import label_of
from adagram.model.storage import JOURNAL
from model_support import random_model

CONTEXT = ["w1", "w5", "w9"]


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(seed=3)


def groups(model: Model) -> list[set[str]]:
    """The learned senses that each shown one consists of."""
    learned = model._learned
    shown = [model.row(name) for name in learned.names(slice(0, learned.n_senses))]
    names = np.array(learned.names(slice(0, learned.n_senses)))
    return [set(names[np.array(shown) == row].tolist()) for row in range(model.n_senses)]


def merged_plainly(model: Model, rows: slice) -> tuple[list[int], list[float]]:
    """The tree of one word by its definition: all pairs of groups are compared anew after every merge."""
    unit = model.vectors[rows] / np.linalg.norm(model.vectors[rows], axis=1, keepdims=True)
    share = model.counts[rows] / model.counts[rows].sum()
    left = [[k] for k in range(len(share))]
    into, height, lowest = list(range(len(share))), [0.0] * len(share), 1.0

    def likeness(one: list[int], other: list[int]) -> float:
        a, b = share[one].sum(), share[other].sum()
        return 1 - 4 * a * b / (a + b) * (1 - (unit[one] @ unit[other].T).mean())

    while len(left) > 1:
        one, other = max(combinations(left, 2), key=lambda pair: likeness(*pair))
        lowest = min(lowest, max(likeness(one, other), 0.0))
        into[other[0]], height[other[0]] = one[0], lowest
        left.remove(other)
        left[left.index(one)] = sorted(one + other)
    return into, height


def test_fine_is_the_identity(model):
    assert model.at("fine") is model
    again = model.at("coarse").at("fine")
    assert again.curation is None
    assert_array_equal(again.priors, model.priors)
    assert again.names(slice(0, again.n_senses)) == model.names(slice(0, model.n_senses))


def test_zero_leaves_one_sense_per_word(model):
    lumped = model.at(0)
    assert lumped.n_senses == len(lumped.vocabulary)
    assert lumped.disambiguate("w0", CONTEXT).tolist() == [1.0]


@given(st.floats(0, 1), st.floats(0, 1))
def test_levels_are_nested_and_keep_the_number_of_their_first_sense(one, other):
    model = random_model(seed=3)
    coarse, fine = model.at(min(one, other)), model.at(max(one, other))
    assert all(any(part <= whole for whole in groups(coarse)) for part in groups(fine))
    for name, members in zip(coarse.names(slice(0, coarse.n_senses)), groups(coarse), strict=True):
        assert name == min(members, key=lambda member: int(member.rpartition("#")[2]))
        assert name in fine.names(slice(0, fine.n_senses))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_priors_counts_and_posteriors_are_sums_of_those_below(model, threshold):
    merged = model.at(threshold)
    assert merged.n_senses < model.n_senses
    rows = np.array([merged.row(name) for name in model.names(slice(0, model.n_senses))])
    assert_allclose(merged.priors, np.bincount(rows, model.priors))
    assert_allclose(merged.counts, np.bincount(rows, model.counts))
    for word in model:
        of_word = rows[model.rows(word)] - merged.rows(word).start
        expected = np.bincount(of_word, model.disambiguate(word, CONTEXT))
        assert_allclose(merged.disambiguate(word, CONTEXT), expected, atol=1e-12)


def test_two_equal_senses_are_one_below_fine(model):
    arrays = dict(model.learned_arrays)
    arrays["vectors"] = np.array(arrays["vectors"])
    arrays["vectors"][2] = arrays["vectors"][0]
    twins = Model(arrays, model.vocabulary, model.info).at(0.999)
    assert twins.names(twins.rows("w0")) == ["w0#0", "w0#1"]
    assert twins.row("w0#2") == twins.row("w0#0")


def test_senses_of_a_word_merge_as_one_by_one(model):
    tree = merge_tree(model.arrays)
    for w in np.flatnonzero(np.diff(model.offsets) > 1).tolist():
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        assert_array_equal(tree.into[rows] - rows.start, merged_plainly(model, rows)[0])
        assert_allclose(tree.height[rows], merged_plainly(model, rows)[1], atol=1e-6)


def test_decisions_hold_at_every_level(model, tmp_path):
    model.save(tmp_path / "model")
    for line in ("merge w0 0 2", "label w0#1 a thing"):
        append_line(tmp_path / "model" / JOURNAL, line)
    decided = Model.load(tmp_path / "model")
    for threshold in (0.0, 0.3, 0.6, 0.9):
        level = decided.at(threshold)
        assert level.row("w0#0") == level.row("w0#2")
        assert label_of(level, level.row("w0#1")) == "a thing"
        assert level.decisions == decided.decisions
    append_line(tmp_path / "model" / JOURNAL, "hide w0#0")
    hidden = Model.load(tmp_path / "model").at(0)
    assert hidden.names(hidden.rows("w0")) == ["w0#1"]
    assert refreshed(hidden).resolution == 0


def test_a_level_keeps_the_context_and_is_pickled_and_saved_as_learned(model, tmp_path: Path):
    level = model.using("none", 2).at("coarse")
    assert (level.context.context_weights, level.context.window) == ("none", 2)
    copy = pickle.loads(pickle.dumps(level))
    assert copy.names(slice(0, copy.n_senses)) == level.names(slice(0, level.n_senses))
    assert copy.disambiguate("w0", CONTEXT).tolist() == level.disambiguate("w0", CONTEXT).tolist()
    level.save(tmp_path / "model")
    assert Model.load(tmp_path / "model").n_senses == model.n_senses


@pytest.mark.parametrize("resolution", ["rough", "", -0.1, 1.1, "2", float("nan"), None, True])
def test_other_resolutions_are_refused(model, resolution):
    with pytest.raises(InputError, match="coarse, medium, fine or a number from 0 to 1"):
        model.at(resolution)


def test_levels_have_names_and_numbers():
    assert list(LEVELS.values()) == sorted(LEVELS.values())
    assert threshold_of("0.25") == 0.25


def test_the_command_line_shows_the_default_level():
    assert DEFAULT_RESOLUTION == DEFAULT in LEVELS


def test_senses_that_follow_each_other_in_a_text_merge_first():
    """Three senses at right angles with equal shares: only the lift tells which two are one meaning."""
    arrays = {"offsets": np.array([0, 3]), "vectors": np.eye(3, dtype=np.float32), "counts": np.ones(3)}
    for one, other in combinations(range(3), 2):
        pairs = np.diag([100.0, 100.0, 100.0])
        pairs[one, other] = pairs[other, one] = 100.0
        tree = merge_tree(arrays, lambda w, pairs=pairs: pairs.copy())
        groups = tree.first(float(tree.height.max()))
        assert groups[one] == groups[other]
        assert len(set(groups.tolist())) == 2
