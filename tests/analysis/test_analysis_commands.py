"""The desk as a user meets it on the command line."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from adagram.cli import main
from adagram.model.storage import JOURNAL
from analysis.dated import dated_documents, write_jsonl

SHARES = [0.1 + 0.04 * i for i in range(20)]


@pytest.fixture
def folder(planted_folder, tmp_path):
    shutil.copytree(planted_folder, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def corpus(tmp_path):
    return write_jsonl(tmp_path / "corpus.jsonl", dated_documents(SHARES, per_year=10))


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> tuple[int, str, str]:
        code = 0
        try:
            main([str(a) for a in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(out.splitlines(), delimiter="\t"))


def test_from_describe_to_labels_examples_and_collocates(run, folder, corpus):
    code, _, err = run("describe", folder, corpus, "--date", "year")
    assert code == 0, err
    senses = rows(run("senses", folder, "planted")[1])
    assert senses[0]["label"].startswith("topic")
    examples = rows(run("examples", folder, "planted", "--per-sense", "1")[1])
    assert {e["sense"] for e in examples} >= {"planted#0", "planted#1"}
    assert all(e["date"] in map(str, range(2000, 2020)) for e in examples)
    from_sheet = rows(run("collocates", folder, "planted#0")[1])
    from_corpus = rows(run("collocates", folder, "planted#0", "--corpus", corpus)[1])
    assert {r["collocate"] for r in from_sheet} == {r["collocate"] for r in from_corpus}
    counts = {r["collocate"]: r["count"] for r in from_corpus}
    assert all(counts[r["collocate"]] == r["count"] for r in from_sheet)


def test_without_a_sheet_one_is_asked_for(run, folder):
    code, out, err = run("examples", folder, "planted")
    assert (code, out) == (1, "")
    assert "has no sense sheet; write one with adagram describe, or name a --corpus" in err


def test_a_concordance_is_aligned(run, folder, corpus):
    found = rows(run("concordance", folder, "planted", "--corpus", corpus, "--width", "20", "--date", "year")[1])
    assert len(found) == 200
    assert {len(r["left"]) for r in found} == {20}
    lines = run("concordance", folder, "planted", "--corpus", corpus, "--json")[1].splitlines()
    assert json.loads(lines[0])["keyword"] == "planted"


def test_trends_are_ranked_kept_and_drawn(run, folder, corpus, tmp_path):
    table = tmp_path / "frequencies.tsv"
    arguments = ("--by", "year", "--source", "country", "--min-count", "80", "--frequencies", table)
    code, out, err = run("trends", folder, corpus, *arguments)
    assert code == 0, err
    first = rows(out)[0]
    assert first["word"] == "planted"
    assert float(first["q"]) < 0.05
    assert float(first["topic"]) + float(first["use"]) == pytest.approx(
        float(first["last"]) - float(first["first"]), abs=1e-3
    )
    assert first["kind"] == ""
    assert len(first["series"]) == 16
    assert "from 2000 to 2019" in err
    counted = [r for r in rows(table.read_text()) if r["word"] == "planted"]
    assert sum(float(r["count"]) for r in counted) == pytest.approx(200, abs=0.1)
    code, _, err = run("plot", "trend", folder, "planted", "-o", tmp_path / "planted.svg")
    assert code == 0, err
    assert "planted#1" in (tmp_path / "planted.svg").read_text()


def test_dates_are_found_in_file_names(run, folder, tmp_path):
    for i, share in enumerate(SHARES):
        (tmp_path / "texts" / f"news-{2000 + i}").mkdir(parents=True)
        text = "\n".join(d.text for d in dated_documents([share], per_year=30, seed=i))
        (tmp_path / "texts" / f"news-{2000 + i}" / "a.txt").write_text(text)
    code, out, err = run("trends", folder, tmp_path / "texts", "--by-pattern", r"news-(\d{4})", "--min-count", "50")
    assert code == 0, err
    assert rows(out)[0]["word"] == "planted"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "say where the dates are: --by FIELD"),
        (("--by", "month"), "there is no field 'month'; its fields are country, id, year"),
        (("--by", "country"), "'A' is not a date such as 1999"),
        (("--by", "year", "--epoch", "decade"), "all documents fall into 2 epoch(s), 2000s and 2010s"),
        (("--by", "year", "--epoch", "week"), "epoch is 'week'; it must be one of year, month"),
        (("--by", "country", "--skip-bad"), "can be placed in time: left out 200 documents; the first is"),
    ],
)
def test_bad_dates_are_one_sentence(run, folder, corpus, options, sentence):
    code, out, err = run("trends", folder, corpus, *options)
    assert (code, out) == (1, "")
    assert sentence in err
    assert "Traceback" not in err


def test_change_lists_the_word_that_changed(run, folder, corpus):
    code, out, err = run("change", folder, corpus, "--by", "year", "--between", "2000..2005", "2014..2019")
    assert code == 0, err
    assert rows(out)[0]["word"] == "planted"
    assert rows(out)[0]["gained"].startswith("planted#")
    assert "60 documents of 2000..2005 and 60 documents of 2014..2019" in err
    code, same, err = run("change", folder, corpus, "--by", "year", "--between", "2000-2005", "2014-2019")
    assert (code, same) == (0, out), err


def test_decisions_are_lines_of_the_journal_and_taken_back(run, folder):
    before = rows(run("senses", folder, "planted")[1])
    assert run("merge", folder, "planted", "0", "1")[0] == 0
    assert run("label", folder, "planted#1", "both of them")[0] == 0
    after = rows(run("senses", folder, "planted")[1])
    assert len(after) == len(before) - 1
    assert after[0]["label"] == "both of them"
    assert len(rows(run("senses", folder, "planted", "--raw")[1])) == len(before)
    assert (folder / JOURNAL).read_text() == "merge planted 0 1\nlabel planted#1 both of them\n"
    posterior = rows(run("disambiguate", folder, "planted", "--context", "topic0x1 topic0x2")[1])
    assert [p["sense"] for p in posterior] == [s["sense"] for s in after]
    run("undo", folder)
    run("undo", folder)
    assert rows(run("senses", folder, "planted")[1]) == before
    code, _, err = run("undo", folder)
    assert code == 1
    assert "there is nothing to undo" in err
    code, _, err = run("hide", folder, "planted#99")
    assert code == 1
    assert "there is no 'planted#99'" in err
    assert (folder / JOURNAL).read_text().count("\n") == 4


def test_a_bad_journal_line_is_named_and_the_model_opens(run, folder):
    (folder / JOURNAL).write_text("hide planted#99\n")
    code, out, err = run("senses", folder, "planted")
    assert code == 0
    assert "planted#0" in out
    assert "journal.txt line 1 is refused: there is no 'planted#99'" in err


def test_with_a_sheet_senses_and_the_card_show_collocates_and_an_example(run, folder, corpus):
    assert "example" not in rows(run("senses", folder, "planted")[1])[0]
    run("describe", folder, corpus)
    for row in rows(run("senses", folder, "planted")[1]):
        topic = row["collocates"].split()[0][: len("topic0")]
        assert all(word.startswith(topic) for word in row["collocates"].split())
        assert f" {topic}x" in row["example"]
        assert "planted" in row["example"]
        assert f"| {row['example']} |" in (folder / "README.md").read_text()


@pytest.mark.parametrize("verb", [("describe", "--overwrite"), ("trends", "--by", "year")])
def test_ctrl_c_says_so_and_leaves_the_model_as_it_was(run, folder, corpus, verb, monkeypatch):
    run("describe", folder, corpus)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("adagram.analysis._counting.tally", interrupt)
    code, out, err = run(verb[0], folder, corpus, *verb[1:])
    assert (code, out, err.strip()) == (130, "", "adagram: interrupted")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_exports_for_dictionaries(run, folder, corpus, tmp_path):
    run("describe", folder, corpus)
    assert run("export", folder, "--format", "csv", "-o", tmp_path / "senses.csv")[0] == 0
    with open(tmp_path / "senses.csv", newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    senses = {row["sense"]: row for row in table}
    assert senses["planted#0"]["collocates"].startswith("topic")
    assert "planted" in senses["planted#0"]["examples"]
    assert sum(float(row["share"]) for row in table if row["word"] == "planted") == pytest.approx(1, abs=1e-3)
    assert run("export", folder, "--format", "tei-lex0", "-o", tmp_path / "senses.xml")[0] == 0
    tei = "{http://www.tei-c.org/ns/1.0}"
    root = ElementTree.parse(tmp_path / "senses.xml").getroot()
    assert len(root.findall(f".//{tei}entry")) == len({row["word"] for row in table})
    assert [sense.findtext(f"{tei}def", "") for sense in root.iter(f"{tei}sense")] == [r["label"] for r in table]
    assert any("planted" in quote.text for quote in root.iter(f"{tei}quote"))


def test_change_is_evaluated_against_gold(run, folder, tmp_path):
    uses, change = ["target\tsense\tleft\tright\tperiod"], ["target\tchange_graded\tchange_binary"]
    targets = {"planted": (0.1, 0.9), "topic0x0": (0.0, 0.0)}
    for target, shares in targets.items():
        for period, share in enumerate(shares, 1):
            for document in dated_documents([share], per_year=30, seed=period):
                topic = document.text[5]
                left, _, right = document.text.lower().strip(".").partition("planted")
                uses.append(f"{target}\t{topic}\t{left.strip()}\t{right.strip()}\t{period}")
    change += ["planted\t0.6\t1", "topic0x0\t0.0\t0"]
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "uses.tsv").write_text("\n".join(uses))
    (tmp_path / "set" / "change.tsv").write_text("\n".join(change))
    code, out, err = run("evaluate", "change", folder, tmp_path / "set", "--bootstrap", "20")
    assert code == 0, err
    values = {(r["metric"], r["subset"]): float(r["value"]) for r in rows(out)}
    assert values["Spearman", "senses"] == 1.0
    assert values["average precision", "senses"] == 1.0
    words = {r["word"]: r for r in rows(run("evaluate", "change", folder, tmp_path / "set", "--per-word")[1])}
    assert float(words["planted"]["ARI"]) > 0.8
    (tmp_path / "set" / "change.tsv").write_text(change[0] + "\nplanted\t0.6\t1\n")
    code, _, err = run("evaluate", "change", folder, tmp_path / "set")
    assert code == 1
    assert "says nothing about 'topic0x0'" in err


@pytest.fixture
def fixed(folder, monkeypatch):
    """A model folder that cannot be written to, also by root, who runs these tests in a container."""
    make = tempfile.mkdtemp

    def refuse(*args, dir=None, **more):
        if Path(dir) == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return make(*args, dir=dir, **more)

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    return folder


@pytest.mark.parametrize(
    "command", [["describe", "no-such-corpus.txt"], ["label", "planted#0", "x"], ["undo"], ["serve", "--edit"]]
)
def test_verbs_that_write_say_first_that_a_folder_cannot_be_written(run, fixed, command):
    code, out, err = run(command[0], fixed, *command[1:])
    assert (code, out) == (1, "")
    assert err.startswith(f"adagram: {fixed} cannot be written to: ")
    assert err.count("\n") == 1
    assert not (fixed / JOURNAL).exists()


def test_trends_are_shown_although_they_cannot_be_kept(run, fixed, corpus):
    code, out, err = run("trends", fixed, corpus, "--by", "year", "--min-count", "10")
    assert code == 0, err
    assert rows(out)
    assert err.startswith("adagram: what is counted is shown, but not kept for adagram plot: ")
    assert err.count("not kept") == 1
    assert not (fixed / "trends.npz").exists()


@pytest.mark.parametrize(("verb", "name"), [("trends", "trends.npz"), ("describe", "senses.jsonl")])
def test_a_link_in_the_model_folder_is_not_followed(run, folder, corpus, tmp_path, verb, name):
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("mine")
    (folder / name).symlink_to(thesis)
    more = ["--by", "year", "--min-count", "10"] if verb == "trends" else ["--overwrite"]
    code, out, err = run(verb, folder, corpus, *more)
    assert "is a link or a device in a model; remove it" in err
    assert thesis.read_text() == "mine"
    assert (code, bool(rows(out))) == ((0, True) if verb == "trends" else (1, False))
    (folder / name).unlink()
    assert run(verb, folder, corpus, *more)[0] == 0
    assert (folder / name).is_file()


def test_a_sheet_as_compact_json_has_the_same_examples(run, folder, corpus):
    assert run("describe", folder, corpus)[0] == 0
    before = run("examples", folder, "planted")[1]
    sheet = folder / "senses.jsonl"
    lines = [json.loads(line) for line in sheet.read_text().splitlines()]
    sheet.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    assert run("examples", folder, "planted")[1] == before
    assert len(rows(before)) > 2


def test_undo_succeeds_where_the_card_cannot_be_renewed(run, folder, corpus):
    run("describe", folder, corpus)
    run("label", folder, "planted#0", "first")
    run("label", folder, "planted#1", "second")
    (folder / "README.md").unlink()
    (folder / "README.md").mkdir()
    code, _, err = run("undo", folder)
    assert code == 0
    assert "the decision is kept, but the model card was not renewed" in err
    labels = {row["sense"]: row["label"] for row in rows(run("senses", folder, "planted")[1])}
    assert labels["planted#0"] == "first"
    assert labels["planted#1"] != "second"
