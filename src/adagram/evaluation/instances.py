"""Instances of a word-sense-induction data set, and its TSV form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.keys import Key
from adagram.evaluation.lines import bad_line, numbered_lines

COLUMNS = ("target", "instance_id", "sense", "left", "right", "surface")
REQUIRED = COLUMNS[:5]
_WEIGHTED = re.compile(r"(.+)/(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Instance:
    """One occurrence of a target word with the running text on both sides of it."""

    target: str
    id: str
    left: str
    right: str
    surface: str = ""
    senses: dict[str, float] = field(default_factory=dict)  # gold sense -> weight; empty: no gold label


def read_tsv(path: Path) -> list[Instance]:
    """Read a TSV with header `target instance_id sense left right surface` (any order, no quoting)."""
    lines = numbered_lines(path)
    _, header = next(lines, (1, ""))
    names = header.split("\t")
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise bad_line(path, 1, f"the header lacks the column {missing[0]}; expected {' '.join(COLUMNS)}")
    place = {name: names.index(name) for name in COLUMNS if name in names}
    instances = []
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(names):
            raise bad_line(path, number, f"expected {len(names)} tab-separated cells, found {len(cells)}")
        row = {name: cells[i] for name, i in place.items()}
        if not row["target"] or not row["instance_id"]:
            raise bad_line(path, number, "target and instance_id must not be empty")
        senses = parse_senses(row["sense"])
        instances.append(
            Instance(
                row["target"], row["instance_id"], row["left"], row["right"], row.get("surface", ""), senses
            )
        )
    return instances


def parse_senses(cell: str) -> dict[str, float]:
    """One sense, or several with weights joined by bars.

    >>> parse_senses("Time (magazine)"), parse_senses("add%1/4|add%2/2"), parse_senses("AC/DC")
    ({'Time (magazine)': 1.0}, {'add%1': 4.0, 'add%2': 2.0}, {'AC/DC': 1.0})
    """
    if not cell:
        return {}
    weighted = [_WEIGHTED.fullmatch(part) for part in cell.split("|")]
    if all(weighted):
        return {match[1]: float(match[2]) for match in weighted if match}
    return {cell: 1.0}


def gold_key(instances: Iterable[Instance]) -> Key:
    """The gold senses of the instances that have one, as a key."""
    key: Key = {}
    for instance in instances:
        if instance.senses:
            key.setdefault(instance.target, {})[instance.id] = dict(instance.senses)
    return key


def with_key(instances: list[Instance], key: Key, source: Path) -> list[Instance]:
    """The instances that `key` names, with its senses; an instance is found by its id, whatever the order."""
    labelled = [
        replace(instance, senses=key[instance.target][instance.id])
        for instance in instances
        if instance.id in key.get(instance.target, {})
    ]
    if not labelled:
        raise InputError(
            f"{source} names none of the {len(instances)} instances; is it the key of another set?"
        )
    return labelled
