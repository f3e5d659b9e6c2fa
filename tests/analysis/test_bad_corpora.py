"""Dated text that is not as it should be: one sentence each, and nothing is written."""

from __future__ import annotations

import json
import shutil

import pytest

from adagram.analysis.epochs import Dating
from adagram.cli import main
from adagram.corpus.documents import make_document
from adagram.errors import InputError
from analysis.dated import dated_documents

BETWEEN = ["--between", "2000..2002", "2007..2009"]


def some(i, record, change):
    """Every fiftieth record is changed."""
    if i % 50 == 7:
        change(record)


CORPORA = {
    "good": lambda i, r: None,
    "no dates": lambda i, r: r.pop("year"),
    "some dates missing": lambda i, r: some(i, r, lambda r: r.pop("year")),
    "some dates empty": lambda i, r: some(i, r, lambda r: r.update(year=None)),
    "some dates bad": lambda i, r: some(i, r, lambda r: r.update(year=f"n.d. {i}")),
    "dates are lists": lambda i, r: r.update(year=[2000]),
    "one year": lambda i, r: r.update(year=1999),
    "no sources": lambda i, r: r.pop("country"),
    "another language": lambda i, r: r.update(text="det er en lang tekst fra et andet land"),
    "no words": lambda i, r: r.update(text=""),
    "no text": lambda i, r: r.pop("text"),
}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    documents = dated_documents([0.1 + 0.08 * i for i in range(10)], per_year=20)
    for name, change in CORPORA.items():
        records = [document.fields | {"text": document.text} for document in documents]
        for i, record in enumerate(records):
            change(i, record)
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "plain.txt").write_text("\n".join(document.text for document in documents))
    return folder


@pytest.fixture
def run(planted_folder, corpora, tmp_path, capsys):
    """Run a verb on a corpus: exit status, output, messages; what is in the model folder must be what was there."""

    def call(verb, corpus, *options):
        model = tmp_path / "model"
        shutil.copytree(planted_folder, model, dirs_exist_ok=True)
        before = {path.name: path.read_bytes() for path in model.iterdir()}
        before_corpus = ["planted", "--corpus"] if verb == "concordance" else []
        with pytest.raises(SystemExit) as stop:
            main([verb, str(model), *before_corpus, str(corpora / corpus), *options])
        captured = capsys.readouterr()
        if stop.value.code:
            assert {path.name: path.read_bytes() for path in model.iterdir()} == before
        return stop.value.code or 0, captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("corpus", "options", "sentence"),
    [
        ("no dates.jsonl", (), "no dates.jsonl line 1: there is no field 'year'; its fields are country"),
        ("no dates.jsonl", ("--skip-bad",), "can be placed in time: left out 200 documents; the first is"),
        ("plain.txt", (), "it has no fields; dates in file names need --by-pattern"),
        ("some dates missing.jsonl", (), "some dates missing.jsonl line 8: there is no field 'year'"),
        ("some dates empty.jsonl", (), "some dates empty.jsonl line 8: its field 'year' is empty"),
        ("some dates bad.jsonl", (), "line 8: 'n.d. 7' is not a date such as 1999 or 1999-05-03"),
        ("dates are lists.jsonl", (), "line 1: [2000] is not a date such as 1999"),
        ("good.jsonl", ("--epoch", "month"), "2000 is not a date such as 1999-05; repair it"),
        ("one year.jsonl", (), "all documents fall into 1 epoch(s), 1999; a trend needs three or more"),
        ("no sources.jsonl", ("--source", "country"), "line 1: there is no field 'country'"),
        ("no sources.jsonl", ("--source", "country", "--skip-bad"), "there is no field 'country'"),
        ("good.jsonl", ("--min-sources", "3"), "--min-sources is 3, but no sources are named; give"),
        ("another language.jsonl", (), "the model knows 0 of the 1,800 words of this corpus (0%)"),
        ("no words.jsonl", (), "the corpus has no words"),
        ("no text.jsonl", (), "there is no column 'text'; columns are: country, year"),
        ("missing.jsonl", (), "missing.jsonl does not exist"),
    ],
)
def test_trends_says_what_is_wrong_in_one_sentence(run, corpus, options, sentence):
    code, out, err = run("trends", corpus, "--by", "year", *options)
    assert (code, out) == (1, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("verb", ["describe", "trends", "change", "concordance"])
def test_a_corpus_of_another_language_is_refused_by_every_verb(run, verb):
    dated = {"trends": ["--by", "year"], "change": ["--by", "year", *BETWEEN]}
    code, _, err = run(verb, "another language.jsonl", *dated.get(verb, ()))
    assert code == 1
    assert "the model knows 0 of" in err or "the corpus has no use of 'planted'" in err


@pytest.mark.parametrize(("verb", "options"), [("trends", ["--min-count", "50"]), ("change", BETWEEN)])
@pytest.mark.parametrize("corpus", ["some dates bad", "some dates missing", "some dates empty"])
def test_bad_dates_are_left_out_and_counted(run, verb, options, corpus):
    code, out, err = run(verb, f"{corpus}.jsonl", "--by", "year", "--skip-bad", *options)
    assert code == 0, err
    assert "planted" in out
    assert "left out 4 documents; the first is" in err
    assert f"{corpus}.jsonl line 8: " in err


@pytest.mark.parametrize(
    ("between", "sentence"),
    [
        (("2002..2000", "2007..2009"), "the period '2002..2000' ends before it begins"),
        (("1900..1910", "2007..2009"), "no document falls into the period 1900..1910"),
        (("1900-1910", "2007-2009"), "no document falls into the period 1900..1910"),
        (("abc", "2007..2009"), "'abc' is not a year or a range of them; write 1999, 1946-1970 or 1946..1970"),
        (("2000-02", "2007-2009"), "'2000-02' is not a year or a range of them"),
        (("2001", "2000-2002"), "the periods 2001 and 2000..2002 overlap"),
    ],
)
def test_periods_that_make_no_sense(run, between, sentence):
    code, out, err = run("change", "good.jsonl", "--by", "year", "--between", *between)
    assert (code, out) == (1, "")
    assert sentence in err


def test_what_is_remembered_of_bad_dates_does_not_grow_with_their_number():
    dating = Dating("year", skip_bad=True)
    for i in range(1000):
        assert dating.epoch_of(make_document(f"line {i}", "", {"year": f"about {i}"})) is None
    assert len(dating.bad) == 1
    assert list(dating.report()) == [
        "left out 1,000 documents; the first is line 0: 'about 0' is not a date such as 1999 or 1999-05-03"
    ]
    with pytest.raises(InputError, match="about 0"):
        raise dating.nothing_left()
