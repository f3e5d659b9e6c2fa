"""Every form a corpus comes in gives the same sentences, alone and mixed."""

import bz2
import gzip
import itertools
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.sources import detect_format
from adagram.corpus.tokenize import TokenizerConfig
from adagram.errors import InputError, MissingExtraError

DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">
<page><title>Cat</title><ns>0</ns><id>1</id><revision><text>The '''cat''' sat on [[mat|the mat]].{{stub}}

Dogs &amp; cats.&lt;ref&gt;source&lt;/ref&gt;</text></revision></page>
<page><title>Kitty</title><ns>0</ns><id>2</id><redirect title="Cat" />
<revision><text>#REDIRECT [[Cat]]</text></revision></page>
<page><title>Talk:Cat</title><ns>1</ns><id>3</id><revision><text>chatter</text></revision></page>
</mediawiki>
"""
EXTRACTED = """<doc id="1" url="u" title="Cat">
Cat

The cat &amp; the dog.
</doc>
<doc id="2" url="u" title="D">
D
</doc>
"""
CONLLU = """# text = Cats don't
1\tCats\tcat\tNOUN\tNNS\t_\t0\troot\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVB\t_\t1\tx\t_\t_
3\tn't\tnot\tPART\tRB\t_\t1\tx\t_\t_
3.1\tempty\tempty\tX\t_\t_\t_\t_\t_\t_

1\tNew York\t_\tPROPN\tNNP\t_\t0\troot\t_\t_
"""
VERTICAL = """<doc id="1" title="x">
<s>
The\tDT\tthe-x
cats\tNNS\tcat-n
<g/>
.\tSENT\t.-x
</s>
<s>
Go\tVB\tgo-v
</s>
</doc>
"""


def read(sources: Any, tmp_path: Path, **options: Any) -> list[str]:
    corpus = encode(sources, tmp_path / "out", EncodeOptions(**{"min_count": 1, **options}), overwrite=True)
    return sentences(corpus)


def sentences(corpus: EncodedCorpus) -> list[str]:
    words = [corpus.vocabulary.words[t] for t in corpus.tokens.tolist()]
    starts = [0, *corpus.ends.tolist()]
    return [" ".join(words[a:b]) for a, b in itertools.pairwise(starts)]


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("threads", [1, 2])
def test_mediawiki_dump(threads: int, tmp_path: Path) -> None:
    path = write(tmp_path / "simplewiki-pages-articles.xml.bz2", bz2.compress(DUMP.encode()))
    assert read(path, tmp_path, threads=threads) == ["the cat sat on the mat", "dogs cats"]
    skipped = EncodedCorpus.open(tmp_path / "out").meta["report"]["skipped"]
    assert skipped == {"redirects": 1, "pages outside the article namespace": 1}


def test_dumps_in_a_script_without_a_main_guard(tmp_path: Path) -> None:
    path = write(tmp_path / "dump.xml", DUMP)
    script = f"""
from adagram.config import EncodeOptions
from adagram.corpus.encoder import encode
print(len(encode({str(path)!r}, {str(tmp_path / "out")!r}, EncodeOptions(min_count=1, threads=2)).tokens))
"""
    result = subprocess.run([sys.executable, write(tmp_path / "script.py", script)], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("8\n", "")


def test_wikiextractor(tmp_path: Path) -> None:
    assert read(write(tmp_path / "AA" / "wiki_00", EXTRACTED), tmp_path) == ["cat", "the cat the dog", "d"]
    lines = '{"id": "1", "title": "Cat", "text": "Cat\\n\\nThe cat"}\n'
    assert read(write(tmp_path / "BB" / "wiki_00", lines), tmp_path) == ["cat", "the cat"]


def test_json_lines(tmp_path: Path) -> None:
    rows = [{"body": "The cat\nsat."}, {"body": None}, {"body": ["a", "b"]}, {"body": "Ünïcode \ud800 x"}]
    path = write(tmp_path / "rows.jsonl.gz", gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert read(path, tmp_path, column="body") == ["the cat", "sat", "a b", "ünïcode x"]


def test_parquet(tmp_path: Path) -> None:
    table = pyarrow.table({"id": [1, 2, 3], "text": ["The cat sat.", None, "Dogs\nbark."]})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    assert read(tmp_path / "rows.parquet", tmp_path) == ["the cat sat", "dogs", "bark"]
    with pytest.raises(InputError, match=r"rows\.parquet has no column 'body'; columns are: id, text"):
        read(tmp_path / "rows.parquet", tmp_path, column="body")
    with pytest.raises(InputError, match="int values, not text"):
        read(tmp_path / "rows.parquet", tmp_path, column="id")


@pytest.mark.parametrize(
    ("unit", "expected", "fold_case"),
    [
        ("word", ["cats do n't", "new_york"], True),
        ("lemma", ["cat do not", "new_york"], True),
        ("lemma_pos", ["cat_NOUN do_AUX not_PART", "new_york_PROPN"], False),
    ],
)
def test_conllu(unit: str, expected: list[str], fold_case: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "treebank.conllu", CONLLU)
    assert read(path, tmp_path, unit=unit) == expected
    recorded = TokenizerConfig.from_dict(EncodedCorpus.open(tmp_path / "out").meta["tokenizer"])
    assert (recorded.pretokenized, recorded.fold_case) == (True, fold_case)


@pytest.mark.parametrize(
    ("unit", "expected"), [("word", ["the cats .", "go"]), ("lemma_pos", ["the-x_DT cat-n_NNS .-x_SENT", "go-v_VB"])]
)
def test_vertical(unit: str, expected: list[str], tmp_path: Path) -> None:
    assert read(write(tmp_path / "corpus.vert", VERTICAL), tmp_path, unit=unit) == expected


def test_utf16_and_byte_order_marks(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.txt", "Grüße aus\r\nKöln".encode("utf-16")), tmp_path) == ["grüße aus", "köln"]
    assert read(write(tmp_path / "b.txt", "\ufeffwort wort"), tmp_path, pretokenized=True) == ["wort wort"]


def test_sources_mix_and_their_sentences_do_not_run_together(tmp_path: Path) -> None:
    write(tmp_path / "texts" / "a.txt", "no newline at the end")
    write(tmp_path / "texts" / "deep" / "b.txt.gz", gzip.compress(b"second"))
    write(tmp_path / "texts" / ".hidden", "hidden")
    write(tmp_path / "texts" / "picture.png", b"\x89PNG")
    write(tmp_path / "c1.txt", "third")
    write(tmp_path / "c2.txt", "fourth")
    names = [str(tmp_path / "texts"), str(tmp_path / "c?.txt"), str(write(tmp_path / "d.conllu", CONLLU))]
    assert read(names, tmp_path) == ["no newline at the end", "second", "third", "fourth", "cats do n't", "new_york"]
    assert EncodedCorpus.open(tmp_path / "out").meta["report"]["sources"] == 5


def test_stdin_may_be_compressed_and_of_any_format(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "adagram", "encode", "-", "-o", str(tmp_path / "out"), "--min-count", "1"]
    subprocess.run(command, input=bz2.compress(DUMP.encode()), check=True, capture_output=True)
    assert sentences(EncodedCorpus.open(tmp_path / "out")) == ["the cat sat on the mat", "dogs cats"]


class FakeDatasets(types.ModuleType):
    """The three calls of the datasets library that are used."""

    __version__ = "4.0.0"

    class Split(list[dict[str, Any]]):
        column_names = ("text",)

    def load_dataset(
        self, name: str, config: str | None = None, split: str | None = None, streaming: bool = False
    ) -> Any:
        if name != "owner/set":
            raise FileNotFoundError(f"Couldn't find {name}\nand a long story")
        splits = {"train": self.Split([{"text": "The cat"}]), "test": self.Split([{"text": f"config {config}"}])}
        return splits[split] if split else splits

    def load_from_disk(self, name: str) -> Any:
        return {"train": self.Split([{"text": f"from {Path(name).name}"}])}


def test_datasets_by_name_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", FakeDatasets("datasets"))
    assert read("hf:owner/set:en", tmp_path) == ["the cat", "config en"]
    assert read("hf:owner/set", tmp_path, split="train") == ["the cat"]
    write(tmp_path / "saved" / "dataset_dict.json", "{}")
    assert read(tmp_path / "saved", tmp_path) == ["from saved"]
    with pytest.raises(InputError, match="no split 'dev'; splits are: train"):
        read(tmp_path / "saved", tmp_path, split="dev")
    with pytest.raises(InputError, match="no column 'body'"):
        read("hf:owner/set", tmp_path, column="body")
    with pytest.raises(InputError, match=r"hf:other cannot be opened: Couldn't find other$"):
        read("hf:other", tmp_path)


@pytest.mark.parametrize(("module", "name"), [("datasets", "hf:owner/set"), ("pyarrow.parquet", "rows.parquet")])
def test_missing_libraries_say_what_to_install(
    module: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "rows.parquet", b"PAR1")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"adagram\["):
        read(name, tmp_path)


@pytest.mark.parametrize(
    ("name", "head", "format"),
    [
        ("wiki_00", b'<doc id="12" url="https://x" title="A">\nA\n\nText here', "wikiextractor"),
        ("corpus", b"<doc id='12'>\n<p>\n<s>\nThe\tDT\tthe\n", "vertical"),
        ("dump", b'\xef\xbb\xbf<mediawiki xmlns="x">', "mediawiki"),
        ("page", b"<html><body>text", "text"),
        ("x.json", b"{}", "jsonl"),
        ("x", b'{"id": 1, "text": "a"}\n', "jsonl"),
        ("x", b"{curly text}", "text"),
        ("x.jsonl.zst", b"", "jsonl"),
        ("x", CONLLU.encode(), "conllu"),
        ("x.txt", b"# 1\tnot a treebank", "text"),
    ],
)
def test_formats_are_found_from_name_and_content(name: str, head: bytes, format: str) -> None:
    assert detect_format(name, head) == format
