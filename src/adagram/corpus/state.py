"""The state of reading a corpus, shared by all readers: options, report, bytes so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adagram.config import EncodeOptions
from adagram.corpus.report import Report
from adagram.errors import InputError

Progress = Callable[[str, int, int | None], None]  # stage, done, total (None when not known)


@dataclass
class Reading:
    options: EncodeOptions
    report: Report
    progress: Progress | None = None
    total: int | None = None  # bytes of all sources, None when not known
    done: int = 0
    has_text: bool = False  # some source was running text
    has_words: bool = False  # some source had words given, whose case may be folded

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
