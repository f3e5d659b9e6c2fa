"""Map a function over items in threads or processes, with the results in order and few items in memory.

Worker processes are isolated interpreters, which never import from the current folder: with `python -c`, `python -m`
and `multiprocessing` by spawn, a file `queue.py` there would run in place of the library's. They need no
`if __name__ == "__main__"` in a script either.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Queue
from typing import Any, TypeVar, cast

from adagram.errors import AdagramError

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Item], Result]

_SERVE = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"


def batched(items: Iterable[Item], size_of: Callable[[Item], int], size: int) -> Iterator[list[Item]]:
    """Yield items in lists whose sizes sum to `size` or more."""
    batch: list[Item] = []
    length = 0
    for item in items:
        batch.append(item)
        length += size_of(item)
        if length >= size:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def in_order(pool: Executor, work: Callable[[Item], Result], items: Iterable[Item], ahead: int) -> Iterator[Result]:
    """Yield work(item) for every item in order, with at most `ahead` items in flight; the pool stays open.

    With 0 in flight a result is yielded before the next item is read, as a live stream needs it.
    """
    in_flight: deque[Future[Result]] = deque()
    try:
        for item in items:
            in_flight.append(pool.submit(work, item))
            if len(in_flight) > ahead:
                yield in_flight.popleft().result()
        while in_flight:
            yield in_flight.popleft().result()
    finally:
        for future in in_flight:
            future.cancel()


def map_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int | None, is_live: bool = False
) -> Iterator[Result]:
    """Yield work(item) for all items in order, from `threads` threads or one for each processor.

    With `is_live` a result is yielded before the next item is read.
    """
    n = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(n) as pool:
        yield from in_order(pool, work, items, 0 if is_live else 2 * n)


def map_in_processes(make_work: Callable[[], Work[Item, Result]], items: Iterable[Item], n: int) -> Iterator[Result]:
    """Yield work(item) for all items in order, from `n` processes; `make_work` is called once in each of them.

    One process is this one.
    """
    if n == 1:
        yield from map(make_work(), items)
        return
    idle: Queue[subprocess.Popen[bytes]] = Queue()

    def run(item: Item) -> Result:
        process = idle.get()
        try:
            _send(process.stdin, item)
            is_error, result = _receive(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise AdagramError(
                "a worker process ended unexpectedly, perhaps for want of memory; try --threads 1"
            ) from error
        finally:
            idle.put(process)
        if is_error:
            raise result
        return cast(Result, result)

    with ExitStack() as started, ThreadPoolExecutor(n) as pool:
        try:
            for _ in range(n):
                process = _start()
                started.callback(_end, process)
                _send(process.stdin, make_work)
                idle.put(process)
        except OSError as error:
            raise AdagramError(
                f"a worker process cannot be started ({error.strerror or error}); try --threads 1"
            ) from error
        yield from in_order(pool, run, items, ahead=2 * n)


def _start() -> subprocess.Popen[bytes]:
    """Start an isolated interpreter that calls `serve`; it has the path of this one without the current folder.

    It inherits that SIGINT is blocked: a terminal sends it to all, only the parent handles it.
    """
    here = os.path.realpath(os.curdir)
    paths = [os.path.abspath(path) for path in sys.path if path and os.path.realpath(path) != here]
    own = str(Path(__file__).resolve().parents[2])  # last: nothing beside the package hides a library
    command = [sys.executable, "-I", "-c", _SERVE, *dict.fromkeys((*paths, own))]
    can_block = hasattr(signal, "pthread_sigmask")  # not on Windows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else set()
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 16)
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what was not sent is lost
            pipe.close()  # type: ignore[union-attr]


def serve() -> None:
    """Run in a worker: read items from stdin and write results or errors to stdout until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    items, results = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # keeps prints out of the results
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


def _send(pipe: Any, value: Any) -> None:
    pickle.dump(value, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _receive(pipe: Any) -> Any:
    return pickle.load(pipe)
