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
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import AdagramError, InputError
from adagram.files.atomic import take_lock
from adagram.model.context import Weighted
from adagram.model.predict import Likelihood, Posteriors, Predictor
from adagram.model.resolution import Level
from adagram.types import I32, I64, ArrayMap, Floats

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


def parse_journal(text: str, path: Path, offsets: NDArray[np.int64], resolve: Resolve) -> Journal:
    """Follow all lines of a journal; one that cannot be followed is refused and the others stand."""
    journal = Journal(SenseGroups(offsets), resolve)
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        try:
            journal.follow(line)
        except AdagramError as error:
            journal.refused.append(f"{path} line {number} is refused: {error}")
    return journal


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


def write_journal(
    path: Path, decisions: Sequence[Decision], names: Callable[[Sequence[int]], list[str]]
) -> None:
    """Write a journal of the decisions that stand; none without a decision."""
    if decisions:
        path.write_text("".join(f"{line_of(decision, names)}\n" for decision in decisions), encoding="utf-8")


def line_of(decision: Decision, names: Callable[[Sequence[int]], list[str]]) -> str:
    """Return a decision as a line of the journal; `names` gives those of learned senses."""
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


# -- the senses that decisions leave


class Curation:
    """From the learned senses (`offsets` as in the model's file) to the senses that are shown."""

    def __init__(self, offsets: I64, decisions: Sequence[Decision], level: Level | None = None) -> None:
        first, hidden, labels = _follow(offsets, decisions)
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

    @property
    def n_senses(self) -> int:
        return len(self.numbers)

    def members(self, row: int) -> I64:
        """Return the learned senses that a shown one consists of."""
        return np.flatnonzero(self.row_of == row)

    def total(self, values: Floats) -> Floats:
        """Return the sum over the members of each shown sense; `values` has an entry per learned one."""
        seen = self.row_of >= 0
        return np.asarray(np.bincount(self.row_of[seen], values[seen], self.n_senses), dtype=np.float64)

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


class CuratedArrays(Mapping[str, NDArray[Any]]):
    """The arrays of a model with an entry per shown sense; each is made when it is asked for."""

    def __init__(self, learned: ArrayMap, curation: Curation) -> None:
        self._learned, self._curation = learned, curation
        self._made: dict[str, NDArray[Any]] = {"offsets": curation.offsets}

    def __iter__(self) -> Iterator[str]:
        return iter(self._learned)

    def __len__(self) -> int:
        return len(self._learned)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> NDArray[Any]:
        curation, learned = self._curation, self._learned[name]
        if name == "counts":
            return curation.total(learned)
        if name == "priors":
            return curation.total(curation.hiding(learned))
        if name in ("vectors", "centres"):
            return self._means(learned)
        if name == "norms":
            vectors = self["vectors"]
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), dtype=np.float32)
        return learned

    def _means(self, learned: NDArray[Any]) -> NDArray[Any]:
        """Return rows of the learned array; for merged senses, the count-weighted mean."""
        curation, counts = self._curation, np.asarray(self._learned["counts"])
        seen = np.flatnonzero(curation.row_of >= 0)
        rows = np.empty((curation.n_senses, learned.shape[1]), learned.dtype)
        rows[curation.row_of[seen]] = learned[seen]
        if len(curation.merged):
            members = seen[np.isin(curation.row_of[seen], curation.merged)]
            members = members[np.argsort(curation.row_of[members], kind="stable")]
            starts = np.searchsorted(curation.row_of[members], curation.merged)
            weights = np.maximum(counts[members], 1e-12)
            sums = np.add.reduceat(learned[members] * weights[:, None], starts, axis=0)
            rows[curation.merged] = sums / np.add.reduceat(weights, starts)[:, None]
        return rows


def _follow(offsets: I64, decisions: Sequence[Decision]) -> tuple[I64, NDArray[np.bool_], dict[int, str]]:
    """Return, per learned sense, the first member of its group and whether it is hidden; labels of first members."""
    groups = SenseGroups(offsets)
    for decision in decisions:
        groups.apply(decision)
    first: I64 = np.arange(int(offsets[-1]))
    hidden = np.zeros(len(first), bool)
    labels: dict[int, str] = {}
    for word, found in groups.words.items():
        start = int(offsets[word])
        of_word = slice(start, start + len(found.first))
        first[of_word], hidden[of_word] = start + np.array(found.first), found.hidden
        labels |= {start + head: label for head, label in found.labels.items()}
    return first, hidden, labels


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


class CuratedPredictor(Predictor):
    """Predict merged senses: the posterior is the sum of the members', which `learned` predicts without hidden ones."""

    def __init__(self, model: Model, curation: Curation, learned: Predictor) -> None:
        super().__init__(model, learned.context)
        self._curation, self._learned = curation, learned

    def _posterior(self, w: int, context: Weighted) -> Floats:
        found = self._learned.posterior(w, context)
        return self._together(np.array([w]), Posteriors(np.array([0, len(found)]), found)).values

    def _posteriors(self, words: I64, contexts: Weighted, bounds: I64) -> Posteriors:
        return self._together(words, self._learned._posteriors(words, contexts, bounds))

    def _in_text(self, ids: I32, ends: I64) -> Posteriors:
        return self._together(ids, self._learned.in_text(ids, ends))

    def _likelihood(self, ids: I32) -> Likelihood:
        """Return the likelihood of the learned senses: merging changes no prediction, and hiding is for people."""
        return self._learned.likelihood(ids)

    def _together(self, words: NDArray[np.integer], learned: Posteriors) -> Posteriors:
        return Posteriors(*self._curation.together(words, learned.places, learned.values))
