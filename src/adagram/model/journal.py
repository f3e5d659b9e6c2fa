"""journal.txt: an editor's decisions about senses, one a line, in a file of the model folder that only grows.

    merge bank 0 2 3
    label bank#1 side of a river
    hide rock#5
    undo

`undo` takes back the last decision that still stands. Lines that start with # and empty lines are comments.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.errors import AdagramError, InputError
from adagram.files.json import open_file
from adagram.files.lock import take_lock

JOURNAL = "journal.txt"

Resolve = Callable[[str], int]  # the row of a sense that was learned, by its name


@dataclass(frozen=True)
class Decision:
    """One line: `rows` are the learned senses that it names."""

    verb: str  # merge, label or hide
    rows: tuple[int, ...]
    label: str = ""


@dataclass(frozen=True)
class WordGroups:
    """The senses of a word after some decisions; senses are counted from the word's first."""

    first: list[int]  # of each sense the first member of its group
    hidden: list[bool]
    labels: dict[int, str]  # of first members


class SenseGroups:
    """Which learned senses are merged, hidden and labelled. A decision costs as much as its word has senses."""

    def __init__(self, offsets: NDArray[np.int64]) -> None:
        self._offsets = offsets
        self.words: dict[int, WordGroups] = {}  # with a decision
        self._before: list[tuple[int, WordGroups]] = []

    def apply(self, decision: Decision) -> None:
        """Follow one more decision, or raise InputError and change nothing."""
        word = int(np.searchsorted(self._offsets, decision.rows[0], side="right")) - 1
        start, stop = int(self._offsets[word]), int(self._offsets[word + 1])
        old = self.words.get(word) or WordGroups(list(range(stop - start)), [False] * (stop - start), {})
        first, hidden, labels = list(old.first), list(old.hidden), dict(old.labels)
        heads = [first[row - start] for row in decision.rows]
        members = [i for i, head in enumerate(first) if head in heads]
        if decision.verb == "merge":
            given = [labels.pop(head) for head in dict.fromkeys(heads) if head in labels]
            is_hidden = all(hidden[i] for i in members)  # a hidden sense comes back in a merged one
            for i in members:
                first[i], hidden[i] = members[0], is_hidden
            if given:
                labels[members[0]] = given[0]
        elif decision.verb == "label":
            labels[heads[0]] = decision.label
        else:
            if all(hidden[i] for i in members):
                raise InputError("this sense is hidden already")
            for i in members:
                hidden[i] = True
            if all(hidden):
                raise InputError("the last sense of a word cannot be hidden")
        self._before.append((word, old))
        self.words[word] = WordGroups(first, hidden, labels)

    def undo(self) -> None:
        """Take back the last decision."""
        word, before = self._before.pop()
        self.words[word] = before


@dataclass
class Journal:
    """The decisions that stand, in order, and what was wrong with the lines that were refused."""

    groups: SenseGroups
    resolve: Resolve
    decisions: list[Decision] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def follow(self, line: str) -> None:
        """Follow one more line; an AdagramError says why it cannot be followed."""
        if line != "undo":
            decision = parse_decision(line, self.resolve)
            self.groups.apply(decision)
            self.decisions.append(decision)
        elif self.decisions:
            self.groups.undo()
            self.decisions.pop()
        else:
            raise InputError("there is nothing to undo")


def read_lines(path: Path) -> str:
    """Return the text of a journal, "" if there is none."""
    try:
        with open_file(path) as file:
            with suppress(OSError):  # no locks here
                take_lock(file.fileno(), wait=True, shared=True)  # no line is read that is half written
            return file.read().decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def parse_journal(text: str, path: Path, offsets: NDArray[np.int64], resolve: Resolve) -> Journal:
    """Follow all lines of a journal; one that cannot be followed is refused and the others stand."""
    journal = Journal(SenseGroups(offsets), resolve)
    for number, line in _statements(text.splitlines()):
        try:
            journal.follow(line)
        except AdagramError as error:
            journal.refused.append(f"{path} line {number} is refused: {error}")
    return journal


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


def append_line(path: Path, line: str, check: Callable[[str], object] = lambda text: None) -> None:
    """Append one line under the journal's lock, whole or not at all, and wait until the disk has it.

    `check` is called with the text so far; nothing is written if it raises.
    """
    try:
        added = (" ".join(line.split()) + "\n").encode()
    except UnicodeEncodeError:
        raise InputError("a decision must be text; this one has bytes that are not") from None
    try:
        with _locked_journal(path) as descriptor:
            before = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
            check(before.decode())
            _append(descriptor, added if before.endswith(b"\n") or not before else b"\n" + added, len(before))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not in UTF-8: {error}; repair it first") from None
    except OSError as error:
        why = "it is a link" if error.errno == errno.ELOOP else error.strerror or str(error)
        raise InputError(f"{path} cannot be written: {why}; nothing was decided") from None


@contextmanager
def _locked_journal(path: Path) -> Iterator[int]:
    """Open the journal itself, never what a link leads to, and lock it; an empty one is removed after the block."""
    while True:
        descriptor = os.open(
            path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666
        )
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            with suppress(OSError):  # no locks here
                take_lock(descriptor, wait=True)
            if not os.fstat(descriptor).st_nlink:  # removed while it was waited for
                continue
            try:
                yield descriptor
            finally:
                if os.fstat(descriptor).st_size == 0:
                    path.unlink(missing_ok=True)
            return
        finally:
            os.close(descriptor)


def _append(descriptor: int, data: bytes, size: int) -> None:
    try:
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise
