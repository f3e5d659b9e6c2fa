"""How results look: a table on a terminal, TSV through a pipe, JSON lines with --json."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import typer

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines instead of a table.")]
ToldAsJson = Annotated[bool, typer.Option("--json", help="Tell what was written as a line of JSON.")]
OverwriteOption = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace an older output of the same kind, which stays until the new one is complete.",
    ),
]


def rounded(value: float, digits: int = 4) -> str:
    """Some digits of a number; large numbers whole."""
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"


def show(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    as_json: bool,
    number: Callable[[float], str] = rounded,
) -> None:
    """Print a table; `number` spells numbers for people, in JSON they are whole; not-a-number is an empty cell."""
    if not as_json and sys.stdout.isatty():
        _show_table(columns, rows)
        return
    if as_json:
        for row in rows:
            show_json(zip(columns, row, strict=True))
        return
    print("\t".join(columns))
    show_lines(rows, number)


def show_lines(rows: Iterable[Sequence[Any]], number: Callable[[float], str] = rounded) -> None:
    """Print rows of a table whose heading has been printed."""
    for row in rows:
        print("\t".join(_cell(value, number) for value in row))


def printable(text: str) -> str:
    r"""The text with escapes for control characters, which a terminal would obey, and for bytes that are not UTF-8.

    >>> printable("bank\x1b[2J")
    'bank\\x1b[2J'
    """
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def show_json(facts: Iterable[tuple[str, Any]]) -> None:
    """Print a line of JSON; not-a-number is null, a path its name."""
    whole = {name: None if _is_nan(value) else value for name, value in facts}
    line = json.dumps(whole, ensure_ascii=False, default=str)
    print(_UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", line))


def _show_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    lines = [list(row) for row in rows]
    for i, name in enumerate(columns):
        is_number = bool(lines) and all(isinstance(line[i], int | float) for line in lines)
        style = "cyan" if i == 0 else None
        table.add_column(Text(name), justify="right" if is_number else "left", style=style)
    for line in lines:
        table.add_row(*(Text(_cell(value, plain)) for value in line))
    Console().print(table)


def plain(value: float) -> str:
    """A number as people read it: no exponent, three decimals at most.

    >>> plain(2.017e-06), plain(0.25), plain(12345.6)
    ('0.000', '0.250', '12,346')
    """
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


def as_options(sentence: str) -> str:
    """Spell the switches that a message names as on the command line.

    >>> as_options("model is a model already; give overwrite=True to replace it")
    'model is a model already; give --overwrite to replace it'
    """
    return re.sub(r"\b(overwrite|resume|raw|pretokenized)=True\b", r"--\1", sentence)


def say(text: str) -> None:
    """Print a message on stderr, with switches spelled as on the command line."""
    print("\n".join(map(printable, as_options(text).split("\n"))), file=sys.stderr)


def tell(as_json: bool, sentence: str, **facts: Any) -> None:
    """What a verb that writes files has done: a sentence for people; the facts on stdout where JSON is asked for."""
    say(sentence)
    if as_json:
        show_json(facts.items())


def _cell(value: Any, number: Callable[[float], str]) -> str:
    if isinstance(value, float):
        return "" if _is_nan(value) else number(value)
    if isinstance(value, list):
        value = " ".join(str(item["sense"] if isinstance(item, dict) else item) for item in value)
    return printable(str(value))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
