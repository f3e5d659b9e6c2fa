"""What was read and what was not: the report kept in corpus.json."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Removed:
    """What one filter of the vocabulary took away."""

    types: int
    tokens: int


@dataclass
class BadSource:
    """A file that could not be read to its end, and why."""

    name: str
    reason: str


@dataclass
class Report:
    """Filled while the corpus is read and encoded."""

    sources: int = 0
    tokens: int = 0  # words read
    types: int = 0  # distinct words read
    kept_tokens: int = 0
    kept_types: int = 0
    removed: dict[str, Removed] = field(default_factory=dict)  # by filter of the vocabulary
    skipped: Counter[str] = field(default_factory=Counter)  # by reason
    bad_sources: list[BadSource] = field(default_factory=list)
    replaced_utf8: int = 0  # invalid UTF-8 sequences
    phrases: int = 0  # words that were joined to the one before
    counts_are_lower_bounds: bool = False  # rare words were forgotten to bound memory

    @property
    def coverage(self) -> float:
        """The share of the words read that the vocabulary has."""
        read = self.tokens - self.phrases  # a phrase is one word made of two
        return self.kept_tokens / read if read else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "skipped": dict(self.skipped), "coverage": self.coverage}
