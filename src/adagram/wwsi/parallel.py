"""Call one function for each run of pages of a dump on several cores, results in order, few runs in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from adagram.corpus.parallel import map_in_processes
from adagram.wwsi.dump import Dump, PageRun

Result = TypeVar("Result")
Work = Callable[[PageRun], Result]
OnProgress = Callable[[str, int, int | None], None]  # name of the pass, bytes of the dumps done, their total


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
    make_sized = partial(_SizedWork, make_work)
    return map(make_sized(), runs) if threads == 1 else map_in_processes(make_sized, runs, threads)


class _SizedWork:
    """A result with the bytes that it took."""

    def __init__(self, make_work: Callable[[], Work[Any]]) -> None:
        self._work = make_work()

    def __call__(self, run: PageRun) -> tuple[int, Any]:
        return run.n_bytes, self._work(run)
