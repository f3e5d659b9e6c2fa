"""How results look: TSV rows for people and pipes, JSON lines with --json."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines instead of TSV.")]


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], as_json: bool, digits: int = 4) -> None:
    """Print a table; numbers are rounded to some digits for people and whole in JSON."""
    if not as_json:
        print("\t".join(columns))
    for row in rows:
        if as_json:
            print(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False))
        else:
            print("\t".join(_cell(value, digits) for value in row))


def say(text: str) -> None:
    """A message to the person, not part of the result."""
    print(text, file=sys.stderr)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"
    if isinstance(value, list):
        return " ".join(str(item["sense"] if isinstance(item, dict) else item) for item in value)
    return str(value)
