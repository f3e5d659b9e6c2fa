"""Text that is not UTF-8 is decoded as the user says or refused with its place; never read as something else."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adagram.config import EncodeOptions
from adagram.corpus.decode import as_utf8
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.encode import encode
from adagram.corpus.readers import _decoding
from adagram.errors import InputError

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
    return as_utf8(io.BufferedReader(Slow(data, size)), "text.txt", _decoding(state)).read(), state.report


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
    ("encoding", "word"),
    [("cp1252", "café"), ("iso8859-1", "niño"), ("cp1251", "Съешь"), ("koi8-r", "Съешь")],
)
def test_text_in_another_encoding_is_refused_with_its_place_and_how_it_would_read(
    encoding: str, word: str, tmp_path: Path
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"first line\n" + (SENTENCES[encoding] * 3).encode(encoding))
    with pytest.raises(InputError, match=r"text\.txt is not UTF-8: byte \d+ \(0x..\) in line 2; ") as refused:
        encode(path, tmp_path / "out", EncodeOptions(min_count=1))
    proposed = dict(
        reversed(pair) for pair in re.findall(r"--encoding (\S+) reads “([^”]*)”", str(refused.value))
    )
    assert word in proposed
    corpus = encode(path, tmp_path / "out", EncodeOptions(min_count=1, encoding=proposed[word]))
    assert word.lower() in corpus.vocabulary.words


def test_the_place_is_exact() -> None:
    good = "añb\n".encode() * 200_000
    with pytest.raises(InputError, match=rf"byte {len(good) + 3} \(0xe9\) in line 200001;"):
        recoded(good + b"na\xe9ve", 70_001)
    with pytest.raises(InputError, match=r"is not shift_jis: byte 5 \(0xff\) in line 2;"):
        recoded(b"abc\n\xff\n", encoding="shift_jis")


def test_a_character_that_the_end_cuts_is_no_reason_to_refuse() -> None:
    found, report = recoded("Köln Grüße".encode()[:-2])
    assert (found.decode(), report.replaced_utf8) == ("Köln Grü\ufffd", 1)


def test_utf16_without_a_mark_is_refused() -> None:
    with pytest.raises(InputError, match="--encoding utf-16-le"):
        recoded("plain words".encode("utf-16-le"))
