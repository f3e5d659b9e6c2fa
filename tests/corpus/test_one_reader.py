"""Every verb reads every format in the same way: documents, fields, encodings, units."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adagram
from adagram.cli import main
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.options import EncodeOptions
from adagram.corpus.readers import read_documents
from adagram.errors import InputError

VERTICAL = """<doc id="a1" year="1999" country='FR'>
<s>
The\tDT\tthe
bank\tNN\tbank
</s>
<s>
closed\tVBD\tclose
</s>
</doc>
<doc id="a2" year="2001">
<s>
Rivers\tNNS\triver
</s>
</doc>
"""
CONLLU = """# newdoc id = a1
# year = 1999
# sent_id = 1
1\tThe\tthe\tDET\t_\t_\t_\t_\t_\t_
2\tbank\tbank\tNOUN\t_\t_\t_\t_\t_\t_

# sent_id = 2
1\tclosed\tclose\tVERB\t_\t_\t_\t_\t_\t_

# newdoc id = a2
# year = 2001
1\tRivers\triver\tNOUN\t_\t_\t_\t_\t_\t_
"""


def read(*names, **options):
    return list(
        read_documents(list(map(str, names)), ReadState(EncodeOptions(**options), CorpusReport(), needs_fields=True))
    )


def test_json_lines_and_parquet_give_the_same_documents(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"text": "The bank", "year": 1999, "id": "a"}, {"text": "Rivers", "year": 2001, "id": "b"}]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    assert read(tmp_path / "c.jsonl") == read(tmp_path / "c.parquet")
    assert [(d.name, d.text, d.fields["year"]) for d in read(tmp_path / "c.jsonl")] == [
        ("a", "The bank", 1999),
        ("b", "Rivers", 2001),
    ]


def test_attributes_of_vertical_and_comments_of_conllu_are_fields(tmp_path):
    (tmp_path / "c.vert").write_text(VERTICAL)
    (tmp_path / "c.conllu").write_text(CONLLU)
    for name in ("c.vert", "c.conllu"):
        first, second = read(tmp_path / name)
        assert (first.name, first.text, first.fields["year"]) == ("a1", "The bank\nclosed", "1999")
        assert (second.name, second.text, second.fields["year"]) == ("a2", "Rivers", "2001")
    assert read(tmp_path / "c.vert")[0].fields["country"] == "FR"
    assert read(tmp_path / "c.vert", unit="lemma")[0].text == "the bank\nclose"


def test_plain_text_is_named_by_its_file(tmp_path):
    (tmp_path / "1999").mkdir()
    (tmp_path / "1999" / "news.txt").write_text("one line\nanother\n")
    (document,) = read(tmp_path)
    assert document.name == str(tmp_path / "1999" / "news.txt")
    assert document.text.split("\n")[:2] == ["one line", "another"]


def test_damaged_records_are_refused_or_left_out(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"text": "good"}\n{"text": \n')
    with pytest.raises(InputError, match="line 2: this is not a JSON record"):
        read(tmp_path / "c.jsonl")
    assert [d.text for d in read(tmp_path / "c.jsonl", skip_bad=True)] == ["good"]


SENTENCES = [
    "The café by the river bank closed.",
    "Banks lend money near a café.",
    "The rivers flooded both banks of the town.",
] * 8
LEMMAS = {"closed": "close", "banks": "bank", "rivers": "river", "flooded": "flood"}


def text(sentences: list[str]) -> str:
    return "\n".join(sentences) + "\n"


def jsonl(sentences: list[str]) -> str:
    return "".join(json.dumps({"body": s, "year": 1999}, ensure_ascii=False) + "\n" for s in sentences)


def _rows(sentence: str) -> list[tuple[str, str, str]]:
    words = sentence.strip(".").split()
    return [(word, LEMMAS.get(word.lower(), word.lower()), "NOUN") for word in words]


def conllu(sentences: list[str]) -> str:
    lines = ["# newdoc id = a", "# year = 1999"]
    for sentence in sentences:
        lines += [f"{i}\t{word}\t{lemma}\t{pos}" + "\t_" * 6 for i, (word, lemma, pos) in enumerate(_rows(sentence), 1)]
        lines.append("")
    return "\n".join(lines) + "\n"


def vertical(sentences: list[str]) -> str:
    lines = []
    for sentence in sentences:
        lines += ['<doc id="a" year="1999">', *(f"{word}\t{pos}\t{lemma}" for word, lemma, pos in _rows(sentence))]
    return "\n".join(lines) + "\n"


def wikiextractor(sentences: list[str]) -> str:
    return "".join(f'<doc id="1" title="T">\n{s}\n</doc>\n' for s in sentences)


def mediawiki(sentences: list[str]) -> str:
    pages = "".join(
        f"<page><title>T{i}</title><ns>0</ns><revision><text>{s}</text></revision></page>"
        for i, s in enumerate(sentences)
    )
    return f"<mediawiki>{pages}</mediawiki>"


CASES: dict[str, tuple[str, Callable[[list[str]], str], str, dict[str, Any], str]] = {
    "text": ("t.txt", text, "utf-8", {}, "bank"),
    "text in UTF-16": ("t.txt", text, "utf-16", {}, "café"),
    "text in cp1252": ("t.txt", text, "cp1252", {"encoding": "cp1252"}, "café"),
    "lemmas": ("t.txt", text, "utf-8", {"lemmas": "en"}, "bank"),
    "JSON lines": ("t.jsonl", jsonl, "utf-8", {"column": "body"}, "café"),
    "JSON lines in UTF-16": ("t", jsonl, "utf-16", {"column": "body"}, "café"),
    "CoNLL-U": ("t.conllu", conllu, "utf-8", {}, "café"),
    "lemmas of CoNLL-U": ("t.conllu", conllu, "utf-8", {"unit": "lemma"}, "bank"),
    "CoNLL-U by option": ("t", conllu, "utf-8", {"unit": "lemma", "format": "conllu"}, "bank"),
    "vertical": ("t.vert", vertical, "utf-8", {"unit": "lemma_pos"}, "bank_NOUN"),
    "vertical in another case": ("t.vert", vertical, "utf-8", {"unit": "lemma_pos", "fold_case": False}, "bank_NOUN"),
    "WikiExtractor": ("t", wikiextractor, "utf-8", {}, "café"),
    "WikiExtractor in cp1252": ("t", wikiextractor, "cp1252", {"encoding": "cp1252"}, "café"),
    "MediaWiki": ("t.xml", mediawiki, "utf-8", {}, "café"),
}


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    out, err = capfd.readouterr()
    assert not stop.value.code, err
    return out, err


@pytest.mark.parametrize("case", CASES)
def test_every_verb_finds_the_words_that_train_found(
    case: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name, write, encoding, options, word = CASES[case]
    if "lemmas" in options:
        pytest.importorskip("simplemma")
    corpus, folder = tmp_path / name, tmp_path / "model"
    corpus.write_bytes(write(SENTENCES).encode(encoding))
    model = adagram.train([corpus], folder, dim=4, min_count=1, threads=1, epochs=1, algorithm="skipgram", **options)
    n_words, n_uses = (int(model.vocabulary.counts.sum()), int(model.vocabulary.counts[model.vocabulary.id(word)]))
    capfd.readouterr()
    given = ["--encoding", options["encoding"]] if "encoding" in options else []  # all else is kept

    assert f"{n_words} of {n_words} words are in the vocabulary" in run(capfd, "likelihood", folder, corpus, *given)[1]
    tagged, told = run(capfd, "tag", folder, corpus, *given)
    assert f"tagged {n_words:,} of {n_words:,} words" in told
    assert tagged.split().count(f"{word}#0") == n_uses
    hits, _ = run(capfd, "concordance", folder, word, "--corpus", corpus, "--json", *given)
    assert len(hits.splitlines()) == n_uses
    assert {json.loads(hit)["keyword"].lower() for hit in hits.splitlines()} <= {word.lower(), "bank", "banks"}
    counted = json.loads(run(capfd, "describe", folder, corpus, "--json", *given)[0])
    assert (counted["words"], counted["known"]) == (n_words, n_words)
    continued = adagram.train(
        [corpus], start=folder, threads=1, **{key: options[key] for key in ("encoding", "format") if key in options}
    )
    assert continued.vocabulary.words == model.vocabulary.words
    assert int(continued.vocabulary.counts.sum()) == 2 * n_words


@pytest.mark.parametrize(
    "verb",
    [
        "train {} -o new --min-count 1",
        "tag m {}",
        "likelihood m {}",
        "describe m {}",
        "concordance m w1 --corpus {}",
        "examples m w1 --corpus {}",
        "collocates m w1#0 --corpus {}",
        "trends m {} --by-pattern 1999",
        "change m {} --by-pattern 1999 --between 1998 1999",
    ],
)
@pytest.mark.parametrize("name", ["t.txt", "1999.jsonl"])
def test_text_that_is_not_utf8_is_refused_in_one_sentence_by_every_verb(
    verb: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from model_support import random_model

    monkeypatch.chdir(tmp_path)
    random_model().save(tmp_path / "m")
    line = "w1 café w2 w3"
    lines = json.dumps({"text": line}, ensure_ascii=False) if name.endswith("jsonl") else line
    Path(name).write_bytes((lines + "\n").encode("cp1252") * 20)
    with pytest.raises(SystemExit) as stop:
        main(verb.format(name).split())
    assert stop.value.code == 1
    out, err = capfd.readouterr()
    assert "�" not in out
    assert f"{name} is not UTF-8: byte" in err
    assert "name its encoding, such as --encoding cp1252" in err
    assert err.count("\n") == 1
