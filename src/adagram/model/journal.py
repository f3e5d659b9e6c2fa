"""An editor's decisions about senses: lines of a small text file in the model folder that only grows.

    merge bank 0 2 3
    label bank#1 side of a river
    hide rock#5
    undo

`undo` takes back the last decision that still stands. Lines that start with # and empty lines say nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adagram.errors import AdagramError, InputError
from adagram.whole import remove_dead, write_text

JOURNAL = "journal.txt"

Resolve = Callable[[str], int]  # the row of a sense that was learned, by its name


@dataclass(frozen=True)
class Decision:
    """One line: `rows` are the learned senses that it names."""

    verb: str  # merge, label or hide
    rows: tuple[int, ...]
    label: str = ""


# Refuses decisions that cannot be followed one after the other.
Check = Callable[[Sequence[Decision]], object]


@dataclass(frozen=True)
class Journal:
    """The decisions that stand, in order, and what was wrong with the lines that were refused."""

    decisions: tuple[Decision, ...] = ()
    refused: tuple[str, ...] = ()


def read_journal(path: Path, resolve: Resolve, check: Check) -> Journal:
    """The journal of a model; a line that cannot be followed is refused and the others stand."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return Journal()
    except (OSError, UnicodeDecodeError) as error:
        return Journal(refused=(f"{path} cannot be read: {error}; no decision is followed",))
    standing: list[Decision] = []
    refused: list[str] = []
    for number, line in _statements(lines):
        try:
            standing = follow(standing, line, resolve, check)
        except AdagramError as error:
            refused.append(f"{path} line {number} is refused: {error}")
    return Journal(tuple(standing), tuple(refused))


def follow(standing: Sequence[Decision], line: str, resolve: Resolve, check: Check) -> list[Decision]:
    """The decisions that stand after one more line."""
    if line == "undo":
        if not standing:
            raise InputError("there is nothing to undo")
        return list(standing[:-1])
    more = [*standing, parse_decision(line, resolve)]
    check(more)
    return more


def parse_decision(line: str, resolve: Resolve) -> Decision:
    """A line of the journal; InputError or UnknownWordError says why it cannot be followed."""
    verb, _, rest = line.partition(" ")
    if verb == "merge":
        word, *numbers = rest.split() or [""]
        rows = tuple(dict.fromkeys(resolve(f"{word}#{number}") for number in numbers))
        if len(rows) < 2:
            raise InputError(f"'{line}' names {len(rows)} senses; merge needs a word and two or more numbers")
        return Decision(verb, rows)
    if verb == "label":
        sense, _, label = rest.strip().partition(" ")
        if not label.strip():
            raise InputError(f"'{line}' has no label; write: label WORD#K what it means")
        return Decision(verb, (resolve(sense),), label.strip())
    if verb == "hide":
        return Decision(verb, (resolve(rest.strip()),))
    raise InputError(f"'{verb}' is no decision; a line begins with merge, label, hide or undo")


def _statements(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line and not line.startswith("#"):
            yield number, line


def write_journal(
    path: Path, decisions: Sequence[Decision], names: Callable[[Sequence[int]], list[str]]
) -> None:
    """A journal of the decisions that stand; none without a decision."""
    if decisions:
        path.write_text("".join(f"{line_of(decision, names)}\n" for decision in decisions), encoding="utf-8")


def line_of(decision: Decision, names: Callable[[Sequence[int]], list[str]]) -> str:
    """A decision as a line of the journal; `names` gives those of learned senses."""
    senses = names(decision.rows)
    if decision.verb == "merge":
        word = senses[0].rpartition("#")[0]
        return " ".join(["merge", word, *(sense.rpartition("#")[2] for sense in senses)])
    return f"{decision.verb} {senses[0]} {decision.label}".rstrip()


def append_line(path: Path, line: str) -> None:
    """Add one line at the end, whole or not at all, and wait until the disk has it."""
    text = " ".join(line.split()) + "\n"
    remove_dead(path)
    if not path.exists():
        write_text(path, text)
        return
    data = text.encode("utf-8")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        if not _ends_a_line(path):
            data = b"\n" + data
        os.write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _ends_a_line(path: Path) -> bool:
    with open(path, "rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
