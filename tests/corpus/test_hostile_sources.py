"""Corpora made to break a reader, or to run what lies in them."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from adagram.config import EncodeOptions
from adagram.corpus import encode
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.export.word2vec import _senses_of_words

ALL = EncodeOptions(min_count=1, threads=1)
PAGE = "<page><title>T</title><ns>{ns}</ns><revision><text>{text}</text></revision></page>"


def dump(tmp_path: Path, declaration: str = "", ns: str = "0", text: str = "a cat") -> Path:
    path = tmp_path / "dump.xml"
    path.write_text(f"{declaration}<mediawiki>{PAGE.format(ns=ns, text=text)}</mediawiki>", encoding="utf-8")
    return path


@pytest.mark.parametrize("ns", ["--5", "9" * 5_000, "²"])
def test_a_namespace_that_is_no_number(tmp_path, ns):
    with pytest.raises(InputError, match="namespace"):
        encode(dump(tmp_path, ns=ns), tmp_path / "out", ALL)


@pytest.mark.parametrize("encoding", ["shift_jis", "hex", "no-such"])
def test_a_dump_in_an_encoding_that_xml_does_not_know(tmp_path, encoding):
    with pytest.raises(InputError, match=r"dump\.xml"):
        encode(dump(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?>'), tmp_path / "out", ALL)


def test_character_references_of_any_length(tmp_path):
    path = dump(tmp_path, text="a cat &amp;#" + "9" * 5_000 + "; sat")
    assert {"a", "cat", "sat"} <= set(encode(path, tmp_path / "out", ALL).vocabulary.words)


@pytest.mark.parametrize("count", ["9" * 5_000, str(2**63)])
def test_counts_that_no_corpus_has(tmp_path, count):
    (tmp_path / "counts.txt").write_text(f"cat\t{count}\n")
    options = EncodeOptions(min_count=1, vocabulary=str(tmp_path / "counts.txt"))
    with pytest.raises(InputError, match="line 1: expected word<TAB>count"):
        encode([["cat"]], tmp_path / "out", options)


def test_parquet_with_bytes_that_are_no_text(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    bad = pyarrow.array([b"\xff\xfe\xfa"], pyarrow.binary()).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": bad}), tmp_path / "bad.parquet")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        encode(tmp_path / "bad.parquet", tmp_path / "out", ALL)


@pytest.mark.parametrize(
    "change",
    [{"n_tokens": "2"}, {"n_tokens": -1}, {"n_words": 1e300}, {"n_sentences": None}, {"fingerprint": []}],
)
def test_odd_values_in_the_description_of_a_corpus(tmp_path, change):
    encode([["a", "b"]], tmp_path / "out", ALL)
    meta = json.loads((tmp_path / "out" / "corpus.json").read_text())
    (tmp_path / "out" / "corpus.json").write_text(json.dumps(meta | change))
    with pytest.raises(InputError, match=r"corpus\.json is damaged"):
        EncodedCorpus.open(tmp_path / "out")


def test_a_data_set_library_that_runs_what_it_reads_is_refused(tmp_path, monkeypatch):
    def load(*arguments: object, **options: object) -> None:
        raise AssertionError("it must not get this far")

    old = types.SimpleNamespace(__version__="2.18.0", load_dataset=load, load_from_disk=load)
    monkeypatch.setitem(sys.modules, "datasets", old)
    with pytest.raises(InputError, match=r"datasets 2\.18\.0 runs programs"):
        encode("hf:owner/name", tmp_path / "out", ALL)


def test_ten_thousand_senses_of_one_word():
    names = [f"a#{k}" for k in range(10_000)]
    assert _senses_of_words(names) == {"a": list(range(10_000))}
    assert _senses_of_words(names[1:]) == {name: [row] for row, name in enumerate(names[1:])}
