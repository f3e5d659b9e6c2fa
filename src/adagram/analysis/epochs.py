"""Dates of documents, and the epochs that they fall into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from reprlib import repr as brief  # of any depth and length
from typing import Any, NamedTuple

from adagram.corpus.documents import Document
from adagram.errors import InputError
from adagram.options import OneOf, Regex, Text, check_options, option

EPOCHS = ("year", "month", "quarter", "decade")
_DATE = re.compile(
    r"""\s* (?P<year>\d{4})
    (?: (?P<separator>[-/.]?) (?P<month>0[1-9]|1[0-2]|[1-9](?!\d)) (?: (?P=separator) \d{1,2} )?
      | (?: [-/.]? 0+ )+ )?                 # a month and day that are not known, or the float 1999.0
    (?!\d) (?P<decade>s\b)?
    (?! s\b | \s* (?: [-–—/.]+ | to ) \s* \d )  # a range such as 1946-1970 is not a date
    """,
    re.VERBOSE,
)


class Epoch(NamedTuple):
    """A period of time; `time` is its start in years, by which epochs are ordered."""

    time: float
    name: str


def parse_epoch(value: Any, unit: str = "year") -> Epoch | None:
    """Return the epoch of a date such as 1999, '1999', '1999-05-03' or '1999/05'; None if it is not such a date.

    >>> parse_epoch("1999-05-03").name, parse_epoch("1999-05-03", "quarter").name, parse_epoch(1999, "decade").name
    ('1999', '1999-Q2', '1990s')
    >>> parse_epoch("last year"), parse_epoch("1999", "month"), parse_epoch("1946-1970"), parse_epoch("1990s")
    (None, None, None, None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, date):
        value = value.isoformat()
    found = _DATE.match(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if not found:
        return None
    year, month = int(found["year"]), int(found["month"] or 0)
    if unit == "decade":
        return Epoch(year // 10 * 10.0, f"{year // 10 * 10}s")
    if found["decade"]:
        return None
    if unit == "year":
        return Epoch(float(year), f"{year:04d}")
    if not month:
        return None
    if unit == "month":
        return Epoch(year + (month - 1) / 12, f"{year:04d}-{month:02d}")
    quarter = (month + 2) // 3
    return Epoch(year + (quarter - 1) / 4, f"{year:04d}-Q{quarter}")


_optional = partial(option, None, panel="Dates", unset="none")


@dataclass
class Dating:
    """Options of where the dates and sources of documents are; finds them, and counts documents without one."""

    by: str | None = _optional(
        Text(), "Field with the date: of JSON lines or parquet, an attribute of <doc …>, a comment of CoNLL-U."
    )
    by_pattern: str | None = _optional(Regex(), "Pattern in the names of files and folders; its group is the date.")
    epoch: str = option("year", OneOf(EPOCHS), "Dates are rounded to a year, month, quarter or decade.", "Dates")
    source: str | None = _optional(Text(), "Field that says who speaks, such as country.")
    skip_bad: bool = False
    bad: dict[str, tuple[int, str]] = field(default_factory=dict)  # reason -> how many documents, and the first

    def __post_init__(self) -> None:
        check_options(self)
        if (self.by is None) == (self.by_pattern is None):
            raise InputError("say where the dates are: --by FIELD, or --by-pattern REGEX for file names")
        self._regex = re.compile(self.by_pattern) if self.by_pattern is not None else None

    def epoch_of(self, document: Document) -> Epoch | None:
        """The epoch of a document; without a date raise InputError, or with skip_bad count it and return None."""
        if self._regex is not None:
            found = self._regex.search(document.name)
            value: Any = found and found[bool(self._regex.groups)]
            if found is None:
                self._refuse(document, "name", f"its name does not match {self.by_pattern!r}")
        else:
            value = self._field(document, str(self.by))
        epoch = parse_epoch(value, self.epoch)
        if epoch is None and value is not None:
            wanted = "1999-05" if self.epoch in ("month", "quarter") else "1999 or 1999-05-03"
            self._refuse(document, "date", f"{brief(value)} is not a date such as {wanted}")
        return epoch

    def source_of(self, document: Document) -> str | None:
        if self.source is None:
            return ""
        value = self._field(document, self.source)
        return None if value is None else str(value)

    def _field(self, document: Document, name: str) -> Any:
        value = document.fields.get(name)
        if value is None:
            self._refuse(document, name, missing_field(document, name))
        return value

    def _refuse(self, document: Document, kind: str, what: str) -> None:
        if not self.skip_bad:
            raise InputError(f"{document.name}: {what}; repair it or give --skip-bad")
        n, first = self.bad.get(kind, (0, f"{document.name}: {what}"))
        self.bad[kind] = n + 1, first

    def report(self) -> Iterator[str]:
        """For each reason, how many documents were left out, and the first of them."""
        for n, first in self.bad.values():
            yield f"left out {n:,} document{'s' if n > 1 else ''}; the first is {first}"

    def nothing_left(self) -> InputError:
        """The error to raise if all documents were left out."""
        reasons = "; ".join(self.report()) or "see what --by names"
        return InputError(f"no document of the corpus can be placed in time: {reasons}")


def missing_field(document: Document, name: str) -> str:
    """Return a sentence on what a document has instead of a field."""
    if name in document.fields:
        return f"its field '{name}' is empty"
    if not document.fields:
        return f"there is no field '{name}'; it has no fields; dates in file names need --by-pattern"
    known = ", ".join(sorted(map(str, document.fields))[:8])
    return f"there is no field '{name}'; its fields are {known}"
