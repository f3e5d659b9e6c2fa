"""Call one function for each run of pages of a dump on several cores, results in order, few runs in memory."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from adagram.errors import AdagramError
from adagram.ordered import in_order
from adagram.wwsi.dump import Dump, PageRun

Result = TypeVar("Result")
Work = Callable[[PageRun], Result]
OnProgress = Callable[[str, int, int | None], None]  # name of the pass, bytes of the dumps done, their total

_work: Work[Any] | None = None  # this worker process's function


@dataclass(frozen=True)
class DumpReader:
    """The dumps of a run, the processes to read them with, and whom to tell how far they are."""

    dumps: tuple[Dump, ...]
    threads: int = 1
    on_progress: OnProgress | None = None

    def map(self, stage: str, make_work: Callable[[], Work[Result]]) -> Iterator[Result]:
        """The results of one pass over all runs of all dumps, in order."""
        done, total = 0, sum(dump.n_bytes for dump in self.dumps)
        tell = self.on_progress or _tell_nobody
        tell(stage, done, total)
        runs = (run for dump in self.dumps for run in dump.page_runs())
        for n_bytes, result in map_runs(runs, make_work, self.threads):
            yield result
            done += n_bytes
            tell(stage, done, total)
        tell(stage, total, total)  # what is no page, such as the header, is done as well


def _tell_nobody(stage: str, done: int, total: int | None) -> None:
    pass


def map_runs(
    runs: Iterable[PageRun], make_work: Callable[[], Work[Result]], threads: int
) -> Iterator[tuple[int, Result]]:
    """Bytes and result of each run of pages; `make_work` is called once per process, to build its state there."""
    if threads == 1:
        work = make_work()
        for run in runs:
            yield run.n_bytes, work(run)
        return
    # Not fork: the caller may have threads. The workers get the function's recipe, not its state.
    context = multiprocessing.get_context("spawn")
    pool = WorkerPool(threads, context, initializer=_start_worker, initargs=(make_work,))
    try:
        yield from in_order(pool, _run, runs, ahead=2 * threads)
    except BrokenProcessPool as error:
        raise AdagramError(
            "a worker process ended unexpectedly, perhaps for want of memory; run again with --threads 1"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class WorkerPool(ProcessPoolExecutor):
    """Processes that leave Ctrl-C to their parent, from their first moment on."""

    def submit(self, *call: Any, **values: Any) -> Future[Any]:
        with _ctrl_c_blocked():  # a call may start a worker, which inherits this
            return super().submit(*call, **values)


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Ctrl-C goes to all processes of a terminal, but is the parent's to handle; it waits until the block ends."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(make_work: Callable[[], Work[Any]]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _work = make_work()


def _end_with_parent() -> None:
    """A killed parent cannot tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _run(run: PageRun) -> tuple[int, Any]:
    assert _work is not None
    return run.n_bytes, _work(run)
