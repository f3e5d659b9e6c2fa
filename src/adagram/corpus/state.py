"""The state of reading a corpus, shared by all readers, and the report on it that is kept in corpus.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from adagram.config import EncodeOptions
from adagram.errors import InputError

Progress = Callable[[str, int, int | None], None]  # stage, done, total (None when not known)


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
class CorpusReport:
    """Filled while the corpus is read and encoded."""

    sources: int = 0
    tokens: int = 0  # words read
    types: int = 0  # distinct words read
    kept_tokens: int = 0
    kept_types: int = 0
    removed: dict[str, Removed] = field(default_factory=dict)  # by filter of the vocabulary
    skipped: Counter[str] = field(default_factory=Counter)  # by reason
    bad_sources: list[BadSource] = field(default_factory=list)
    replaced_utf8: int = 0  # sequences that are not UTF-8, or not of the encoding that was named
    phrases: int = 0  # words that were joined to the one before
    reading: dict[str, Any] = field(
        default_factory=dict
    )  # how the text was read, see `EncodeOptions.reading`
    uncut_runs: int = 0  # words that are runs of a script without spaces
    counts_are_lower_bounds: bool = False  # rare words were forgotten to bound memory

    @property
    def coverage(self) -> float:
        """The share of the words read that the vocabulary has."""
        read = self.tokens - self.phrases  # a phrase is one word made of two
        return self.kept_tokens / read if read else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "skipped": dict(self.skipped), "coverage": self.coverage}


@dataclass
class ReadState:
    """What every reader is told and tells: options, report, bytes so far."""

    options: EncodeOptions
    report: CorpusReport
    progress: Progress | None = None
    total: int | None = None  # bytes of all sources, None when not known
    done: int = 0
    has_text: bool = False  # some source was running text
    has_words: bool = False  # some source had words given, whose case may be folded
    usual_format: str = "text"  # of files whose name and content do not say it
    is_live: bool = False  # blocks of text are given away as they come, however small
    needs_fields: bool = False  # columns beside the text are read
    is_over: Callable[[], bool] | None = None  # asked before more is waited for: the user may end a stream

    def __post_init__(self) -> None:
        self.report.reading = self.options.reading

    def advance(self, n_bytes: int) -> None:
        self.done += n_bytes
        if self.progress:
            self.progress("reading", self.done, self.total)

    def skip(self, reason: str, n: int = 1) -> None:
        """Count what is left out by design."""
        self.report.skipped[reason] += n

    def bad_line(self, name: str, number: int, what: str) -> None:
        """A line that cannot be read: counted with skip_bad, an error otherwise."""
        if not self.options.skip_bad:
            raise InputError(f"{name} line {number}: {what}; repair it or give --skip-bad")
        self.skip("bad lines")
