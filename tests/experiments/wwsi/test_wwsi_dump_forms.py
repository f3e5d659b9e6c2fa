"""However the dump is packed the data set is the same; a damaged dump is named and leaves nothing behind."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.experiments.wwsi import passes
from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.rules import SenseRules


@pytest.mark.parametrize(("suffix", "pack"), [(".bz2", bz2.compress), (".gz", gzip.compress), (".xz", lzma.compress)])
def test_any_compression(
    suffix: str, pack: Callable[[bytes], bytes], small: Path, files: Files, rules: SenseRules, expected: str
) -> None:
    path = files.all.with_name(f"dump.xml{suffix}")
    path.write_bytes(pack(small.read_bytes()))
    build([path], files, rules)
    assert files.all.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("threads", [1, 2])
def test_multistream(
    threads: int, multistream: Path, files: Files, rules: SenseRules, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "BATCH_CHARS", 1000)
    build([multistream], files, rules, threads)
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
    build(parts, files, rules)
    assert files.all.read_text(encoding="utf-8") == expected


def assert_refused_with_nothing_written(dump: Path, files: Files, rules: SenseRules, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        build([dump], files, rules)
    assert dump.name in str(caught.value)
    assert not files.all.exists()
    assert not list(files.all.parent.iterdir())


@pytest.mark.parametrize("keep", [0, 20, 500, 2_000, 20_000, -1, -14, -40])
def test_cut_xml(keep: int, small: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "cut.xml"
    path.write_bytes(small.read_bytes().rstrip()[:keep])
    assert_refused_with_nothing_written(path, files, rules, "cut off")


@pytest.mark.parametrize("keep", [2, 10, 1000, -5])
def test_cut_bz2(keep: int, small: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "cut.xml.bz2"
    path.write_bytes(bz2.compress(small.read_bytes())[:keep])
    assert_refused_with_nothing_written(path, files, rules, "cut off|truncated|not a|damaged")


@pytest.mark.parametrize("n_bytes", [-1, -30, -3000])
def test_cut_multistream(n_bytes: int, multistream: Path, files: Files, rules: SenseRules) -> None:
    multistream.write_bytes(multistream.read_bytes()[:n_bytes])
    assert_refused_with_nothing_written(multistream, files, rules, "cut off|truncated")


def test_multistream_cut_between_streams(multistream: Path, files: Files, rules: SenseRules) -> None:
    footer = len(bz2.compress(b"</mediawiki>\n"))
    multistream.write_bytes(multistream.read_bytes()[:-footer])
    assert_refused_with_nothing_written(multistream, files, rules, "cut off: no element found")


def test_damaged_stream_in_the_middle_is_not_skipped(multistream: Path, files: Files, rules: SenseRules) -> None:
    packed = bytearray(multistream.read_bytes())
    third = packed.index(b"BZh", packed.index(b"BZh", 10) + 10)
    packed[third : third + 3] = b"XXX"
    multistream.write_bytes(packed)
    assert_refused_with_nothing_written(multistream, files, rules, "cut off|truncated")


@pytest.mark.parametrize(
    ("old", "new"), [(b"</title>", b"</titel>"), (b"&lt;", b"<"), (b"Tower", b"\xff\xfe"), (b"<ns>0<", b"<ns>zero<")]
)
def test_damaged_xml(old: bytes, new: bytes, small: Path, files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_bytes(small.read_bytes().replace(old, new, 1))
    assert_refused_with_nothing_written(path, files, rules, "damaged")


def test_what_is_no_dump(files: Files, rules: SenseRules, tmp_path: Path) -> None:
    path = tmp_path / "text.xml"
    path.write_text("<html><body>404 not found</body></html>")
    assert_refused_with_nothing_written(path, files, rules, "not a MediaWiki dump: its first element is <html>")
    with pytest.raises(InputError, match="stdin"):
        build([Path("-")], files, rules)
    with pytest.raises(InputError, match="is not a file"):
        build([tmp_path / "absent.xml"], files, rules)
