"""The sense sheet: a line of JSON per learned sense, in the model folder; packed by xz in a model of the package.

Keys: sense, expected and hard (counts in the corpus), label, uses and pairs (uses whose surroundings were counted, and
the words around them), pairs_of_word, collocates (word, count, of_word, ratio, dice), examples (text, document, date,
posterior). A sense is as it was learned; `entry_of` puts together what an editor has merged.
"""

from __future__ import annotations

import json
import lzma
import mmap
import re
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adagram.errors import InputError
from adagram.files.json import Between, open_file, parse_json
from adagram.types import Floats

if TYPE_CHECKING:
    from adagram.model.model import Model

SHEET = "senses.jsonl"
PACKED_SHEET = SHEET + ".xz"
LABEL_WORDS, LABEL_FROM = 3, 10
BRIEF = 5  # collocates in a table of senses
ALIKE = 0.5  # share of words in common above which two sentences say the same
_WORD = re.compile(r"\w+")
_NAME = re.compile(rb'\s*\{\s*"sense"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True)
class Example:
    """A sentence in its original form; `posterior` is the probability of the sense in it."""

    text: str
    document: str
    date: str
    posterior: float


@dataclass(frozen=True)
class Collocate:
    word: str
    count: int  # uses of the sense with this word around them
    of_word: int  # the same for all senses of the word
    ratio: float  # log-likelihood ratio
    dice: float  # logDice


@dataclass(frozen=True)
class Entry:
    """What the sheet says about a sense."""

    sense: str
    expected: float
    hard: int
    label: str = ""
    uses: int = 0
    pairs: int = 0
    pairs_of_word: int = 0
    collocates: list[Collocate] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)

    def brief(self) -> tuple[list[str], str]:
        """Return a few of its collocates, and its best example on one line."""
        example = self.examples[0].text if self.examples else ""
        return [c.word for c in self.collocates[:BRIEF]], " ".join(example.split())

    def to_json(self) -> str:
        parts = {"collocates": list(map(vars, self.collocates)), "examples": list(map(vars, self.examples))}
        return json.dumps(vars(self) | parts, ensure_ascii=False)


_COUNT, _NUMBER = range(2**53), Between(-(2.0**53), 2.0**53)  # exact below that
_LINE = {
    "sense": str,
    "expected": _NUMBER,
    "hard": _COUNT,
    "label?": str,
    "uses?": _COUNT,
    "pairs?": _COUNT,
    "pairs_of_word?": _COUNT,
    "collocates": [
        {"word": str, "count": _COUNT, "of_word": _COUNT, "ratio": _NUMBER, "dice": Between(-900.0, 900.0)}
    ],  # a power of logDice is taken
    "examples": [{"text": str, "document": str, "date": str, "posterior": _NUMBER}],
}


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is damaged; write it anew with adagram describe")


def parse_entry(line: str | bytes, path: Path) -> Entry:
    try:
        values = parse_json(line, _LINE)
        collocates = [Collocate(**c) for c in values.pop("collocates")]
        examples = [Example(**e) for e in values.pop("examples")]
        return Entry(**values, collocates=collocates, examples=examples)
    except (ValueError, TypeError):
        raise _damaged(path) from None


def make_label(collocates: Sequence[Collocate]) -> str:
    """Return a few collocates: of those that set the sense apart most (the ratio), the closest to it (logDice)."""
    closest = sorted(collocates[:LABEL_FROM], key=lambda c: -c.dice)
    return ", ".join(c.word for c in closest[:LABEL_WORDS])


class Sheet:
    """A sense sheet on disk, mapped if it is not packed; the places of the senses are indexed at the first query."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data: mmap.mmap | bytes
        with open_file(path) as file:
            if path.name == PACKED_SHEET:
                try:
                    self._data = lzma.decompress(file.read())
                except lzma.LZMAError:
                    raise _damaged(path) from None
            else:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @classmethod
    def of(cls, folder: Path) -> Sheet | None:
        """Return the sheet of a model folder, if it has one."""
        paths = (folder / name for name in (SHEET, PACKED_SHEET))
        return next((cls(path) for path in paths if path.is_file() and path.stat().st_size), None)

    @cached_property
    def places(self) -> dict[str, slice]:
        """The place of the line of each sense."""
        data, begin, places = self._data, 0, dict[str, slice]()
        ends = [*(mark.start() for mark in re.finditer(b"\n", data)), len(data)]
        for end in ends:
            if found := _NAME.match(data, begin, end):
                try:
                    places[json.loads(found[1])] = slice(begin, end)
                except ValueError:
                    raise _damaged(self.path) from None
            elif line := data[begin:end].strip():
                places[parse_entry(line, self.path).sense] = slice(begin, end)
            begin = end + 1
        return places

    def learned(self, sense: str) -> Entry | None:
        """Return the entry of a sense as it was learned."""
        place = self.places.get(sense)
        return parse_entry(self._data[place], self.path) if place else None


def entry_of(model: Model, row: int) -> Entry:
    """Return the entry of a sense as the model shows it: merged senses together, an editor's label first.

    It is empty if the model has no sheet, or the sheet not the sense.
    """
    name, members, label = model.names([row])[0], [row], ""
    if model.curation:
        members, label = model.curation.members(row).tolist(), model.curation.labels.get(row, "")
    learned = model._learned.names(members) if model.sheet else []
    entries = [entry for member in learned if model.sheet and (entry := model.sheet.learned(member))]
    return together(name, entries, label) if entries else Entry(name, 0.0, 0, label)


def label_of(model: Model, row: int) -> str:
    """Return what the sense of a row means: an editor's label, else that of the sense sheet, else ""."""
    labels = model.curation.labels if model.curation else {}
    return labels.get(row) or entry_of(model, row).label


def together(name: str, entries: Sequence[Entry], label: str = "") -> Entry:
    """Merge the entries of merged senses: sums, and the collocates that are strong in the sum.

    Without collocates the label is that of the sense with the most uses.
    """
    if len(entries) == 1:
        only = entries[0]
        return replace(only, sense=name, label=label or only.label)
    pairs, pairs_of_word = sum(e.pairs for e in entries), entries[0].pairs_of_word
    collocates = _united([c for e in entries for c in e.collocates], pairs, pairs_of_word)
    examples = sorted((x for e in entries for x in e.examples), key=lambda x: -x.posterior)
    most = max(len(e.examples) for e in entries)
    return Entry(
        name,
        sum(e.expected for e in entries),
        sum(e.hard for e in entries),
        label or make_label(collocates) or max(entries, key=lambda e: e.expected).label,
        sum(e.uses for e in entries),
        pairs,
        pairs_of_word,
        collocates,
        different(examples, most),
    )


def _united(parts: Iterable[Collocate], pairs: int, pairs_of_word: int) -> list[Collocate]:
    counts: dict[str, int] = {}
    first: dict[str, Collocate] = {}
    for part in parts:
        counts[part.word] = counts.get(part.word, 0) + part.count
        first.setdefault(part.word, part)
    united = []
    for word, count in counts.items():
        c = first[word]
        other = max(c.of_word - count, 0)
        numbers = (count, pairs, other, max(pairs_of_word - pairs, 0))
        ratio = float(log_likelihood_ratio(*(np.array(float(n)) for n in numbers)))
        if pairs >= pairs_of_word:  # all senses of the word: nothing to set it against
            ratio = c.ratio
        # f(x) + f(y) of logDice, from the part that is known: 14 + log2(2 count / sum)
        sum_of_part = 2.0 * c.count / 2.0 ** (c.dice - 14.0)
        dice = float(log_dice(np.array(float(count)), np.array(sum_of_part), np.array(0.0)))
        united.append(Collocate(word, count, c.of_word, ratio, dice))
    return sorted(united, key=lambda c: -c.ratio)


def log_likelihood_ratio(together: Floats, here: Floats, elsewhere: Floats, there: Floats) -> Floats:
    """Signed G² (Dunning 1993): `together` of `here` words against `elsewhere` of `there`.

    Positive if the collocate is more frequent here than there. 2 Σ observed · log(observed / expected).
    """
    rest_here, rest_there = here - together, there - elsewhere
    total = here + there
    column, rest = together + elsewhere, rest_here + rest_there
    ratio = 2.0 * (
        _part(together, here * column, total)
        + _part(elsewhere, there * column, total)
        + _part(rest_here, here * rest, total)
        + _part(rest_there, there * rest, total)
    )
    more = together * there >= elsewhere * here
    return np.asarray(np.where(more, ratio, -ratio))


def _part(observed: Floats, product: Floats, total: Floats) -> Floats:
    """observed · log(observed / expected), 0 for nothing observed; expected = product / total"""
    good = (observed > 0) & (product > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(good, observed * np.log(observed * total / product), 0.0)


def log_dice(together: Floats, left: Floats, right: Floats) -> Floats:
    """14 + log2(2 f(x, y) / (f(x) + f(y))) (Rychlý 2008): 14 at most, whatever the size of the corpus."""
    with np.errstate(divide="ignore"):
        return np.asarray(14.0 + np.log2(2.0 * together / (left + right)))


def different(candidates: Iterable[Example], n: int) -> list[Example]:
    """Return the first n that do not repeat an earlier one."""
    return different_bags(((x, set(_WORD.findall(x.text.lower()))) for x in candidates), n)


def different_bags(candidates: Iterable[tuple[Example, Set[Hashable]]], n: int) -> list[Example]:
    """Return the same, given the words of each."""
    chosen: list[Example] = []
    bags: list[Set[Hashable]] = []
    for example, bag in candidates:
        if all(len(bag & other) <= ALIKE * min(len(bag), len(other)) for other in bags):
            chosen.append(example)
            bags.append(bag)
        if len(chosen) == n:
            break
    return chosen
