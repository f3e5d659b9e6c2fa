"""The value of a text column: a string, or a list of tokens or sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adagram.corpus.state import Reading
from adagram.errors import InputError


def column_text(record: Mapping[str, Any], where: str, reading: Reading) -> str:
    """The text of a record; null is counted as empty, a list of strings is joined by spaces."""
    column = reading.options.column
    value = record[column]
    if isinstance(value, str):
        return value
    if value is None:
        reading.skip("empty records")
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    raise InputError(
        f"{where}: the column {column!r} has {type(value).__name__} values, not text; name another --column"
    )
