"""What a name, a list or a stream stands for, and what is refused."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import adagram
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.sources import LOOK_AT
from adagram.errors import InputError
from adagram.export.word2vec import _senses_of_words

TEXTS = ["I like cats.", "Dogs bark,\nand cats do not", "Yes"]
WORDS = {"i", "like", "cats", "dogs", "bark", "and", "do", "not", "yes"}


def words_of(sources: Any, folder: Path) -> set[str]:
    return set(encode(sources, folder / "out", EncodeOptions(min_count=1), overwrite=True).vocabulary.words)


@pytest.mark.parametrize("make", [list, tuple, iter])
def test_texts_are_taken_from_any_iterable(make: Any, tmp_path: Path) -> None:
    assert words_of(make(TEXTS), tmp_path) == WORDS
    assert adagram.train(make(TEXTS), dim=4, min_count=1, threads=1).vocabulary.index.keys() == WORDS


def test_texts_are_tokenized_as_files_are(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(TEXTS))
    from_texts = encode(TEXTS, tmp_path / "a", EncodeOptions(min_count=1))
    from_file = encode(tmp_path / "text.txt", tmp_path / "b", EncodeOptions(min_count=1))
    assert from_texts.fingerprint == from_file.fingerprint
    assert from_texts.meta["tokenizer"] == from_file.meta["tokenizer"]


@pytest.mark.parametrize("texts", [["道可道，非常道。", "名可名，非常名。"], ["What?!", "a/b or c"], ["1. e4 e5"]])
def test_texts_of_other_kinds(texts: list[str], tmp_path: Path) -> None:
    assert words_of(texts, tmp_path)


def test_names_are_files_that_exist_or_look_like_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my text").write_text("content")
    assert words_of(["my text"], tmp_path) == {"content"}
    for missing in ("corpus.txt", "my corpus.jsonl", "folder/part", "dump.xml.bz2", "parts/*"):
        with pytest.raises(InputError, match=r"does not exist|no file matches"):
            words_of([missing], tmp_path)


@pytest.mark.parametrize(
    "mixture",
    [["I like cats", Path("corpus.txt")], ["corpus.txt", "I like cats"], ["I like cats", "missing.txt"], ["yes", "-"]],
)
def test_names_and_texts_do_not_mix(mixture: list[Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is the name of a file and .* is not"):
        words_of(mixture, tmp_path)


@pytest.mark.parametrize("odd", ["https://example.org/feed.xml", "http://a.b/c?d=e", "km/h", "N/A", "C:\\x"])
def test_texts_may_be_a_url_or_have_a_slash_in_them(odd: str, tmp_path: Path) -> None:
    assert words_of([*TEXTS, odd], tmp_path) >= WORDS
    with pytest.raises(InputError, match=r"does not exist|no file matches"):
        words_of([odd], tmp_path)


@pytest.mark.parametrize("other", [["cats"], 3, None])
def test_strings_and_token_lists_do_not_mix_wherever_they_meet(other: Any, tmp_path: Path) -> None:
    def late() -> Iterator[Any]:
        yield from ["I like cats"] * (2 * LOOK_AT)
        yield other

    for mixture in (["I like cats", other], late(), [["cats"], "I like cats"]):
        with pytest.raises(InputError, match=r"cannot be mixed|is a string, not a list"):
            words_of(mixture, tmp_path)


def test_one_token_list_is_not_taken_for_texts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'the' is neither a file nor a text .* train\(\[tokens\]\)"):
        words_of(["the", "cat", "sat"], tmp_path)


@pytest.mark.parametrize("text", ["I like cats", "I like cats " * 1000, "I like cats? " * 2_000])
def test_a_string_by_itself_is_a_name(text: str) -> None:
    sentence = r"(I like cats.* does not exist|no file matches I like cats.*); a text goes into a list"
    with pytest.raises(InputError, match=sentence) as refused:
        adagram.train(text)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("names", [["I like cats", "dogs too"], [""]])
def test_words_of_the_command_line_are_never_texts(
    names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from adagram.cli import main

    for verb in ("train", "encode"):
        with pytest.raises(SystemExit):
            main([verb, *names, "-o", str(tmp_path / "out")])
        assert ("does not exist" if names[0] else "is empty") in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


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
    "change", [{"n_tokens": "2"}, {"n_tokens": -1}, {"n_words": 1e300}, {"n_sentences": None}, {"fingerprint": []}]
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
