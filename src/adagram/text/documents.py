"""A piece of a corpus that knows where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Document:
    """A document, or several lines of a long one, with the fields of its record."""

    name: str  # file, and line or identifier
    text: str  # lines; contexts of words do not leave a line
    fields: Mapping[str, Any] = field(default_factory=dict)
