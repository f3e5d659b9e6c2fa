"""Files of any compression and encoding: read as they are or refused with the place; never read as something else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from adagram.corpus.decode import as_utf8, open_bytes
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError, MissingExtraError

COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard.ZstdCompressor().compress}
DATA = b"".join(b"line %d of some text that is not all the same\n" % i for i in range(4000))


def read(path: Path) -> bytes:
    with open_bytes(path) as stream:
        return stream.read()


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_content_is_read_whatever_the_extension(kind: str, tmp_path: Path) -> None:
    for name in (f"text.{kind}", "text.txt", "text"):
        (tmp_path / name).write_bytes(COMPRESS[kind](DATA))
        assert read(tmp_path / name) == DATA


@pytest.mark.parametrize("kind", COMPRESS)
def test_several_compressed_parts_in_one_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"parts.{kind}"
    path.write_bytes(COMPRESS[kind](DATA) + COMPRESS[kind](b"second") + COMPRESS[kind](b""))
    assert read(path) == DATA + b"second"


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_truncated_files_are_named(kind: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"cut.{kind}"
    whole = COMPRESS[kind](DATA)
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(InputError, match=rf"cut\.{kind} is (truncated|damaged)"):
        read(path)


@pytest.mark.parametrize("kind", COMPRESS)
def test_wrong_extension_is_named(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"plain.{kind}"
    path.write_bytes(b"just text\n")
    with pytest.raises(InputError, match=rf"plain\.{kind} is not a \.{kind} file"):
        read(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=rf"plain\.{kind} is empty"):
        read(path)


def test_raw_bytes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(DATA))
    seen: list[int] = []
    with open_bytes(path, seen.append) as stream:
        stream.read(1000)
        assert 0 < sum(seen) <= path.stat().st_size
        stream.read()
    assert sum(seen) == path.stat().st_size


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.txt cannot be read"):
        read(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(DATA))))
    assert read(Path("-")) == DATA


def test_zst_without_the_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.zst"
    path.write_bytes(COMPRESS["zst"](DATA))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"adagram\[zst\]"):
        read(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(kind=st.sampled_from(sorted(COMPRESS)), place=st.floats(0, 1), flip=st.integers(1, 255), data=st.binary())
def test_any_damage_is_an_input_error_or_harmless(
    tmp_path: Path, kind: str, place: float, flip: int, data: bytes
) -> None:
    whole = data + DATA[:2000]
    damaged = bytearray(COMPRESS[kind](whole))
    damaged[int(place * (len(damaged) - 1))] ^= flip
    path = tmp_path / f"damaged.{kind}"
    path.write_bytes(damaged)
    with suppress(InputError):
        found = read(path)
        assert kind == "zst" or found == whole, "zst has no checksum of its own; the others do"


SENTENCES = {
    "cp1252": "Le café était naïf et l’été fut très agréable",
    "iso8859-1": "El niño comió una piña en el jardín",
    "cp1250": "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "cp1251": "Съешь же ещё этих мягких французских булок",
    "koi8-r": "Съешь же ещё этих мягких французских булок",
    "cp1253": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "shift_jis": "吾輩は猫である 名前はまだ無い",
    "gb18030": "道可道 非常道 名可名 非常名",
    "utf-16": "Grüße aus Köln",
    "utf-32-be": "Grüße aus Köln",
}


class Slow(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size = io.BytesIO(data), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        return self.data.readinto(memoryview(buffer)[: self.size])


def recoded(data: bytes, size: int = 1 << 20, **options: object) -> tuple[bytes, CorpusReport]:
    state = ReadState(EncodeOptions(**options), CorpusReport())  # type: ignore[arg-type]
    return as_utf8(io.BufferedReader(Slow(data, size)), "text.txt", state).read(), state.report


@settings(deadline=None)
@given(st.text(), st.integers(1, 5))
@example("a\ufffdé\ufffd", 1)
def test_utf8_comes_through_as_it_is_however_it_is_cut(text: str, size: int) -> None:
    data = ("\n" + text).encode()
    found, report = recoded(data, size)
    assert (found, report.replaced_utf8) == (data, 0)


@settings(deadline=None)
@given(st.binary(), st.integers(1, 5))
@example("é".encode()[:1] + b"\n" + "é\ufffd".encode(), 1)
def test_with_skip_bad_all_that_is_invalid_is_replaced_and_counted(data: bytes, size: int) -> None:
    data = b"text\n" + data
    expected = data.decode("utf-8", "replace")
    found, report = recoded(data, size, skip_bad=True)
    assert found.decode() == expected
    assert report.replaced_utf8 == expected.count("\ufffd") - data.count("\ufffd".encode())


@pytest.mark.parametrize("encoding", SENTENCES)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_named_encoding_is_decoded(encoding: str, size: int) -> None:
    sentence = SENTENCES[encoding]
    data = (sentence + "\n").encode(encoding)
    assert recoded(data, size, encoding=encoding)[0].decode() == sentence + "\n"


@pytest.mark.parametrize(
    ("encoding", "word"), [("cp1252", "café"), ("iso8859-1", "niño"), ("cp1251", "Съешь"), ("koi8-r", "Съешь")]
)
def test_text_in_another_encoding_is_refused_with_its_place(encoding: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"first line\n" + (SENTENCES[encoding] * 3).encode(encoding))
    sentence = r"text\.txt is not UTF-8: byte \d+ \(0x..\) in line 2; name its encoding"
    with pytest.raises(InputError, match=sentence):
        encode(path, tmp_path / "out", EncodeOptions(min_count=1))
    corpus = encode(path, tmp_path / "out", EncodeOptions(min_count=1, encoding=encoding))
    assert word.lower() in corpus.vocabulary.words


def test_the_place_is_exact() -> None:
    good = "añb\n".encode() * 100_000
    with pytest.raises(InputError, match=rf"byte {len(good) + 3} \(0xe9\) in line 100001;"):
        recoded(good + b"na\xe9ve", 70_001)
    with pytest.raises(InputError, match=r"is not shift_jis: byte 5 \(0xff\) in line 2;"):
        recoded(b"abc\n\xff\n", encoding="shift_jis")


def test_a_character_that_the_end_cuts_is_no_reason_to_refuse() -> None:
    found, report = recoded("Köln Grüße".encode()[:-2])
    assert (found.decode(), report.replaced_utf8) == ("Köln Grü\ufffd", 1)


def test_utf16_without_a_mark_is_refused() -> None:
    with pytest.raises(InputError, match="--encoding utf-16-le"):
        recoded("plain words".encode("utf-16-le"))
