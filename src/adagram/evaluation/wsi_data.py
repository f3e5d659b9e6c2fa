"""Instances and answer keys of word-sense-induction data, with their TSV and key files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines, parse_number, table_rows

Key = dict[str, dict[str, dict[str, float]]]  # target -> instance id -> sense -> weight
UNANSWERED = ""  # the cluster of instances that a key leaves out; never the name of a sense


def read_key(path: Path) -> Key:
    """Read a key file; if a sense of an instance lacks a weight, all senses of that instance get weight 1.

    A line may occur twice; two lines that give one instance different senses are an error.
    """
    key: Key = {}
    for number, line in numbered_lines(path):
        fields = line.split()
        if not fields:
            continue
        if len(fields) < 3:
            raise bad_line(path, number, f"expected target, instance and sense, found {line[:60]!r}")
        target, instance, *senses = fields
        answers = key.setdefault(target, {})
        labels = _labels(senses, path, number)
        if answers.setdefault(instance, labels) != labels:
            raise bad_line(path, number, f"instance {instance} of {target} was answered otherwise before")
    if not key:
        raise InputError(f"{path} holds no answers; expected lines of target, instance and sense")
    return key


def _labels(senses: list[str], path: Path, number: int) -> dict[str, float]:
    if any("/" not in sense for sense in senses):
        return {sense.rpartition("/")[0] or sense: 1.0 for sense in senses}
    labels: dict[str, float] = {}
    for item in senses:
        sense, _, weight = item.rpartition("/")
        labels[sense] = parse_number(weight, path, number, f"the weight of sense {sense}")
        if labels[sense] < 0:
            raise bad_line(path, number, f"the weight of sense {sense} is negative: {weight}")
    return labels


def key_text(key: Key) -> str:
    """The key as a file's text; a single full-weight sense is written without a weight.

    >>> key_text({"win.v": {"win.v.1": {"a": 1.0}, "win.v.2": {"a": 1.0, "b": 0.25}}})
    'win.v win.v.1 a\\nwin.v win.v.2 a/1.000000 b/0.250000\\n'
    """
    lines = []
    for target, answers in key.items():
        for instance, labels in answers.items():
            for name in (target, instance, *labels):
                if not name or name.split() != [name]:
                    raise InputError(f"{name!r} cannot be written to a key file: names there have no blanks")
            lines.append(f"{target} {instance} {_senses_text(labels)}\n")
    return "".join(lines)


def _senses_text(labels: Mapping[str, float]) -> str:
    if list(labels.values()) == [1.0]:
        return next(iter(labels))
    return " ".join(f"{sense}/{weight:.6f}" for sense, weight in labels.items())


def best_sense(labels: Mapping[str, float]) -> str:
    """The sense with the largest weight, the first of equals: a graded label made hard."""
    return max(labels, key=lambda sense: labels[sense], default=UNANSWERED)


COLUMNS = ("target", "instance_id", "sense", "left", "right")
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
    instances = []
    for number, row in table_rows(path, COLUMNS, ["surface"]):
        target, name, senses, left, right = (row[column] for column in COLUMNS)
        if not target or not name:
            raise bad_line(path, number, "target and instance_id must not be empty")
        instances.append(Instance(target, name, left, right, row.get("surface", ""), parse_senses(senses)))
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
