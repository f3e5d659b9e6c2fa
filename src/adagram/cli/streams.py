"""Standard streams that may be closed, full or gone: messages are dropped then, results are an error."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any


class Dropping(io.TextIOBase):
    """A stream for messages: what cannot be shown is dropped, and the work goes on."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        with suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str], /) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def isatty(self) -> bool:
        return bool(self._stream.isatty())

    def fileno(self) -> int:
        return int(self._stream.fileno())

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self._stream.encoding)

    @property
    def buffer(self) -> Any:
        return self._stream.buffer


class _ClosedBytes(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        raise _closed()


class Closed(io.TextIOBase):
    """A standard output that is closed: the first result is an error, not lost in silence."""

    def __init__(self) -> None:
        self.buffer = _ClosedBytes()

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        raise _closed()

    def fileno(self) -> int:
        raise _closed()


def _closed() -> OSError:
    return OSError(errno.EBADF, "standard output is closed; redirect it, or give a file to write to")


@contextmanager
def guarded_streams() -> Iterator[None]:
    """While a verb runs. No file may get the number of a closed stream, or messages would end up in it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    out, err = sys.stdout, sys.stderr
    if out is None:
        sys.stdout = Closed()
    sys.stderr = Dropping(err if err is not None else open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    try:
        yield
    finally:
        if out is not None:  # else the interpreter would close what is ours
            sys.stdout = out
        if err is not None:
            sys.stderr = err
