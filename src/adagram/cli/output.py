"""How results look: TSV rows for people and pipes, JSON lines with --json."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines instead of TSV.")]
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
    if not as_json:
        print("\t".join(columns))
    for row in rows:
        if as_json:
            values = (None if _is_nan(value) else value for value in row)
            print(json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False))
        else:
            print("\t".join(_cell(value, number) for value in row))


def say(text: str) -> None:
    """A message to the person, not part of the result."""
    print(text, file=sys.stderr)


def _cell(value: Any, number: Callable[[float], str]) -> str:
    if isinstance(value, float):
        return "" if _is_nan(value) else number(value)
    if isinstance(value, list):
        return " ".join(str(item["sense"] if isinstance(item, dict) else item) for item in value)
    return str(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
