"""Cards of senses for the explorer: what the sheet and the counts over time say."""

from __future__ import annotations

import csv
import shutil
from io import StringIO

import numpy as np
import pytest
from web_support import MONEY, WATER, hand_made

from adagram.desk.counting import count_senses
from adagram.desk.describe import describe
from adagram.desk.epochs import Dating
from adagram.model import Model
from adagram.model.neighbours import marginal
from adagram.web.cards import cards
from adagram.web.explorer import Explorer
from adagram.web.start import start
from adagram.web.table import table
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
        example = card["examples"][0]
        assert example["match"].lower() == "planted"
        assert (example["left"] + example["match"] + example["right"]) in {d.text for d in DOCUMENTS}
        assert example["date"] in found["epochs"]
    for shares in zip(*(card["trend"] for card in found["senses"]), strict=True):
        assert abs(sum(shares) - 1.0) < 0.01


def test_after_a_merge_the_word_has_one_card_less(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    model = Model.load(folder)
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model).keep(folder)
    merged = model.decide("merge planted 0 1")
    assert len(cards(Explorer(merged), "planted")["senses"]) == len(model.senses("planted")) - 1
    assert len(merged.decide("undo").senses("planted")) == len(model.senses("planted"))


def test_leftovers_and_senses_with_few_uses_are_marginal_and_the_main_sense_never():
    priors = np.array([0.05, 0.6, 0.2, 0.01, 0.14])
    counts = np.array([50.0, 600.0, 200.0, 10.0, 9.0])
    around = np.array([0.03, 0.02, 0.5, 0.5, 0.5])  # mean priors of the neighbours
    assert marginal(priors, counts, around).tolist() == [False, False, False, True, True]
    around[1] = (
        0.7  # where the main sense has clear neighbours, a sense among side senses is one of leftovers
    )
    assert marginal(priors, counts, around).tolist() == [True, False, False, True, True]


def test_the_start_page_shows_words_with_their_senses_and_examples_that_work(bank_explorer):
    found = start(bank_explorer)
    (bank,) = found["words"]
    assert bank["word"] == "bank"
    assert len(bank["senses"]) == 2
    topics = [set(sense["gist"].split(", ")) for sense in bank["senses"]]
    assert any(topic <= set(WATER) for topic in topics)
    assert any(topic <= set(MONEY) for topic in topics)
    comparison = bank_explorer.compare(**found["comparison"])
    best = [
        max(comparison[side]["senses"], key=lambda s: s["probability"])["sense"] for side in ("left", "right")
    ]
    assert best == [sense["sense"] for sense in bank["senses"]]  # the two contexts mean the two senses
    tokens = [t for t in bank_explorer.tag(found["text"])["tokens"] if t["word"] == "bank"]
    assert len(tokens) == 2


@pytest.mark.parametrize(
    ("word", "is_content"),
    [
        ("river", True),
        ("the", False),
        ("of", False),
        ("1990", False),
        ("c", False),
        ("水", True),
        (None, False),
    ],
)
def test_only_content_words_are_coloured(bank_explorer, word, is_content):
    assert bank_explorer.shown.is_content(word) is is_content


def test_the_table_of_a_word_is_csv_without_formulas(bank_explorer):
    header, *rows = csv.reader(StringIO(table(bank_explorer, "Bank")))
    assert header[:4] == ["word", "sense", "label", "share"]
    assert sorted(row[1] for row in rows) == ["bank#0", "bank#1"]
    assert sum(float(row[3]) for row in rows) == pytest.approx(1, abs=0.001)
    odd = Explorer(hand_made(["=1+1", "@x", "plain"], senses=2))
    cells = [cell for row in csv.reader(StringIO(table(odd, "=1+1"))) for cell in row]
    assert "'=1+1" in cells
    assert not any(cell.startswith(("=", "@")) for cell in cells)
