"""Answer keys in the Senseval form: `target instance sense[/weight] …`, one instance a line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines, parse_number

Key = dict[str, dict[str, dict[str, float]]]  # target -> instance id -> sense -> weight
UNANSWERED = ""  # the cluster of the instances that a key leaves out; no key can name a sense so


def read_key(path: Path) -> Key:
    """Read a key file; if a sense of an instance lacks a weight, all senses of that instance get weight 1.

    A line may stand twice; two lines that give one instance different senses are an error.
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
    best, top = UNANSWERED, -math.inf
    for sense, weight in labels.items():
        if weight > top:
            best, top = sense, weight
    return best
