"""JSON lines with the text in one column."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from adagram.corpus.blocks import join_blocks
from adagram.corpus.readers.values import column_text
from adagram.corpus.state import Reading

MAX_LINE = 1 << 28  # a line of more than 256 MB is not one record


def read_jsonl(stream: BinaryIO, name: str, reading: Reading) -> Iterator[bytes]:
    """The text of every record."""
    return join_blocks(_texts(stream, name, reading))


def _texts(stream: BinaryIO, name: str, reading: Reading) -> Iterator[str]:
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        if not line.strip():
            continue
        record = _parse(line, name, number, reading)
        if record is not None:
            yield column_text(record, f"{name} line {number}", reading)


def _parse(line: bytes, name: str, number: int, reading: Reading) -> dict[str, Any] | None:
    column = reading.options.column
    try:
        record = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        reading.bad_line(name, number, f"this is not a JSON record: {line[:40]!r}")
        return None
    if not isinstance(record, dict):
        reading.bad_line(name, number, f"expected a JSON object with the column {column!r}")
        return None
    if column not in record:
        found = ", ".join(sorted(record)[:8]) or "none"
        reading.bad_line(name, number, f"there is no column {column!r}; columns are: {found}")
        return None
    return record
