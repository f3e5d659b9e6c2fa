"""Opening byte streams that may be compressed; damage is an InputError that names the file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import select
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import PurePath
from typing import Any, BinaryIO, cast

from adagram.errors import InputError, need

STDIN = "-"
MAGIC = {"gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ\x00", "zst": b"\x28\xb5\x2f\xfd"}
COMPRESSED = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst", ".zstd": "zst"}
BUFFER = 1 << 18
# A zstd block of 4 bytes can hold 128 kB, so small bites keep the memory for hostile input bounded.
ZST_BITE = 1 << 12
PATIENCE = 0.2  # seconds of waiting for a stream after which it is asked whether the user has ended it


@contextmanager
def open_bytes(
    path: str | PathLike[str],
    on_read: Callable[[int], None] | None = None,
    is_over: Callable[[], bool] | None = None,
) -> Iterator[io.BufferedReader[Any]]:
    """Open `path` (`-` is stdin) for reading, decompressed; `on_read` gets each number of raw bytes consumed.

    Where `is_over` is true it ends, also while more is waited for.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "hello.gz")
    >>> _ = open(path, "wb").write(gzip.compress(b"hello"))
    >>> with open_bytes(path) as stream: stream.read()
    b'hello'
    """
    name = display_name(str(path))
    with _open_raw(str(path)) as raw:
        counted = io.BufferedReader(_Counted(raw, on_read, is_over), BUFFER)
        kind = _compression(name, counted.peek(8)[:8])
        yield io.BufferedReader(_Checked(_decompress(counted, kind, name), name), BUFFER)


def display_name(name: str) -> str:
    """How messages and results call a source; bytes of a name that are not UTF-8 are replaced."""
    return "stdin" if name == STDIN else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def stdin_bytes() -> BinaryIO:
    """Standard input, which may be closed."""
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
    """What the first bytes say; a compressed extension on other content is an error."""
    for kind, magic in MAGIC.items():
        if head.startswith(magic) and (kind != "bz2" or head[4:7] in (b"1AY", b"\x17rE")):
            return kind
    claimed = COMPRESSED.get(PurePath(name).suffix.lower())
    if claimed and not head:
        raise InputError(f"{name} is empty: a .{claimed} file has at least a header")
    if claimed:
        raise InputError(f"{name} is not a .{claimed} file: it starts with {head!r}; rename or replace it")
    return None


def _decompress(stream: Any, kind: str | None, name: str) -> Any:
    if kind == "gz":
        return gzip.GzipFile(fileobj=stream)
    if kind == "bz2":
        return bz2.BZ2File(stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    if kind == "zst":
        return io.BufferedReader(_ZstReader(stream, name), BUFFER)
    return stream


class _Counted(io.RawIOBase):
    """Passes reads on and reports how many raw bytes they took."""

    def __init__(
        self, raw: BinaryIO, on_read: Callable[[int], None] | None, is_over: Callable[[], bool] | None
    ) -> None:
        self._raw, self._on_read, self._is_over = raw, on_read, is_over

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._is_over and not _waited(self._raw, self._is_over):
            return 0
        n = _read_some(self._raw, buffer)
        if n and self._on_read:
            self._on_read(n)
        return n


def _waited(stream: BinaryIO, is_over: Callable[[], bool]) -> bool:
    """Whether there is something to read, or the stream's own end, before it is over."""
    while not is_over():
        try:
            if select.select([stream], [], [], PATIENCE)[0]:
                return True
        except (OSError, ValueError):  # nothing to wait for, or no system to ask
            return True
    return False


def _read_some(stream: Any, buffer: Any) -> int:
    """What a single read brings: to fill the buffer would mean waiting for a slow pipe."""
    read = getattr(stream, "readinto1", None) or stream.readinto
    return int(read(buffer) or 0)


class _ZstReader(io.RawIOBase):
    """zstd frames one after the other; unlike the library's own reader it notices a cut last frame."""

    def __init__(self, stream: Any, name: str) -> None:
        self._zstandard = need("zstandard", "zst", name)
        self._context = self._zstandard.ZstdDecompressor(max_window_size=1 << 31)
        self._stream, self._frame, self._ready = stream, self._context.decompressobj(), b""
        self._in_frame = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            bite = self._stream.read(ZST_BITE)
            if not bite:
                if self._in_frame:
                    raise EOFError("the last frame is incomplete")
                return 0
            self._feed(bite)
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _feed(self, bite: bytes) -> None:
        parts = []
        while bite:
            self._in_frame = True
            parts.append(self._frame.decompress(bite))
            bite = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._in_frame, self._frame = False, self._context.decompressobj()
        self._ready = b"".join(parts)


class _Checked(io.RawIOBase):
    """Turns every way in which reading can fail into one sentence with the file's name."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._name = stream, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return _read_some(self._stream, buffer)
        except EOFError:
            raise InputError(f"{self._name} is truncated: its compressed data end in the middle") from None
        except (OSError, zlib.error, lzma.LZMAError, ValueError) as error:
            raise InputError(f"{self._name} is damaged: {_reason(error)}") from error
        except Exception as error:
            # zstandard's error type exists only once that library is loaded.
            if type(error).__module__.startswith("zstandard"):
                raise InputError(f"{self._name} is damaged: {_reason(error)}") from error
            raise


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).rstrip(".")
