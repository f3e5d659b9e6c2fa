"""The answers of the explorer: models of every kind, completion, cards, the start page and the table."""

from __future__ import annotations

import csv
import json
import shutil
from io import StringIO

import numpy as np
import pytest
from web_support import MONEY, WATER, hand_made

from adagram.analysis.concordance import EncodedTexts
from adagram.analysis.describe import describe
from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import count_senses
from adagram.analysis.trends import SIGNIFICANT
from adagram.cli import main
from adagram.corpus.documents import make_document
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.neighbours import marginal
from adagram.model.trends import running_share
from adagram.web.explorer import Explorer, NearWordsError
from analysis.dated import dated_documents, write_jsonl
from tests_support import train_in_memory


@pytest.mark.parametrize("algorithm", ["skipgram", "skipgram-ns", "mssg"])
def test_models_of_other_systems(bank_corpus: EncodedCorpus, algorithm: str) -> None:
    model = train_in_memory(bank_corpus, algorithm=algorithm, dim=16, threads=1)
    explorer = Explorer(model, EncodedTexts(bank_corpus))
    n = len(model.senses("bank"))
    assert len(explorer.senses("bank")["senses"]) == n
    assert len(explorer.map("bank")["senses"]) == n
    for answer in (explorer.disambiguate("bank", "river boat"), explorer.tag("bank river boat")["tokens"][0]):
        assert sum(sense["probability"] for sense in answer["senses"]) == pytest.approx(1)
    assert sum(len(sense["lines"]) for sense in explorer.examples("bank")["senses"]) > 0


def test_without_a_corpus_there_are_no_examples(bank_model: Model) -> None:
    explorer = Explorer(bank_model)
    assert explorer.info()["has_examples"] is False
    with pytest.raises(InputError, match="--corpus"):
        explorer.examples("bank")


def test_words_worth_trying_have_several_senses(bank_explorer: Explorer) -> None:
    assert bank_explorer.info()["try"] == ["bank"]


def test_a_text_without_known_words(bank_explorer: Explorer) -> None:
    assert bank_explorer.tag("")["tokens"] == []
    tokens = bank_explorer.tag("quite unknown")["tokens"]
    assert [token["senses"] for token in tokens] == [[], [], []]


def test_case_is_folded_as_in_training(bank_explorer: Explorer) -> None:
    assert bank_explorer.senses("BANK")["word"] == "bank"
    assert bank_explorer.sense("Bank#1")["sense"] == "bank#1"


def test_completions_are_the_most_frequent_words_with_the_prefix(bank_explorer: Explorer) -> None:
    words = bank_explorer.model.vocabulary.words
    for prefix in ("", "b", "bank", "nothing"):
        found = [each["word"] for each in bank_explorer.complete(prefix, 3)["words"]]
        assert found == [word for word in words if word.startswith(prefix)][:3]
    assert bank_explorer.complete("BAN")["words"][0]["word"] == "bank"


def test_an_unknown_word_has_near_spellings(bank_explorer: Explorer) -> None:
    with pytest.raises(NearWordsError) as unknown:
        bank_explorer.known("bnak")
    assert unknown.value.near[0] == "bank"


DOCUMENTS = dated_documents([0.2, 0.5, 0.8], per_year=40)


def name_of(text: str) -> str:
    return text.replace("planted", "Planted")


def test_cards_show_labels_examples_and_shares_over_time(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    bare = Explorer(Model.load(folder)).cards("Planted")
    assert all(card["examples"] == [] and card["trend"] == [] for card in bare["senses"])
    model = Model.load(folder)
    describe(model, DOCUMENTS, folder, lambda document: str(document.fields["year"]))
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model).keep(folder)
    found = Explorer(Model.load(folder)).cards("planted")
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


@pytest.mark.parametrize(("write", "options"), [(str, []), (name_of, []), (name_of, ["--names"])])
def test_the_start_page_ranks_as_trends_does(write, options, planted_folder, tmp_path, capsys):
    """A word that is written with a capital is a name: neither lists it unless names are asked for."""
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    documents = dated_documents([0.05 + 0.1 * i for i in range(10)], per_year=60)
    text = write_jsonl(tmp_path / "text.jsonl", [make_document(d.name, write(d.text), d.fields) for d in documents])
    assert not Explorer(Model.load(folder)).moved()["rising"]
    with pytest.raises(SystemExit, match="0"):
        main(["trends", str(folder), str(text), "--by", "year", "--json", *options])
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    changed = [each for each in listed if each["q"] <= SIGNIFICANT]
    found = Explorer(Model.load(folder)).moved()
    for name, sign in (("rising", 1), ("falling", -1)):
        expected = [(each["sense"], each["first"], each["last"]) for each in changed if sign * each["slope"] > 0]
        assert [each["sense"] for each in found[name]] == [sense for sense, *_ in expected]
        for each, (_, first, last) in zip(found[name], expected, strict=True):
            assert (each["first"], each["last"]) == pytest.approx((first, last), abs=1e-3)
    is_listed = write is str or bool(options)
    assert any(each["sense"].startswith("planted#") for each in found["rising"] + found["falling"]) == is_listed
    assert ("planted" in [each["word"] for each in found["changed"]]) == (write is str)


def test_what_moved_follows_decisions_and_the_resolution(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    model = Model.load(folder)
    ranked = model.names(model.rows("planted"))
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model, ranked).keep(folder)
    explorer = Explorer(Model.load(folder))
    moved = explorer.moved()
    assert sorted(each["sense"] for each in moved["rising"] + moved["falling"]) == sorted(ranked)
    assert explorer.at(0).moved()["rising"] == []  # one sense always has the whole share
    hidden = Explorer(explorer.model.decide("hide planted#0")).moved()
    assert hidden["rising"] + hidden["falling"] == []  # to be counted anew


def test_the_running_share_weighs_epochs_by_their_uses():
    counts = np.array([[9.0, 0.0, 1.0, 0.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    shares, uses = running_share(counts)
    assert uses.tolist() == [18, 0, 1, 0, 0, 0]
    assert shares[:, 0] == pytest.approx([10 / 19, 9 / 19])  # a lone use moves little
    assert np.isnan(shares[:, 5]).all()  # no use in the five epochs around it
    assert running_share(counts, half=0)[0][:, 2].tolist() == [1.0, 0.0]


def test_uses_over_time_follow_the_resolution(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    model = Model.load(folder)
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model).keep(folder)
    fine, coarse = Model.load(folder), Model.load(folder).at(0)
    kept = fine.trends
    assert kept.counts_of_model(coarse).sum(axis=1) == pytest.approx(
        np.add.reduceat(kept.counts_of_model(fine), fine.offsets[:-1], axis=0).sum(axis=1), rel=1e-4
    )
    hidden = fine.decide("hide planted#0")
    assert kept.counts_of_model(hidden).sum() < kept.counts_of_model(fine).sum()


def test_after_a_merge_the_word_has_one_card_less(planted_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(planted_folder, folder)
    model = Model.load(folder)
    count_senses(model, DOCUMENTS, Dating("year")).to_keep(model).keep(folder)
    merged = model.decide("merge planted 0 1")
    assert len(Explorer(merged).cards("planted")["senses"]) == len(model.senses("planted")) - 1
    assert len(merged.decide("undo").senses("planted")) == len(model.senses("planted"))


def test_leftovers_and_senses_with_few_uses_are_marginal_and_the_main_sense_never():
    priors = np.array([0.05, 0.6, 0.2, 0.01, 0.14])
    counts = np.array([50.0, 600.0, 200.0, 10.0, 9.0])
    around = np.array([0.03, 0.02, 0.5, 0.5, 0.5])  # mean priors of the neighbours
    assert marginal(priors, counts, around).tolist() == [False, False, False, True, True]
    around[1] = 0.7  # where the main sense has clear neighbours, a sense among side senses is one of leftovers
    assert marginal(priors, counts, around).tolist() == [True, False, False, True, True]


def test_the_start_page_shows_words_with_their_senses(bank_explorer):
    found = bank_explorer.start()
    (bank,) = found["words"]
    assert bank["word"] == "bank"
    assert len(bank["senses"]) == 2
    topics = [set(sense["gist"].split(", ")) for sense in bank["senses"]]
    assert any(topic <= set(WATER) for topic in topics)
    assert any(topic <= set(MONEY) for topic in topics)


@pytest.mark.parametrize(
    ("word", "is_content"), [("river", True), ("1990", False), ("c", False), ("水", True), (None, False)]
)
def test_only_content_words_are_coloured(bank_explorer, word, is_content):
    assert bank_explorer.is_content(word) is is_content


def test_the_table_of_a_word_is_csv_without_formulas(bank_explorer):
    header, *rows = csv.reader(StringIO(bank_explorer.table("Bank")))
    assert header[:4] == ["word", "sense", "label", "share"]
    assert sorted(row[1] for row in rows) == ["bank#0", "bank#1"]
    assert sum(float(row[3]) for row in rows) == pytest.approx(1, abs=0.001)
    odd = Explorer(hand_made(["=1+1", "@x", "plain"], senses=2))
    cells = [cell for row in csv.reader(StringIO(odd.table("=1+1"))) for cell in row]
    assert "'=1+1" in cells
    assert not any(cell.startswith(("=", "@")) for cell in cells)
