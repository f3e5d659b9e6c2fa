"""An editor's decisions: what merging, hiding and labelling do to a model, and how they are taken back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from adagram.errors import InputError, UnknownWordError
from adagram.model import Model
from adagram.model.edits import Curation, append_line
from adagram.model.storage import JOURNAL
from model_support import assign, random_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random_model().save(tmp_path / "model")  # w0 has three senses
    return tmp_path / "model"


def curated(folder: Path, *lines: str) -> Model:
    for line in lines:
        append_line(folder / JOURNAL, line)
    return Model.load(folder)


def test_a_merged_sense_has_the_sums_and_the_mean_of_its_members(folder):
    raw = Model.load(folder)
    model = curated(folder, "merge w0 0 2")
    assert model.names(model.rows("w0")) == ["w0#0", "w0#1"]
    assert model.row("w0#2") == model.row("w0#0")
    assert model.priors[model.row("w0#2")] == pytest.approx(raw.priors[0] + raw.priors[2])
    assert model.counts[model.row("w0#0")] == pytest.approx(raw.counts[0] + raw.counts[2])
    mean = np.average(raw.vectors[[0, 2]], axis=0, weights=raw.counts[[0, 2]])
    assert_allclose(model.vector("w0#0"), mean, rtol=1e-5)
    assert_allclose(model.arrays["norms"][0], np.linalg.norm(mean), rtol=1e-5)


def test_words_without_a_decision_stay_as_they_are(folder):
    raw, model = Model.load(folder), curated(folder, "merge w0 0 2")
    assert model.names(model.rows("w5")) == raw.names(raw.rows("w5"))
    assert_allclose(model.vectors[model.rows("w5")], raw.vectors[raw.rows("w5")])
    assert_allclose(model.priors[model.rows("w5")], raw.priors[raw.rows("w5")])


def test_a_hidden_sense_leaves_the_others_with_their_shares(folder):
    raw, model = Model.load(folder), curated(folder, "hide w0#1")
    assert model.names(model.rows("w0")) == ["w0#0", "w0#2"]
    assert_allclose(model.priors[model.rows("w0")], raw.priors[[0, 2]] / raw.priors[[0, 2]].sum())
    with pytest.raises(UnknownWordError, match="'w0#1' is hidden"):
        model.vector("w0#1")


def test_undo_takes_back_one_decision_after_the_other(folder):
    model = curated(folder, "merge w0 0 2", "label w0#1 a thing", "undo", "undo")
    assert model.curation is None
    assert "merge w0 0 2" in (folder / JOURNAL).read_text()


def test_decisions_about_a_merged_sense_hold_for_all_its_names(folder):
    model = curated(folder, "label w0#2 a thing", "merge w0 1 2")
    assert model.curation.labels == {model.row("w0#1"): "a thing"}
    model = curated(folder, "label w0#2 something else", "hide w0#2")
    assert model.names(model.rows("w0")) == ["w0#0"]


def test_raw_ignores_the_journal_and_saving_keeps_what_was_learned(folder, tmp_path):
    model = curated(folder, "merge w0 0 2")
    assert Model.load(folder, raw=True).n_senses == model.n_senses + 1
    model.save(tmp_path / "copy")
    copy = Model.load(tmp_path / "copy")
    assert copy.decisions == model.decisions
    assert copy._learned.n_senses == model.n_senses + 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("merge w0 0 7", "there is no 'w0#7'"),
        ("merge nothing 0 1", "nothing"),
        ("merge w0 1", "two or more numbers"),
        ("label w0#1", "no label"),
        ("rename w0 w1", "'rename' is no decision"),
        ("undo", "nothing to undo"),
    ],
)
def test_a_line_that_cannot_be_followed_is_refused_by_number_and_the_model_opens(folder, line, reason):
    append_line(folder / JOURNAL, "# by an editor")
    append_line(folder / JOURNAL, line)
    append_line(folder / JOURNAL, "label w1#0 kept")
    with pytest.warns(UserWarning, match="line 2 is refused") as warned:
        model = Model.load(folder)
    assert reason in str(warned[0].message)
    assert model.curation.labels == {model.row("w1#0"): "kept"}


def test_the_last_sense_of_a_word_cannot_be_hidden(folder):
    model = curated(folder, "hide w0#0", "hide w0#1")
    with pytest.warns(UserWarning, match="line 3 is refused: the last sense"):
        curated(folder, "hide w0#2")
    assert model.names(model.rows("w0")) == ["w0#2"]
    with pytest.raises(InputError, match="last sense"):
        Curation(model.learned_arrays["offsets"], [*model.decisions, model.decisions[0].__class__("hide", (2,))])


def test_a_sense_is_hidden_once(folder):
    model = curated(folder, "hide w0#0")
    with pytest.raises(InputError, match="this sense is hidden already"):
        model.decide("hide w0#0")
    shown = model.decide("undo")
    assert "w0#0" in shown.names(shown.rows("w0"))  # so one undo brings it back


CONTEXTS = [["w3", "w7"], ["w9"], ["w1", "w2", "w30"], []]


def test_a_merged_posterior_is_the_sum_of_its_members_in_every_way_to_ask(folder):
    raw, model = Model.load(folder), curated(folder, "merge w0 0 2")
    for context in CONTEXTS:
        before = raw.disambiguate("w0", context)
        expected = [before[0] + before[2], before[1]]
        assert_allclose(model.disambiguate("w0", context), expected, rtol=1e-6)
        assert_allclose(model.disambiguate_batch(["w0"], [context])[0], expected, rtol=1e-6)


def test_running_text_is_assigned_to_merged_senses(folder):
    raw, model = Model.load(folder), curated(folder, "merge w0 0 2", "hide w5#0")
    tokens = ["w3", "w0", "w7", "w5", "w0", "w1", "w5", "w2"]
    ids, ends = model.vocabulary.ids(tokens), np.array([len(tokens)])
    rows, _ = assign(model, tokens)
    found, before = model.predictor.in_text(ids, ends), raw.predictor.in_text(ids, ends)
    for i, token in enumerate(tokens):
        assert rows[i] == model.rows(token).start + found[i].argmax()
        if token == "w0":
            assert_allclose(found[i], [before[i][0] + before[i][2], before[i][1]], rtol=1e-6)
        elif token == "w5":
            assert_allclose(found[i], before[i][1:] / before[i][1:].sum(), rtol=1e-6)
        else:
            assert_allclose(found[i], before[i], rtol=1e-6)


def test_merging_changes_no_likelihood(folder):
    raw, model = Model.load(folder), curated(folder, "merge w0 0 2")
    tokens = ["w3", "w0", "w7", "w5", "w0", "w1"]
    assert model.log_likelihood(tokens) == pytest.approx(raw.log_likelihood(tokens), rel=1e-9)
