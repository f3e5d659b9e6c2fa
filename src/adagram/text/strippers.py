"""Processes that strip markup; started as plain programs, so that a caller's script needs no guard."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from typing import IO

from adagram.errors import AdagramError
from adagram.text.mediawiki import strip_markup

_LENGTH_BYTES = 8
_PAGE_END = "\0"  # cannot occur in XML
_PROGRAM = "from adagram.text.strippers import serve; serve()"


def strip_batch(pages: list[str]) -> str:
    return "\n".join(map(strip_markup, pages))


class Strippers:
    """`n` processes behind `strip`, which may be called from `n` threads."""

    def __init__(self, n: int) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._all = [
            subprocess.Popen(
                [sys.executable, "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
            )
            for _ in range(n)
        ]
        self._idle: queue.Queue[subprocess.Popen[bytes]] = queue.Queue()
        for process in self._all:
            self._idle.put(process)

    def __enter__(self) -> Strippers:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()

    def strip(self, pages: list[str]) -> str:
        process = self._idle.get()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            _send(process.stdin, _PAGE_END.join(pages))
            answer = _receive(process.stdout)
        except (OSError, EOFError) as error:
            raise AdagramError("a process that strips markup ended unexpectedly; try --threads 1") from error
        finally:
            self._idle.put(process)
        return answer


def serve() -> None:
    """The program of a process: batches of pages on stdin, prose on stdout, until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    while True:
        try:
            pages = _receive(sys.stdin.buffer)
        except EOFError:
            return
        _send(sys.stdout.buffer, strip_batch(pages.split(_PAGE_END)))


def _send(pipe: IO[bytes], text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> str:
    header = pipe.read(_LENGTH_BYTES)
    if len(header) < _LENGTH_BYTES:
        raise EOFError
    size = int.from_bytes(header, "little")
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data.decode("utf-8", "surrogatepass")
