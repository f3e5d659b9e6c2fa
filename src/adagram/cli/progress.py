"""A progress bar on stderr for work that reports stage, done and total; only where stderr is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from adagram.kernels.jit import when_compiling

if TYPE_CHECKING:
    from adagram.training.progress import Progress as TrainingProgress

PLAIN_SECONDS = 15.0  # between two progress lines where stderr is not a terminal


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int | None], None] | None]:
    """A function that shows progress with the time left, or None when nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield show


@contextmanager
def training_progress(objective: str = "bound") -> Iterator[Callable[[TrainingProgress], None]]:
    """A line on stderr that follows the training: in place on a terminal, now and then in a log file."""
    is_terminal = sys.stderr.isatty()
    last = time.monotonic()
    is_first = True

    def show(progress: TrainingProgress) -> None:
        nonlocal last, is_first
        is_last = progress.is_last
        line = first_line(progress) if is_first and not is_last else training_line(progress, objective)
        is_first = is_last  # another training may follow, with kernels of its own
        if is_terminal:
            print("\r\x1b[K" + line, end="", file=sys.stderr, flush=True)
        elif is_last or time.monotonic() - last > PLAIN_SECONDS:
            print(line, file=sys.stderr, flush=True)
            last = time.monotonic()

    try:
        with says_when_compiling():
            yield show
    finally:
        if is_terminal:
            print(file=sys.stderr)


def first_line(progress: TrainingProgress) -> str:
    """The first report: its words may have taken the time of compiling too, so a speed would say nothing."""
    return f"{progress.how_far}  speed {'and time left follow' if progress.total else 'follows'}"


@contextmanager
def says_when_compiling() -> Iterator[None]:
    """One line on stderr when kernels have to be compiled, which they are once; from the cache they come silently."""
    with when_compiling(
        lambda: print("compiling; the next run will find it done", file=sys.stderr, flush=True)
    ):
        yield


def training_line(progress: TrainingProgress, objective: str = "bound") -> str:
    return (
        f"{progress.how_far}  {progress.words_per_second / 1000:.0f} k words/s  "
        f"ETA {progress.time_left}  {objective} {progress.objective:.3f}  {progress.live_senses:.2f} senses/word  "
        f"rate {progress.rate:.4f}"
    )
