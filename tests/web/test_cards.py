"""Cards of senses for the explorer: what the sheet and the counts over time say."""

from __future__ import annotations

import shutil

from adagram.desk.counting import count_senses
from adagram.desk.describe import describe
from adagram.desk.epochs import Dating
from adagram.model import Model
from adagram.web.cards import cards
from adagram.web.explorer import Explorer
from desk.dated import dated_documents

DOCUMENTS = dated_documents([0.2, 0.5, 0.8], per_year=40)


def test_cards_show_labels_examples_and_shares_over_time(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    bare = cards(Explorer(Model.load(folder)), "Planted")
    assert all(card["examples"] == [] and card["trend"] == [] for card in bare["senses"])
    model = Model.load(folder)
    describe(model, DOCUMENTS, folder, lambda document: str(document.fields["year"]))
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model).keep(folder)
    found = cards(Explorer(Model.load(folder)), "planted")
    assert found["epochs"] == ["2000", "2001", "2002"]
    priors = [card["prior"] for card in found["senses"]]
    assert priors == sorted(priors, reverse=True)
    for card in found["senses"][:2]:
        assert card["label"] == ", ".join(card["label"].split(", "))
        assert {c["word"] for c in card["collocates"]} >= set(card["label"].split(", "))
        assert "planted" in card["examples"][0]["text"].lower()
    for shares in zip(*(card["trend"] for card in found["senses"]), strict=True):
        assert abs(sum(shares) - 1.0) < 0.01


def test_after_a_merge_the_counts_are_no_longer_those_of_the_word(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    model = Model.load(folder)
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model).keep(folder)
    merged = model.decide("merge planted 0 1")
    assert len(cards(Explorer(merged), "planted")["senses"]) == len(model.senses("planted")) - 1
    assert len(merged.decide("undo").senses("planted")) == len(model.senses("planted"))
