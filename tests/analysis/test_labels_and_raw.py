"""Labels wherever senses are shown, sheet and decisions wherever a model goes, `--raw` wherever they are followed."""

from __future__ import annotations

import csv
import json
import shutil
import warnings

import numpy as np
import pytest
from matplotlib.text import Text

import adagram
from adagram.analysis.describe import describe
from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import count_senses
from adagram.cli import main
from adagram.errors import InputError
from adagram.model.display import renew_card
from adagram.model.sheet import SHEET, entry_of, label_of
from adagram.model.storage import JOURNAL
from adagram.model.trends import TRENDS
from adagram.plots import map_figure, senses_figure, trend_figure
from adagram.plots.style import shortened
from adagram.web.explorer import Explorer
from analysis.dated import dated_documents, write_jsonl

DOCUMENTS = dated_documents([0.1 + 0.08 * i for i in range(10)], per_year=20)


@pytest.fixture
def folder(planted_folder, tmp_path):
    made = tmp_path / "model"
    shutil.copytree(planted_folder, made)
    describe(adagram.load(made), DOCUMENTS, made, lambda document: "")
    counted = count_senses(adagram.load(made), DOCUMENTS, Dating("year"))
    counted.to_keep(adagram.load(made)).keep(made)
    return made


def answer(*arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return stop.value.code


def test_the_card_shows_labels_and_what_a_person_wrote_stays(folder):
    card = folder / "README.md"
    card.write_text(card.read_text().replace("# Word senses", "# My word senses") + "\nAsk me.\n")
    renew_card(adagram.load(folder), card)
    label = adagram.load(folder).senses("planted")[0].label
    assert label in card.read_text()
    adagram.load(folder).decide("label planted#0 side of a river")
    decided = adagram.load(folder).decide("label planted#0 bank of a river")
    text = card.read_text()
    assert "bank of a river" in text
    assert "side of a river" not in text
    assert text.count("| planted#0 |") == 1
    assert "# My word senses" in text
    assert "Ask me." in text
    decided.save(folder.with_name("copy"))
    assert "bank of a river" in (folder.with_name("copy") / "README.md").read_text()


def test_figures_show_labels(folder):
    model = adagram.load(folder).decide("label planted#0 side of a river")
    figures = [senses_figure(model, "planted", 3), map_figure(model, ["planted"], 3), trend_figure(model, "planted")]
    for figure in figures:
        (axes, *_) = [a for a in figure.axes if "side of a river" in _words(a)]
        assert "planted#0" in _words(axes)


def _words(axes):
    legend = axes.get_legend()
    texts = [*axes.texts, *(legend.get_texts() if legend else ()), axes.title, axes._left_title]
    return " ".join(text.get_text() for text in texts)


def test_a_saved_model_takes_sheet_decisions_and_counts_along(folder, tmp_path):
    model = adagram.load(folder).decide("merge planted 0 1")
    model = model.decide("label planted#0 both of them")
    model.save(tmp_path / "copy")
    copy = adagram.load(tmp_path / "copy")
    assert copy.senses("planted") == model.senses("planted")
    assert entry_of(copy, copy.row("planted#0")) == entry_of(model, model.row("planted#0"))
    for name in (SHEET, TRENDS):
        assert (tmp_path / "copy" / name).read_bytes() == (folder / name).read_bytes()
    copy.save(tmp_path / "copy", overwrite=True)
    assert adagram.load(tmp_path / "copy").senses("planted") == model.senses("planted")


def test_counts_of_other_senses_are_not_drawn(folder):
    hidden = adagram.load(folder).decide("hide planted#1")
    with pytest.raises(InputError, match="have changed since they were counted; run trends again"):
        trend_figure(hidden, "planted")
    restored = hidden.decide("undo")
    assert restored.trends.counts_of_word(restored, "planted").any()
    labelled = restored.decide("label planted#0 side of a river")
    assert labelled.trends.counts_of_word(labelled, "planted").any()


def test_counts_of_merged_senses_are_those_that_a_new_count_gives(folder):
    model = adagram.load(folder)
    assert len(model.names(model.rows("planted"))) == 2
    merged = model.decide("merge planted 0 1")
    found = merged.trends.counts_of_word(merged, "planted")
    assert merged.names(merged.rows("planted")) == ["planted#0"]
    again = count_senses(merged, DOCUMENTS, Dating("year")).to_keep(merged)
    np.testing.assert_allclose(found, again.counts_of_word(merged, "planted"), rtol=1e-5)
    split = merged.decide("undo")
    with pytest.raises(InputError, match="have changed since they were counted"):  # nobody knows the parts
        again.counts_of_word(split, "planted")


def test_raw_ignores_the_journal_in_every_verb_that_follows_it(folder, tmp_path, capfd):
    corpus = write_jsonl(tmp_path / "corpus.jsonl", DOCUMENTS)
    text = tmp_path / "text.txt"
    text.write_text("\n".join(document.text for document in DOCUMENTS))
    gold = tmp_path / "gold.tsv"
    uses = [f"planted\t{i}\t{i % 2}\ttopic{i % 2}x{i}\ttopic{i % 2}x1\tplanted" for i in range(10)]
    gold.write_text("\n".join(["target\tinstance_id\tsense\tleft\tright\tsurface", *uses]))
    table = tmp_path / "senses.csv"
    dated = [corpus, "--by", "year", "--min-count", "20", "--json"]
    verbs = {
        "evaluate wsi": [gold],
        "export": ["--format", "csv", "-o", table, "--overwrite"],
        "info": [],
        "senses": ["planted"],
        "words": [],
        "disambiguate": ["planted", "--context", "topic0x1 topic0x2"],
        "likelihood": [text],
        "tag": [text],
        "trends": dated,
        "change": [corpus, "--by", "year", "--between", "2000..2002", "2007..2009", "--json"],
        "concordance": ["planted", "--corpus", corpus],
        "examples": ["planted"],
    }

    def output(verb, *more):
        code = answer(*verb.split(), folder, *verbs[verb], *more)
        return code, table.read_text() if verb == "export" else capfd.readouterr().out

    learned = {verb: output(verb) for verb in verbs}
    assert all(not code and out for code, out in learned.values())
    adagram.load(folder).decide("hide planted#1")
    for verb in verbs:
        assert output(verb, "--raw") == learned[verb], verb
        assert output(verb) != learned[verb], verb


def test_a_bad_line_of_the_journal_is_kept_out_of_copies(folder, tmp_path):
    (folder / JOURNAL).write_text("hide planted#99\nlabel planted#0 side of a river\n")
    with pytest.warns(UserWarning, match="line 1 is refused"):
        model = adagram.load(folder)
    model.save(tmp_path / "copy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adagram.load(tmp_path / "copy").senses("planted")[0].label == "side of a river"


def test_what_cannot_be_seen_is_not_edited(folder, capsys):
    assert answer("serve", folder, "--raw", "--edit", "--port", "0") == 1
    assert "--raw ignores the decisions that --edit takes; leave one of them out" in capsys.readouterr().err


def test_every_place_shows_the_same_label(folder, capsys):
    model = adagram.load(folder)
    labels = {name: label_of(model, model.row(name)) for name in model.names(model.rows("planted"))}
    assert len(set(labels.values())) == len(labels) > 1, "a label tells a sense from its siblings"
    assert all(labels.values())
    assert answer("senses", folder, "planted", "--json") == 0
    printed = map(json.loads, capsys.readouterr().out.splitlines())
    assert {line["sense"]: line["label"] for line in printed} == labels
    cards = Explorer(model).cards("planted")["senses"]
    assert {card["sense"]: card["label"] for card in cards} == labels
    assert {card["sense"]: card["gist"] for card in cards} == labels
    assert model.frame("planted")["label"].to_dict() == labels
    assert answer("export", folder, "--format", "csv", "--output", folder.with_name("senses.csv")) == 0
    with open(folder.with_name("senses.csv"), newline="") as file:
        exported = {row["sense"]: row["label"] for row in csv.DictReader(file) if row["word"] == "planted"}
    assert exported == labels
    renew_card(model, folder / "README.md")
    card = (folder / "README.md").read_text()
    drawn = {text.get_text() for text in senses_figure(model, "planted").findobj(Text)}
    for label in labels.values():
        assert f"| {label} |" in card
        assert any(shortened(label, 28) in text for text in drawn)
