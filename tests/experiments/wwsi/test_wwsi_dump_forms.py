"""However the dump is packed the data set is the same; a damaged dump is named and leaves nothing behind."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.dump import PACKING, Dump
from adagram.experiments.wwsi.rules import SenseRules


@pytest.mark.parametrize(("suffix", "pack"), [(".bz2", bz2.compress), (".gz", gzip.compress), (".xz", lzma.compress)])
def test_any_compression(
    suffix: str, pack: Callable[[bytes], bytes], small: Path, files: Files, rules: SenseRules, expected: str
) -> None:
    path = files.all.with_name(f"dump.xml{suffix}")
    path.write_bytes(pack(small.read_bytes()))
    build([Dump.open(path)], files, rules)
    assert files.all.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("n_bytes", [101, 1000, 7919])
def test_any_cut_into_runs(n_bytes: int, small: Path, files: Files, rules: SenseRules, expected: str) -> None:
    dump = Dump(small, header_bytes=1500, run_bytes=n_bytes)
    assert len(list(dump.page_runs())) > 3
    build([dump], files, rules)
    assert files.all.read_text(encoding="utf-8") == expected


def test_multistream_with_its_index_on_two_cores(
    multistream: Path, files: Files, rules: SenseRules, expected: str
) -> None:
    dump = replace(Dump.open(multistream), run_bytes=PACKING)
    assert dump.index is not None
    assert len(list(dump.page_runs())) == 8  # a stream each
    build([dump], files, rules, threads=2)
    assert files.all.read_text(encoding="utf-8") == expected


def test_multistream_without_index(multistream: Path, files: Files, rules: SenseRules, expected: str) -> None:
    build([Dump(multistream)], files, rules)
    assert files.all.read_text(encoding="utf-8") == expected


def test_parts_of_a_dump_make_one_data_set(small: Path, files: Files, rules: SenseRules, expected: str) -> None:
    """Redirects, words and senses may lie in different files, in any order."""
    header, *pages = small.read_text(encoding="utf-8").split("  <page>\n")
    pages[-1] = pages[-1].removesuffix("</mediawiki>\n")
    parts = []
    for number in range(3):
        text = header + "".join(f"  <page>\n{page}" for page in pages[2 - number :: 3]) + "</mediawiki>\n"
        parts.append(files.all.with_name(f"part{number}.xml"))
        parts[-1].write_text(text, encoding="utf-8")
    build([Dump.open(part) for part in parts], files, rules)
    assert files.all.read_text(encoding="utf-8") == expected


def assert_refused_with_nothing_written(
    dump: Path, index: Path | None, files: Files, rules: SenseRules, reason: str
) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        build([Dump.open(dump, index)], files, rules)
    assert dump.name in str(caught.value)
    assert not files.all.exists()
    assert not list(files.all.parent.iterdir())


@pytest.mark.parametrize("keep", [0, 20, 500, 2_000, 20_000, -1, -14, -40])
def test_cut_xml(keep: int, small: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "cut.xml"
    path.write_bytes(small.read_bytes().rstrip()[:keep])
    assert_refused_with_nothing_written(
        path, None, files, rules, "cut off" if keep not in (0,) else "not a MediaWiki dump"
    )


@pytest.mark.parametrize("keep", [2, 10, 1000, -5])
def test_cut_bz2(keep: int, small: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "cut.xml.bz2"
    path.write_bytes(bz2.compress(small.read_bytes())[:keep])
    assert_refused_with_nothing_written(path, None, files, rules, "cut off|truncated|not a|damaged")


@pytest.mark.parametrize("n_bytes", [-1, -30, -3000])
def test_cut_multistream(n_bytes: int, multistream: Path, files: Files, rules: SenseRules) -> None:
    multistream.write_bytes(multistream.read_bytes()[:n_bytes])
    assert_refused_with_nothing_written(multistream, None, files, rules, "cut off")


def test_multistream_cut_between_streams(multistream: Path, files: Files, rules: SenseRules) -> None:
    footer = len(bz2.compress(b"</mediawiki>\n"))
    multistream.write_bytes(multistream.read_bytes()[:-footer])
    assert_refused_with_nothing_written(multistream, None, files, rules, "ends before </mediawiki>")


def test_damaged_stream_in_the_middle_is_not_skipped(multistream: Path, files: Files, rules: SenseRules) -> None:
    packed = bytearray(multistream.read_bytes())
    third = packed.index(b"BZh", packed.index(b"BZh", 10) + 10)
    packed[third : third + 3] = b"XXX"
    multistream.write_bytes(packed)
    assert_refused_with_nothing_written(multistream, None, files, rules, "damaged")


def test_index_of_another_dump(multistream: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    index = tmp_path / "other-index.txt"
    for text, reason in (
        ("77:1:A\n150:2:B\n", "index belongs to another dump"),
        ("77:1:A\n10000000:2:B\n", "belongs to another dump"),
    ):
        index.write_text(text)
        assert_refused_with_nothing_written(multistream, index, files, rules, reason)
    for text in ("", "hello\n", "9:1:A\n5:2:B\n"):
        index.write_text(text)
        with pytest.raises(InputError, match=r"other-index.txt is not a multistream index"):
            build([Dump.open(multistream, index)], files, rules)


@pytest.mark.parametrize(
    ("old", "new"), [(b"</title>", b"</titel>"), (b"&lt;", b"<"), (b"Tower", b"\xff\xfe"), (b"<ns>0<", b"<ns>zero<")]
)
def test_damaged_xml(old: bytes, new: bytes, small: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_bytes(small.read_bytes().replace(old, new, 1))
    assert_refused_with_nothing_written(path, None, files, rules, "damaged")


def test_what_is_no_dump(files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "text.xml"
    path.write_text("<html><body>404 not found</body></html>")
    assert_refused_with_nothing_written(path, None, files, rules, "not a MediaWiki dump: it starts with '<html>")
    with pytest.raises(InputError, match="stdin"):
        Dump.open("-")
    with pytest.raises(InputError, match="is not a file"):
        Dump.open(tmp_path / "absent.xml")
