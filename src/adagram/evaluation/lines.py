"""Read data-set files line by line, with errors that name the file, the line and the reason."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from adagram.corpus.decode import STDIN, open_bytes
from adagram.errors import InputError

MAX_DIGITS = 18  # of a count: below 2^63


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number, line without its end) of a file, compressed or not; bytes that are not UTF-8 are replaced.

    Lines end at line feeds only: contexts may contain the other characters that str.splitlines cuts at.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file is needed here")
    if str(path) == STDIN:
        yield from enumerate(_stdin_lines(), 1)
        return
    with open_bytes(path) as stream:
        for number, line in enumerate(_decoded(stream), 1):
            yield number, line.rstrip("\r\n")


@cache
def _stdin_lines() -> list[str]:
    """Cached, since a data set is read twice: once for its form, once for its content."""
    with open_bytes(STDIN) as stream:
        return [line.rstrip("\r\n") for line in _decoded(stream)]


def _decoded(stream: io.BufferedReader) -> io.TextIOWrapper:
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="\n")


def table_rows(
    path: Path, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """(number, cells by column) of the rows of a tab-separated file with a header; columns in any order, no quoting."""
    lines = numbered_lines(path)
    names = next(lines, (1, ""))[1].split("\t")
    missing = [name for name in required if name not in names]
    if missing:
        expected = " ".join([*required, *optional])
        raise bad_line(path, 1, f"the header lacks the column {missing[0]}; expected {expected}")
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(names):
            raise bad_line(path, number, f"expected {len(names)} tab-separated cells, found {len(cells)}")
        yield number, dict(zip(names, cells, strict=True))


def split_line(line: str, path: Path, number: int, n: int, expected: str, separator: str | None = "\t") -> list[str]:
    """Split a line into n cells (None: at blanks); `expected` names them in the error."""
    cells = line.split(separator)
    if len(cells) != n:
        raise bad_line(path, number, f"expected {expected}, found {line[:60]!r}")
    return cells


def bad_line(path: Path, number: int, reason: str) -> InputError:
    return InputError(f"{path} line {number}: {reason}")


def parse_number(text: str, path: Path, number: int, what: str) -> float:
    """Parse a finite number; `what` names it in the error."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise bad_line(path, number, f"{what} should be a number, found {text[:40]!r}")
    return value


def parse_count(text: str, path: Path, number: int, what: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > MAX_DIGITS:
        raise bad_line(path, number, f"{what} should be a whole number, found {text[:40]!r}")
    return int(text)
