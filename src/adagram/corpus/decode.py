"""Open text files, decompress them, and decode them to valid UTF-8."""

from __future__ import annotations

import bz2
import codecs
import gzip
import html
import io
import lzma
import re
import select
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from adagram.errors import InputError, need

if TYPE_CHECKING:
    from adagram.corpus.documents import ReadState

STDIN = "-"
MAGIC = {"gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ\x00", "zst": b"\x28\xb5\x2f\xfd"}
COMPRESSED = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst", ".zstd": "zst"}
BUFFER = 1 << 18
# A zstd block of 4 bytes can hold 128 kB, so small reads keep the memory for hostile input bounded.
ZST_READ = 1 << 12
POLL_SECONDS = 0.2  # between two calls of `is_over` while a stream has nothing to read
# Longer marks first: that of UTF-32 starts like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_HEAD = 4096  # bytes that are searched for signs of UTF-16
_TOO_LONG = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")  # beyond all characters


@contextmanager
def open_bytes(
    path: str | PathLike[str], on_read: Callable[[int], None] | None = None, is_over: Callable[[], bool] | None = None
) -> Iterator[io.BufferedReader[Any]]:
    """Open `path` (`-` is stdin) for reading, decompressed; `on_read` gets each number of raw bytes consumed.

    The stream ends once `is_over()` is true, even while it has nothing to read.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "hello.gz")
    >>> _ = open(path, "wb").write(gzip.compress(b"hello"))
    >>> with open_bytes(path) as stream: stream.read()
    b'hello'
    """
    name = display_name(str(path))
    with _open_raw(str(path)) as raw:
        counted = _stream(_counted(raw, on_read, is_over))
        kind = _compression(name, counted.peek(8)[:8])
        yield _stream(_checked(_decompress(counted, kind, name), name))


def display_name(name: str) -> str:
    """Return the name of a source in messages; bytes that are not UTF-8 are replaced."""
    return "stdin" if name == STDIN else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def stdin_bytes() -> BinaryIO:
    """Return standard input, or refuse if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed; redirect it, or name a file")
    return sys.stdin.buffer


@contextmanager
def _open_raw(name: str) -> Iterator[BinaryIO]:
    if name == STDIN:
        yield stdin_bytes()
        return
    try:
        file = open(name, "rb", buffering=0)  # noqa: SIM115 (closed below)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    with file:
        yield cast(BinaryIO, file)


def _compression(name: str, head: bytes) -> str | None:
    """Return the compression that the first bytes show; a compressed extension on other content is an error."""
    for kind, magic in MAGIC.items():
        if head.startswith(magic) and (kind != "bz2" or head[4:7] in (b"1AY", b"\x17rE")):
            return kind
    claimed = COMPRESSED.get(PurePath(name).suffix.lower())
    if claimed and not head:
        raise InputError(f"{name} is empty: a .{claimed} file has at least a header")
    if claimed:
        raise InputError(f"{name} is not a .{claimed} file: it starts with {head!r}; rename or replace it")
    return None


def _decompress(stream: Any, kind: str | None, name: str) -> Iterator[bytes]:
    if kind == "zst":
        return _zst_parts(stream, name)
    opener: Any = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}.get(kind or "")
    read = (opener(stream) if opener else stream).read1
    return iter(lambda: read(BUFFER), b"")


def _zst_parts(stream: Any, name: str) -> Iterator[bytes]:
    """Decompress consecutive zstd frames; unlike the library's own reader, notice a truncated last frame."""
    context = need("zstandard", "zst", name).ZstdDecompressor(max_window_size=1 << 31)
    frame, in_frame = context.decompressobj(), False
    while data := stream.read(ZST_READ):
        while data:
            in_frame = True
            yield frame.decompress(data)
            data = frame.unused_data if frame.eof else b""
            if frame.eof:
                frame, in_frame = context.decompressobj(), False
    if in_frame:
        raise EOFError("the last frame is incomplete")


def _counted(
    raw: BinaryIO, on_read: Callable[[int], None] | None, is_over: Callable[[], bool] | None
) -> Iterator[bytes]:
    """Yield what a file has, and report how many bytes each read took."""
    # One read each: filling a buffer would block on a slow pipe.
    read = getattr(raw, "read1", raw.read)
    while (is_over is None or _is_ready(raw, is_over)) and (data := read(BUFFER)):
        if on_read:
            on_read(len(data))
        yield data


def _is_ready(stream: BinaryIO, is_over: Callable[[], bool]) -> bool:
    """Block until the stream can be read (True) or `is_over()` (False)."""
    while not is_over():
        try:
            if select.select([stream], [], [], POLL_SECONDS)[0]:
                return True
        except (OSError, ValueError):  # not a stream that can be polled
            return True
    return False


def _checked(parts: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Yield the parts; every failure is one sentence with the file's name."""
    try:
        yield from parts
    except EOFError:
        raise InputError(f"{name} is truncated: its compressed data end in the middle") from None
    except Exception as error:
        is_damage = isinstance(error, OSError | zlib.error | lzma.LZMAError | ValueError)
        # zstandard's error type exists only once that library is loaded.
        if not is_damage and not type(error).__module__.startswith("zstandard"):
            raise
        reason = (str(error) or type(error).__name__).rstrip(".")
        raise InputError(f"{name} is damaged: {reason}") from error


class _Parts(io.RawIOBase):
    """A stream of the bytes that an iterator yields."""

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


def _stream(parts: Iterator[bytes]) -> io.BufferedReader[Any]:
    return io.BufferedReader(_Parts(parts), BUFFER)


def as_utf8(stream: io.BufferedReader, name: str, state: ReadState) -> io.BufferedReader:
    """Return the stream's text in valid UTF-8, without a byte-order mark.

    The encoding is the named one, else that of the mark, else UTF-8. Invalid bytes are an error with the byte and the
    line; with skip_bad they are replaced and counted.
    """
    head = stream.peek()
    marked = next((encoding for mark, encoding in _MARKS.items() if head.startswith(mark)), "utf-8")
    encoding = state.options.encoding or marked
    if encoding == "utf-8":
        _refuse_utf16(head[:_HEAD], name)
    return _stream(_recode(stream, name, state, encoding))


def _recode(stream: io.BufferedReader, name: str, state: ReadState, encoding: str) -> Iterator[bytes]:
    """Yield text as UTF-8 in whole characters; one that the end of the stream cuts is replaced in any case."""
    is_utf8 = encoding == "utf-8"
    decoder = codecs.getincrementaldecoder("utf-8-sig" if is_utf8 else encoding)()
    n_bytes, n_lines, is_last = 0, 0, False
    while not is_last:
        pending = decoder.getstate()[0]
        try:
            data = stream.read1(BUFFER)
        except InputError as error:
            state.bad_source(name, error)
            data = b""
        is_last = not data
        try:
            text = decoder.decode(data, is_last)
        except UnicodeDecodeError as error:
            if not (state.options.skip_bad or is_last):
                where = _where(error.object, error.start, n_bytes - len(pending), n_lines)
                raise InputError(
                    f"{name} is not {encoding.upper() if is_utf8 else encoding}: {where}; name its encoding, such as "
                    "--encoding cp1252, or give --skip-bad"
                ) from None
            decoder.errors = "replace"
            text = decoder.decode(data, is_last)
            decoder.errors = "strict"
            n_valid = (pending + data).count("\ufffd".encode()) if is_utf8 else 0
            state.report.replaced_utf8 += text.count("\ufffd") - n_valid
        except UnicodeError as error:
            raise InputError(f"{name} is not {encoding}: {error}; name another --encoding") from None
        yield text.removeprefix("" if n_bytes else "\ufeff").encode("utf-8", "replace")
        n_bytes += len(data)
        n_lines += text.count("\n")


def _where(data: bytes, at: int, n_bytes: int, n_lines: int) -> str:
    value = f"{data[at]:#04x}" if at < len(data) else "none"
    line = n_lines + data.count(b"\n", 0, at) + 1
    return f"byte {n_bytes + at + 1} ({value}) in line {line}"


def _refuse_utf16(head: bytes, name: str) -> None:
    """Refuse text in which every second byte is zero: valid UTF-8, but not meant as such."""
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        places = head[first::2]
        if len(places) > 1 and places.count(0) > len(places) // 2 and head[1 - first :: 2].count(0) == 0:
            raise InputError(f"{name} looks like UTF-16 without its mark; name its encoding: --encoding {encoding}")


def unescape(text: str) -> str:
    """Replace HTML and XML character references; a number beyond Unicode, of any length, becomes U+FFFD.

    >>> unescape("&lt;&#65;&#" + "9" * 5000 + ";")
    '<A\\ufffd'
    """
    return html.unescape(_TOO_LONG.sub("\ufffd", text))
