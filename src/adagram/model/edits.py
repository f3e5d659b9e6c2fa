"""journal.txt: an editor's decisions about senses, one per line, and the senses that they leave.

    merge bank 0 2 3
    label bank#1 side of a river
    hide rock#5
    undo

The journal only grows. `undo` takes back the last decision that still stands. Empty lines and lines that start with #
are comments.

Vectors are never rewritten. A merged sense has the sum of its members' priors, counts and posteriors, and the
count-weighted mean of their vectors; it has the number of its first member. A hidden sense is treated as one that was
not learned: the priors and posteriors of the others are those given that it is not meant. A coarser resolution merges
the senses that the decisions leave, so decisions hold at every level.
"""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import AdagramError, InputError
from adagram.files.atomic import take_lock
from adagram.model.arguments import checked_text
from adagram.model.compact import MadeArrays
from adagram.model.display import renew_card
from adagram.model.resolution import Level
from adagram.model.storage import CARD, JOURNAL, check_writable, read_journal
from adagram.types import I64, ArrayMap, Arrays, Floats

if TYPE_CHECKING:
    from adagram.model.model import Model

Resolve = Callable[[str], int]  # the row of a learned sense, by its name
_UNLIKELY = 1e-300  # the prior of a hidden sense: its logarithm exists, its posterior is nothing


@dataclass(frozen=True)
class Decision:
    """One line: `rows` are the learned senses that it names."""

    verb: str  # merge, label or hide
    rows: tuple[int, ...]
    label: str = ""


class Journal:
    """The decisions that stand, in order: which learned senses are merged, hidden and labelled.

    A decision costs as much as its word has senses.
    """

    def __init__(self, offsets: I64, decisions: Sequence[Decision] = ()) -> None:
        self._offsets = offsets
        self.first: I64 = np.arange(int(offsets[-1]))  # of each sense the first member of its group
        self.hidden = np.zeros(len(self.first), bool)
        self.labels: dict[int, str] = {}  # of first members
        self.decisions: list[Decision] = []
        self.refused: list[str] = []  # what was wrong with the lines that could not be followed
        self._before: list[tuple[slice, I64, NDArray[np.bool_], dict[int, str]]] = []
        for decision in decisions:
            self.apply(decision)

    def follow(self, line: str, resolve: Resolve) -> None:
        """Follow one more line; an AdagramError says why it cannot be followed."""
        if line != "undo":
            self.apply(parse_decision(line, resolve))
        elif not self.decisions:
            raise InputError("there is nothing to undo")
        else:
            self.decisions.pop()
            of_word, self.first[of_word], self.hidden[of_word], labels = self._before.pop()
            for row in range(of_word.start, of_word.stop):
                self.labels.pop(row, None)
            self.labels |= labels

    def apply(self, decision: Decision) -> None:
        """Follow one more decision, or raise InputError and change nothing."""
        w = int(np.searchsorted(self._offsets, decision.rows[0], side="right")) - 1
        of_word = slice(int(self._offsets[w]), int(self._offsets[w + 1]))
        heads = self.first[list(decision.rows)].tolist()
        members = of_word.start + np.flatnonzero(np.isin(self.first[of_word], heads))
        is_hidden = bool(self.hidden[members].all())  # a hidden sense comes back in a merged one
        if decision.verb == "hide" and is_hidden:
            raise InputError("this sense is hidden already")
        if decision.verb == "hide" and np.isin(np.flatnonzero(~self.hidden[of_word]) + of_word.start, members).all():
            raise InputError("the last sense of a word cannot be hidden")
        labels = {row: self.labels[row] for row in range(of_word.start, of_word.stop) if row in self.labels}
        self._before.append((of_word, self.first[of_word].copy(), self.hidden[of_word].copy(), labels))
        self.decisions.append(decision)
        if decision.verb == "label":
            self.labels[heads[0]] = decision.label
        elif decision.verb == "hide":
            self.hidden[members] = True
        else:
            given = [self.labels.pop(head) for head in dict.fromkeys(heads) if head in self.labels]
            self.first[members], self.hidden[members] = members[0], is_hidden
            self.labels |= {int(members[0]): label for label in given[:1]}


def parse_decision(line: str, resolve: Resolve) -> Decision:
    """Parse a line of the journal; InputError or UnknownWordError says why it cannot be followed."""
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


def line_of(decision: Decision, names: Callable[[Sequence[int]], list[str]]) -> str:
    """Return a decision as a line of the journal; `names` gives those of learned senses."""
    senses = names(decision.rows)
    if decision.verb == "merge":
        word = senses[0].rpartition("#")[0]
        return " ".join(["merge", word, *(sense.rpartition("#")[2] for sense in senses)])
    return f"{decision.verb} {senses[0]} {decision.label}".rstrip()


def decisions_of(model: Model, other: Model) -> list[Decision]:
    """Return the decisions about a model as those about another with senses of the same names, if it has the word."""
    named = [(decision, model._learned.names(decision.rows)) for decision in model.decisions]
    return [replace(each, rows=tuple(map(other.row, names))) for each, names in named if names[0] in other]


def append_line(path: Path, line: str, check: Callable[[str], object] = lambda text: None) -> None:
    """Append one line to a journal under its lock, whole or not at all, and wait until the disk has it.

    `check` is called with the text so far; nothing is written if it raises.
    """
    try:
        added = (" ".join(line.split()) + "\n").encode()
    except UnicodeEncodeError:
        raise InputError("a decision must be text; this one has bytes that are not") from None
    try:  # the journal itself, never what a link leads to
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        try:
            with suppress(OSError):  # a file system without locks
                take_lock(descriptor, wait=True)
            before = read_journal(path.parent)
            check(before)
            _write(descriptor, added if before.endswith("\n") or not before else b"\n" + added)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}; nothing was decided") from None


def _write(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    try:
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise


def journal_of(model: Model, text: str) -> Journal:
    """Follow the lines of a journal about a model; one that cannot be followed is refused, and the others stand."""
    path = (model.folder or Path()) / JOURNAL
    journal, resolve = Journal(model.learned_arrays["offsets"]), model._learned.row
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        try:
            journal.follow(line, resolve)
        except AdagramError as error:
            journal.refused.append(f"{path} line {number} is refused: {error}")
    return journal


def refreshed(model: Model) -> Model:
    """Return the model with the journal as it is now: another process may have added decisions."""
    text = model._read(read_journal)
    return model if text is None else model._changed(decisions=journal_of(model, text).decisions)


def decide(model: Model, line: str) -> Model:
    """Add a decision to the journal of the model folder, see `Model.decide`."""
    check_writable(model)
    assert model.place is not None
    place, path = model.place, model.place.folder / JOURNAL
    line = " ".join(checked_text(line, "line", "a decision (str)").split())
    decisions = list[Decision]()

    def check(text: str) -> None:
        """Follow the line after the decisions as they are now, under the journal's lock."""
        place.check()
        journal = journal_of(model, text)
        if line == "undo" and journal.decisions[-1:] != list(model.decisions[-1:]):
            raise InputError("another decision was taken meanwhile; look again before you undo it")
        journal.follow(line, model._learned.row)
        decisions[:] = journal.decisions

    append_line(path, line, check)
    place.check()
    decided = model._changed(decisions=decisions)
    try:
        if decided.sheet:
            renew_card(decided, place.folder / CARD)
    except (OSError, InputError) as error:
        warnings.warn(f"the decision is kept, but the model card was not renewed: {error}", stacklevel=3)
    return decided


# -- the senses that decisions leave


class Curation:
    """From the learned senses (`offsets` as in the model's file) to the senses that are shown."""

    def __init__(self, offsets: I64, decisions: Sequence[Decision], level: Level | None = None) -> None:
        journal = Journal(offsets, decisions)
        first, hidden, labels = journal.first, journal.hidden, journal.labels
        if level:
            first = _merged(first, hidden, level.tree.first(level.threshold))
            labels = {int(first[head]): labels[head] for head in sorted(labels, reverse=True)}
        words = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))  # of learned senses
        shown = np.flatnonzero((first == np.arange(len(first))) & ~hidden[first])  # first members
        place = np.full(len(first), -1)
        place[shown] = np.arange(len(shown))
        self.row_of: I64 = np.where(hidden, -1, place[first])  # shown row of each learned one, -1 if hidden
        self.numbers: I64 = shown - offsets[words[shown]]  # the k of word#k
        self.offsets: I64 = np.append(0, np.cumsum(np.bincount(words[shown], minlength=len(offsets) - 1)))
        self.labels = {int(place[f]): label for f, label in labels.items() if place[f] >= 0}
        self.learned_offsets = offsets
        sizes = np.bincount(self.row_of[self.row_of >= 0], minlength=len(shown))
        self.merged: I64 = np.flatnonzero(sizes > 1)

    def members(self, row: int) -> I64:
        """Return the learned senses that a shown one consists of."""
        return np.flatnonzero(self.row_of == row)

    def total(self, values: Floats) -> Floats:
        """Return the sum over the members of each shown sense; `values` has an entry per learned one."""
        seen = self.row_of >= 0
        return np.asarray(np.bincount(self.row_of[seen], values[seen], len(self.numbers)), dtype=np.float64)

    def together(self, words: NDArray[np.integer[Any]], places: I64, values: Floats) -> tuple[I64, Floats]:
        """Sum posteriors over learned senses to those over shown ones; word i has values[places[i]:places[i+1]]."""
        sizes = np.diff(self.offsets)[words]
        shown_places = np.append(0, sizes.cumsum())
        of_word = np.repeat(np.arange(len(words)), np.diff(places))
        learned = np.arange(len(values)) - places[of_word] + self.learned_offsets[words[of_word]]
        rows = self.row_of[learned]
        seen = rows >= 0
        at = shown_places[of_word[seen]] + rows[seen] - self.offsets[words[of_word[seen]]]
        shown = np.bincount(at, values[seen], int(shown_places[-1]))
        owner = np.repeat(np.arange(len(words)), sizes)
        mass = np.bincount(owner, shown, len(words))[owner]
        even = 1.0 / sizes[owner]  # all mass on hidden senses: uniform
        return shown_places, np.divide(shown, mass, out=even, where=mass > 0)

    def hiding(self, priors: Floats) -> Floats:
        """Return priors of the learned senses, next to nothing for hidden ones, summing to one per word."""
        floor = np.where(self.row_of >= 0, np.asarray(priors), _UNLIKELY)
        starts = self.learned_offsets
        return np.asarray(floor / np.repeat(np.add.reduceat(floor, starts[:-1]), np.diff(starts)))


class CuratedArrays(MadeArrays):
    """The arrays of a model with an entry per shown sense."""

    def __init__(self, learned: ArrayMap, curation: Curation) -> None:
        super().__init__(learned, learned)
        self._curation = curation

    def _make(self, name: str) -> Arrays:
        curation = self._curation
        if name == "offsets":
            return {name: curation.offsets}
        if name == "counts":
            return {name: curation.total(self.stored[name])}
        if name == "priors":
            return {name: curation.total(curation.hiding(self.stored[name]))}
        return {name: self._means(self.stored[name])} if name in ("vectors", "centres") else super()._make(name)

    def _means(self, learned: NDArray[Any]) -> NDArray[Any]:
        """Return rows of the learned array; for merged senses, the count-weighted mean."""
        curation, counts = self._curation, np.asarray(self.stored["counts"])
        seen = np.flatnonzero(curation.row_of >= 0)
        rows = np.empty((len(curation.numbers), learned.shape[1]), learned.dtype)
        rows[curation.row_of[seen]] = learned[seen]
        if len(curation.merged):
            members = seen[np.isin(curation.row_of[seen], curation.merged)]
            members = members[np.argsort(curation.row_of[members], kind="stable")]
            starts = np.searchsorted(curation.row_of[members], curation.merged)
            weights = np.maximum(counts[members], 1e-12)
            sums = np.add.reduceat(learned[members] * weights[:, None], starts, axis=0)
            rows[curation.merged] = sums / np.add.reduceat(weights, starts)[:, None]
        return rows


def _merged(first: I64, hidden: NDArray[np.bool_], other: I64) -> I64:
    """Return the first members of the finest groups that two groupings are parts of; hidden senses stay apart."""
    seen = np.flatnonzero(~hidden)
    merged = first.copy()
    while True:
        before = merged.copy()
        for groups in (other, first):
            least = np.full(len(first), len(first))
            np.minimum.at(least, groups[seen], merged[seen])
            merged[seen] = least[groups[seen]]
        if (merged == before).all():
            return merged
