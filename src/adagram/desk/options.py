"""Options of the verbs that go through documents, from which the command line is made."""

from __future__ import annotations

from dataclasses import dataclass

from adagram.desk.epochs import EPOCHS, Dating
from adagram.desk.trends import TESTS, TrendOptions
from adagram.errors import InputError
from adagram.maths.frequencies import NORMALISATIONS
from adagram.options import Flag, FloatRange, IntRange, OneOf, Regex, Text, check_options, option

_DATES, _TEST = "Dates", "Testing"


@dataclass(frozen=True)
class DatingOptions:
    """Where the dates of documents are."""

    by: str | None = option(
        None,
        Text(),
        "Field with the date: of JSON lines or parquet, an attribute of <doc …>, a comment of CoNLL-U.",
        _DATES,
        unset="none",
    )
    by_pattern: str | None = option(
        None,
        Regex(),
        "Pattern in the names of files and folders; its group is the date.",
        _DATES,
        unset="none",
    )
    epoch: str = option(
        "year", OneOf(EPOCHS), "Dates are rounded to a year, month, quarter or decade.", _DATES
    )
    source: str | None = option(
        None, Text(), "Field that says who speaks, such as country.", _DATES, unset="none"
    )

    def __post_init__(self) -> None:
        check_options(self)

    def dating(self, skip_bad: bool) -> Dating:
        return Dating(self.by, self.by_pattern, self.epoch, self.source, skip_bad)


@dataclass(frozen=True)
class TestingOptions:
    """What is counted, and how it is tested."""

    normalise: str = option(
        "relative",
        OneOf(NORMALISATIONS),
        "relative: share among the word's senses; epoch: against the sense's own mean; global: against the word's.",
        _TEST,
    )
    test: str = option("mann-kendall", OneOf(tuple(TESTS)), "mann-kendall (Theil-Sen slope) or ols.", _TEST)
    min_count: float = option(100.0, FloatRange(0, 1e15), "Occurrences of a sense that is tested.", _TEST)
    min_sources: int = option(1, IntRange(1, 10**9), "Sources that it occurs in; needs --source.", _TEST)
    min_epochs: float = option(0.5, FloatRange(0, 1), "Part of the epochs in which its word occurs.", _TEST)
    hard: bool = option(False, Flag("--hard"), "Count the likeliest sense only, not posteriors.", _TEST)
    equal_sources: bool = option(
        False,
        Flag("--equal-sources"),
        "All sources of an epoch weigh the same; needs --source (reads the corpus twice).",
        _TEST,
    )
    every_sense: bool = option(
        False, Flag("--every-sense"), "List all senses of a word, not only the steepest.", _TEST
    )

    def __post_init__(self) -> None:
        check_options(self)

    def check_sources(self, dating: Dating) -> None:
        """Refuse a minimum number of sources if none are named."""
        if self.min_sources > 1 and dating.source is None:
            raise InputError(
                f"--min-sources is {self.min_sources}, but no sources are named; give their field as --source"
            )

    @property
    def options(self) -> TrendOptions:
        return TrendOptions(self.normalise, self.test, self.min_count, self.min_sources, self.min_epochs)
