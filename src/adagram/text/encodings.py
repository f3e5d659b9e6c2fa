"""Every text stream as UTF-8: other encodings are decoded when named, and never taken for UTF-8 in silence."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import name as name_of

from adagram.errors import InputError
from adagram.text.files import display_name, open_bytes

BUFFER = 1 << 18
# Longer marks first: that of UTF-32 starts like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Encodings that are proposed, the more frequent first.
_LEGACY = (
    *("cp1252", "cp1250", "cp1251", "koi8-r", "cp866", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"),
)
_SAMPLE = 4096  # bytes after the first bad one that are tried
_SHOWN = 12  # bytes on each side of the bad one that a message shows at most


@dataclass(frozen=True)
class Decoding:
    """How text is read: its encoding where it is known, and whether what cannot be decoded is replaced and counted."""

    encoding: str | None = None
    skip_bad: bool = False
    on_replaced: Callable[[int], object] = lambda n: None


UTF8 = Decoding()


@contextmanager
def open_text(
    path: str | Path, decoding: Decoding, on_read: Callable[[int], None] | None = None
) -> Iterator[io.BufferedReader]:
    """As `open_bytes`, in valid UTF-8."""
    with open_bytes(path, on_read) as stream:
        yield as_utf8(stream, display_name(str(path)), decoding)


def as_utf8(stream: io.BufferedReader, name: str, decoding: Decoding) -> io.BufferedReader:
    """The stream's text in valid UTF-8, without a mark at its start.

    The encoding is the one that was named, else that of the mark, else UTF-8. What cannot be decoded is an error that
    names the byte, the line and encodings in which it would read well; with skip_bad it is replaced and counted.
    """
    head = stream.peek()
    marked = next((encoding for mark, encoding in _MARKS.items() if head.startswith(mark)), "utf-8")
    encoding = decoding.encoding or marked
    if encoding != "utf-8":
        return io.BufferedReader(_Parts(_decoded(stream, name, decoding, encoding)), BUFFER)
    _refuse_wide_characters(head[:_SAMPLE], name)
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return io.BufferedReader(_Parts(_checked(stream, name, decoding)), BUFFER)


class _Parts(io.RawIOBase):
    """A stream of what an iterator gives."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._ready = parts, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._ready = memoryview(part)
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n


def _checked(stream: io.BufferedReader, name: str, decoding: Decoding) -> Iterator[bytes]:
    """UTF-8 in whole characters; a character that is cut by the end of the stream is replaced, whoever cut it."""
    rest, n_bytes, n_lines, is_last = b"", 0, 0, False
    while not is_last:
        data = stream.read1(BUFFER)
        is_last = not data
        data, rest = rest + data, b""
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError as error:
                is_cut = error.end == len(data) and error.reason == "unexpected end of data"
                if is_cut and not is_last:
                    data, rest = data[: error.start], data[error.start :]
                elif is_cut or decoding.skip_bad:
                    data, rest = _replaced(data, is_last, decoding)
                else:
                    where = _where(data, error.start, n_bytes, n_lines)
                    raise InputError(f"{name} is not UTF-8: {where}; {_advice(data, error.start)}") from None
        n_bytes += len(data)
        n_lines += data.count(b"\n")
        yield data


def _replaced(data: bytes, is_last: bool, decoding: Decoding) -> tuple[bytes, bytes]:
    """(the data with U+FFFD for every invalid sequence, a last character that may go on in the next read)"""
    parts: list[bytes] = []
    while data:
        try:
            data.decode()
            break
        except UnicodeDecodeError as error:
            if error.end == len(data) and error.reason == "unexpected end of data" and not is_last:
                return b"".join([*parts, data[: error.start]]), data[error.start :]
            decoding.on_replaced(1)
            parts += [data[: error.start], "\ufffd".encode()]
            data = data[error.end :]
    return b"".join([*parts, data]), b""


def _decoded(stream: io.BufferedReader, name: str, decoding: Decoding, encoding: str) -> Iterator[bytes]:
    """Text of another encoding."""
    decode = codecs.getincrementaldecoder(encoding)("replace" if decoding.skip_bad else "strict").decode
    n_bytes, n_lines, is_last = 0, 0, False
    while not is_last:
        data = stream.read1(BUFFER)
        is_last = not data
        try:
            text = decode(data, is_last)
        except UnicodeError as error:
            start = error.start if isinstance(error, UnicodeDecodeError) else 0
            where = _where(data, min(start, len(data)), n_bytes, n_lines)
            raise InputError(
                f"{name} is not {encoding}: {where}; name another --encoding, or give --skip-bad"
            ) from None
        n_bytes += len(data)
        n_lines += text.count("\n")
        if decoding.skip_bad:
            decoding.on_replaced(text.count("\ufffd"))
        yield text.removeprefix("\ufeff").encode("utf-8", "replace")


def _where(data: bytes, at: int, n_bytes: int, n_lines: int) -> str:
    value = f"{data[at]:#04x}" if at < len(data) else "none"
    line = n_lines + data.count(b"\n", 0, at) + 1
    return f"byte {n_bytes + at + 1} ({value}) in line {line}"


def _advice(data: bytes, at: int) -> str:
    """What to do about text that is not UTF-8: the encodings in which it reads best, with what would be read."""
    around = data[max(at - _SHOWN, 0) : at].split()[-1:] if data[at - 1 : at].strip() else []
    words = b"".join(around) + data[at : at + _SHOWN].split()[0]
    found: dict[str, str] = {}  # encoding by what the words are in it
    for encoding in sorted(_LEGACY, key=lambda encoding: -_plausibility(data[at : at + _SAMPLE], encoding)):
        text = words.decode(encoding, "replace")
        if text.isprintable() and "\ufffd" not in text:
            found.setdefault(text, encoding)
    best = [f"--encoding {encoding} reads “{text}”" for text, encoding in [*found.items()][:3]]
    return ", ".join([*best, "--skip-bad replaces it"])


def _plausibility(sample: bytes, encoding: str) -> float:
    """The share of the sample's characters beyond ASCII that are letters as words have them.

    In words, letters of one script stand together, and capitals do not follow small letters.
    """
    text = sample.decode(encoding, "replace")
    n_beyond = sum(not char.isascii() for char in text)
    n_good = 0
    for before, char in pairwise(" " + text):
        if char.isascii() or not char.isalpha():
            continue
        is_odd = before.isalpha() and (
            _script(before) != _script(char) or (before.islower() and char.isupper())
        )
        n_good += not is_odd
    return n_good / max(n_beyond, 1)


def _script(letter: str) -> str:
    script = name_of(letter, "?").partition(" ")[0]
    return "CJK" if script in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA") else script


def _refuse_wide_characters(head: bytes, name: str) -> None:
    """Text with zero bytes at every second place is valid UTF-8, and none."""
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        places = head[first::2]
        if len(places) > 1 and places.count(0) > len(places) // 2 and head[1 - first :: 2].count(0) == 0:
            raise InputError(
                f"{name} looks like UTF-16 without its mark; name its encoding: --encoding {encoding}"
            )
