"""Worker processes: isolated interpreters, which never import from the current folder.

A plain `python -c` or `python -m`, and `multiprocessing` by spawn, put the current folder first on the path: a file
`queue.py` there would be run in place of the library's. They also need no `if __name__ == "__main__"` in a script.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import IO, Any, TypeVar

from adagram.errors import AdagramError
from adagram.ordered import in_order

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Item], Result]

_LENGTH_BYTES = 8
_IMPORT = "import sys; sys.path[:] = sys.argv[2:]; from {module} import {function}; {function}()"


def isolated(module: str, function: str, argument: str = "") -> list[str]:
    """The command of an interpreter that calls `function()` of `module`, with `argument` in sys.argv[1].

    It has the path of this one without the current folder.
    """
    here = os.path.realpath(os.curdir)
    paths = [os.path.abspath(path) for path in sys.path if path and os.path.realpath(path) != here]
    own = str(Path(__file__).resolve().parent.parent)  # last: nothing that stands beside it hides a library
    program = _IMPORT.format(module=module, function=function)
    return [sys.executable, "-I", "-c", program, argument, *dict.fromkeys((*paths, own))]


def map_in_processes(
    make_work: Callable[[], Work[Item, Result]], items: Iterable[Item], n: int
) -> Iterator[Result]:
    """Yield work(item) for all items in order, from `n` processes; `make_work` is called once in each of them."""
    with _Workers(n, make_work) as workers, ThreadPoolExecutor(n) as pool:
        yield from in_order(pool, workers.run, items, ahead=2 * n)


class _Workers:
    """`n` processes behind `run`, which `n` threads may call at once."""

    def __init__(self, n: int, make_work: Callable[[], Work[Any, Any]]) -> None:
        self._all: list[subprocess.Popen[bytes]] = []
        self._idle: Queue[subprocess.Popen[bytes]] = Queue()
        try:
            for _ in range(n):
                self._all.append(_start())
                self._idle.put(self._all[-1])
                _send(_pipe(self._all[-1].stdin), make_work)
        except BaseException as error:
            self.__exit__()
            if isinstance(error, OSError):
                raise AdagramError(
                    f"a worker process cannot be started ({error.strerror or error}); try --threads 1"
                ) from error
            raise

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()

    def run(self, item: Any) -> Any:
        process = self._idle.get()
        try:
            _send(_pipe(process.stdin), item)
            is_error, result = _receive(_pipe(process.stdout))
        except (OSError, EOFError) as error:
            raise AdagramError(
                "a worker process ended unexpectedly, perhaps for want of memory; try --threads 1"
            ) from error
        finally:
            self._idle.put(process)
        if is_error:
            raise result
        return result


def _start() -> subprocess.Popen[bytes]:
    with _ctrl_c_blocked():
        return subprocess.Popen(
            isolated(__name__, "serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 16
        )


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Ctrl-C goes to all processes of a terminal, but is the parent's to handle; a child inherits the mask."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve() -> None:
    """Run in a worker: items on stdin, results or errors on stdout, until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    items, results = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing else may be written between results
    try:
        work = _receive(items)()
        while True:
            item = _receive(items)
            try:
                answer = (False, work(item))
            except Exception as error:
                answer = (True, error)
            _send(results, answer)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # without a flush into a pipe that is gone


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _send(pipe: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little"))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    header = pipe.read(_LENGTH_BYTES)
    size = int.from_bytes(header, "little")
    data = pipe.read(size)
    if len(header) < _LENGTH_BYTES or len(data) < size:
        raise EOFError
    return pickle.loads(data)
