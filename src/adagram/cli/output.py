"""Output of verbs: tables (TSV in a pipe, JSON lines with --json) on stdout, messages and progress on stderr."""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from adagram.kernels.jit import is_compiled

if TYPE_CHECKING:
    from adagram.api import Report
    from adagram.training.progress import Progress as TrainingProgress
    from adagram.types import ReportStage, StageProgress

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_GAP = 2  # between columns on a terminal
_LEAST = 20  # characters of a column of text there
_WHOLE = ("left", "right")  # columns of text that are not broken into lines there
PLAIN_SECONDS = 15.0  # between two progress lines if stderr is not a terminal


def rounded(value: float, digits: int = 4) -> str:
    """Return some digits of a number; large numbers are whole."""
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"


def plain(value: float) -> str:
    """Return a number without an exponent, with at most three decimals.

    >>> plain(2.017e-06), plain(0.25), plain(12345.6)
    ('0.000', '0.250', '12,346')
    """
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


_FORMS: dict[str, Callable[[float], str]] = {  # of numbers by column, on a terminal
    "p": "{:.1e}".format,
    "q": "{:.1e}".format,
    "slope": "{:+.4f}".format,
}


def print_table(
    columns: str | Sequence[str],
    rows: Iterable[Sequence[Any]],
    as_json: bool,
    number: Callable[[float], str] | None = None,
    wide: bool | None = None,
    first: str | Sequence[str] = "",
) -> None:
    """Print a table with the columns "word count …"; not-a-number is an empty cell.

    `number` formats numbers; by default they have four digits in TSV and three decimals on a terminal. There, columns
    that do not fit are left out, the last ones first; those in `first` are the most important. With `wide`, or if that
    is None, all are printed.
    """
    columns, first = (names.split() if isinstance(names, str) else names for names in (columns, first))
    if as_json:
        for row in rows:
            print_json(zip(columns, row, strict=True))
    elif sys.stdout.isatty():
        _print_for_terminal(columns, rows, number or plain, wide, first)
    else:
        print("\t".join(columns))
        print_rows(rows, number or rounded)


def print_rows(rows: Iterable[Sequence[Any]], number: Callable[[float], str] = rounded) -> None:
    """Print rows of a table whose heading has been printed."""
    for row in rows:
        print("\t".join(_cell(value, number) for value in row))


def print_json(facts: Iterable[tuple[str, Any]]) -> None:
    """Print a line of JSON; not-a-number is null, a path its name."""
    whole = {name: None if _is_nan(value) else value for name, value in facts}
    is_unicode = "utf" in (sys.stdout.encoding or "utf").lower()
    line = json.dumps(whole, ensure_ascii=not is_unicode, default=str)
    print(_UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", line))


def _print_for_terminal(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    number: Callable[[float], str],
    wide: bool | None,
    first: Sequence[str],
) -> None:
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = [list(row) for row in rows]
    cells = [[_cell(value, _FORMS.get(columns[i], number)) for i, value in enumerate(line)] for line in lines]
    widths = [max(map(cell_len, [name, *(line[i] for line in cells)])) for i, name in enumerate(columns)]
    console = Console(width=sum(widths) + _GAP * len(widths), height=25) if wide else Console()
    least = list(widths)
    for i, name in enumerate(columns):  # text can be broken into lines; a name or a number cannot
        if name not in _WHOLE and any(" " in line[i] for line in cells):
            least[i] = min(widths[i], max(_LEAST, len(name)))
    ranked = [columns.index(name) for name in first if name in columns]
    ranked += [i for i in range(len(columns)) if i not in ranked]
    shown = list(range(len(columns))) if wide is None else sorted(fitting(least, ranked, console.width))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for i in shown:
        is_number = bool(lines) and all(isinstance(line[i], int | float) for line in lines)
        table.add_column(
            Text(columns[i]),
            justify="right" if is_number else "left",
            style="cyan" if i == 0 else None,
            overflow="fold",
            min_width=least[i],
        )
    for line in cells:
        table.add_row(*(Text(line[i]) for i in shown))
    console.print(table, soft_wrap=bool(wide))
    left_out = [name for i, name in enumerate(columns) if i not in shown]
    if left_out:
        log(f"not shown for want of room: {', '.join(left_out)}; --wide shows all columns")


def fitting(widths: Sequence[int], ranked: Sequence[int], room: int) -> list[int]:
    """Return the columns that fit side by side, the first in rank first.

    >>> fitting([10, 30, 20, 5], [0, 2, 1, 3], 40)
    [0, 2, 3]
    """
    shown: list[int] = []
    for i in ranked:
        if not shown or sum(widths[j] + _GAP for j in shown) + widths[i] <= room:
            shown.append(i)
    return shown


def _cell(value: Any, number: Callable[[float], str]) -> str:
    if isinstance(value, float):
        return "" if _is_nan(value) else number(value)
    if isinstance(value, list):
        value = " ".join(str(item["sense"] if isinstance(item, dict) else item) for item in value)
    return printable(str(value))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def printable(text: str) -> str:
    r"""Escape control characters, which a terminal would obey, and bytes that are not UTF-8.

    >>> printable("bank\x1b[2J")
    'bank\\x1b[2J'
    """
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def as_options(sentence: str) -> str:
    """Spell the options that a message names as on the command line.

    >>> as_options("model is a model already; give overwrite=True to replace it")
    'model is a model already; give --overwrite to replace it'
    """
    sentence = sentence.replace("ray=True", "--ray local")
    return re.sub(r"\b(overwrite|resume|raw|pretokenized)=True\b", r"--\1", sentence)


def log(text: str) -> None:
    """Print a message on stderr, with options spelled as on the command line."""
    _write("\n".join(map(printable, as_options(text).split("\n"))) + "\n")


def _write(text: str) -> None:
    with suppress(OSError):  # stderr is full or gone; the work goes on
        print(text, end="", file=sys.stderr, flush=True)


def report(as_json: bool, sentence: str, **facts: Any) -> None:
    """Report what was written: a sentence on stderr, and with --json the facts on stdout."""
    log(sentence)
    if as_json:
        print_json(facts.items())


@contextmanager
def progress_bar() -> Iterator[ReportStage | None]:
    """Yield a function that draws the progress of a stage, or None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}

        def draw(progress: StageProgress) -> None:
            if progress.stage not in tasks:
                tasks[progress.stage] = bar.add_task(progress.stage, total=progress.total)
            bar.update(tasks[progress.stage], completed=progress.done, total=progress.total)

        yield draw


@contextmanager
def training_progress() -> Iterator[Callable[[TrainingProgress], None]]:
    """Yield a function that prints the progress of a training: in place on a terminal, else a line now and then."""
    from adagram.api import training_line

    is_terminal = sys.stderr.isatty()
    last, is_first = time.monotonic(), True

    def show(progress: TrainingProgress) -> None:
        nonlocal last, is_first
        if is_terminal:  # the time of the first line may include that of compiling, so it shows no speed
            line = progress.how_far if is_first and not progress.is_last else training_line(progress)
            _write("\r\x1b[K" + line)
        elif progress.is_last or time.monotonic() - last > PLAIN_SECONDS:
            _write(training_line(progress) + "\n")
            last = time.monotonic()
        is_first = progress.is_last  # another training may follow

    if not is_compiled("train_span"):
        log("compiling once, for some seconds; the next run will find it done")
    try:
        yield show
    finally:
        if is_terminal:
            _write("\n")


@contextmanager
def run_progress() -> Iterator[Report]:
    """Yield a report for `adagram.train`: a bar while the corpus is read, then the line of the training."""
    from adagram.types import StageProgress

    with progress_bar() as draw, training_progress() as show:

        def both(progress: TrainingProgress | StageProgress) -> None:
            if not isinstance(progress, StageProgress):
                show(progress)
            elif draw:
                draw(progress)

        yield both
