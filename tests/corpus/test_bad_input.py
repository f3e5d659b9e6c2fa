"""Bad input: the file and the reason are named, and nothing looks finished; --skip-bad goes on and counts."""

import gzip
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adagram.corpus.encoder import encode
from adagram.corpus.options import FORMATS, EncodeOptions
from adagram.errors import InputError

TEXT = b"".join(b"some words of line %d\n" % i for i in range(30_000))
DUMP = b'<mediawiki xmlns="x"><page><title>A</title><ns>0</ns><revision><text>Words here</text></revision></page>'


def parquet(cut: bool) -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table({"text": ["a"]}), sink)
    data = sink.getvalue().to_pybytes()
    return data[: len(data) // 2] if cut else data


BAD = {
    "cut.txt.gz": gzip.compress(TEXT)[:-500],
    "cut.txt.zst": zstandard.compress(TEXT)[:-500],
    "plain.txt.bz2": b"this is plain text",
    "empty.txt": b"",
    "cut.xml": DUMP,
    "other.xml.gz": gzip.compress(DUMP + b"</wrong>"),
    "bad.jsonl": b'{"text": "fine"}\n{"text": \n',
    "bare.jsonl": b"[1]\n",
    "column.jsonl": b'{"title": "no text"}\n',
    "cut.parquet": parquet(cut=True),
    "text.parquet": b"plain text",
    "bad.conllu": b"1\tfine\tfine\tX\t_\t_\t_\t_\t_\t_\nnot a token line\n",
    "book.docx": b"PK\x03\x04rest",
    "paper.pdf": b"%PDF-1.7",
}


@pytest.mark.parametrize("name", BAD)
def test_the_file_and_the_reason_are_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(BAD[name])
    with pytest.raises(InputError, match=name) as caught:
        encode(tmp_path / name, tmp_path / "out", EncodeOptions(min_count=1))
    assert len(str(caught.value)) > len(str(tmp_path / name)) + 10
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_skip_bad_goes_on_and_counts(tmp_path: Path) -> None:
    for name, data in BAD.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.txt").write_bytes(b"the good file\n")
    corpus = encode(
        [tmp_path / name for name in (*BAD, "good.txt")], tmp_path / "out", EncodeOptions(min_count=1, skip_bad=True)
    )
    report = corpus.meta["report"]
    assert "good" in corpus.vocabulary
    assert report["sources"] == len(BAD) + 1
    assert {Path(bad["name"]).name for bad in report["bad_sources"]} == {
        name for name in BAD if not name.endswith((".jsonl", ".conllu"))
    }
    assert all(Path(bad["name"]).name in bad["reason"] for bad in report["bad_sources"])
    assert report["skipped"]["bad lines"] == 4
    assert {"words", "fine"} <= set(corpus.vocabulary.words)  # what was read before the damage


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (lambda folder: "nowhere.txt", r"nowhere\.txt does not exist"),
        (lambda folder: "*.nothing", r"no file matches \*\.nothing"),
        (lambda folder: (folder / "images").mkdir() or "images", "the folder images has no text files"),
    ],
)
def test_names_that_lead_to_nothing(
    prepare: Callable[[Path], str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=sentence):
        encode(prepare(tmp_path), tmp_path / "out")


def test_an_encoded_corpus_is_not_text(tmp_path: Path) -> None:
    encode([["a"]], tmp_path / "first", EncodeOptions(min_count=1))
    with pytest.raises(InputError, match="encoded corpus already"):
        encode(tmp_path / "first", tmp_path / "out")


@pytest.mark.parametrize("bad", [3, None, [], [None]])
def test_things_that_are_no_corpus(bad: object, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        encode(bad, tmp_path / "out")  # type: ignore[arg-type]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    format=st.sampled_from([f for f in FORMATS if f != "datasets"]),
    start=st.sampled_from([*sorted(data for data in BAD.values() if len(data) < 3000), b"", b"\xff\xfe", b"<doc "]),
    data=st.one_of(st.binary(), st.text(alphabet='<>{}[]"|=&;\t\n abc1_#/-').map(str.encode)),
    skip_bad=st.booleans(),
)
def test_any_bytes_in_any_format_end_well(
    tmp_path: Path, format: str, start: bytes, data: bytes, skip_bad: bool
) -> None:
    path = tmp_path / "input"
    path.write_bytes(start + data)
    options = EncodeOptions(min_count=1, format=format, skip_bad=skip_bad)
    with suppress(InputError):
        encode(path, tmp_path / "out", options)
    assert {p.name for p in tmp_path.iterdir()} <= {"input", "out"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_an_unreadable_file_in_a_glob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"fine")
    (tmp_path / "b.txt").symlink_to(tmp_path / "b.txt")  # unreadable for every user, root included
    with pytest.raises(InputError, match=r"b\.txt"):
        encode(str(tmp_path / "*.txt"), tmp_path / "out", EncodeOptions(min_count=1))
    corpus = encode(str(tmp_path / "*.txt"), tmp_path / "out", EncodeOptions(min_count=1, skip_bad=True))
    assert corpus.vocabulary.words == ["fine"]
    assert len(corpus.meta["report"]["bad_sources"]) == 1
