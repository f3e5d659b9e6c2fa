"""The plain-text forms in which the original AdaGram's data sets came: dataset.txt and wwsi.txt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.instances import Instance
from adagram.evaluation.lines import bad_line, numbered_lines, parse_count

Lines = Iterator[tuple[int, str]]


def read_dataset_txt(path: Path) -> list[Instance]:
    """Blocks of `target n_contexts` and that many lines `left<TAB>right`; the i-th is instance `target.i`."""
    lines = numbered_lines(path)
    instances = []
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split()
        if len(fields) != 2:
            raise bad_line(path, number, f"expected a target and its number of contexts, found {line[:60]!r}")
        target, count = fields[0], parse_count(fields[1], path, number, "the number of contexts")
        for i in range(1, count + 1):
            number, line = _next_line(lines, path, f"{target} has {i - 1} of its {count} contexts")
            left, tab, right = line.partition("\t")
            if not tab:
                raise bad_line(path, number, "expected left and right context with a tab between them")
            instances.append(Instance(target, f"{target}.{i}", left.strip(), right.strip()))
    return instances


def read_wwsi_txt(path: Path) -> list[Instance]:
    """Blocks of `title word weight n_senses`, for each sense `sense weight n_contexts`, then the contexts.

    Cells are separated by tabs; a context is two lines: the place of the target among the words (from 0), and
    the words, separated by blanks. The i-th context of a word is instance `word.x.i`.
    """
    lines = numbered_lines(path)
    instances = []
    for number, line in lines:
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 4:
            raise bad_line(
                path, number, f"expected title, word, weight, number of senses, found {line[:60]!r}"
            )
        word = cells[1].lower()
        n_senses = parse_count(cells[3], path, number, "the number of senses")
        contexts = (c for _ in range(n_senses) for c in _wwsi_contexts(lines, path, word))
        for i, (sense, place, words) in enumerate(contexts, 1):
            left, right = " ".join(words[:place]), " ".join(words[place + 1 :])
            surface = " ".join(words[place : place + 1])
            instances.append(Instance(word, f"{word}.x.{i}", left, right, surface, {sense: 1.0}))
    return instances


def _wwsi_contexts(lines: Lines, path: Path, word: str) -> Iterator[tuple[str, int, list[str]]]:
    """(sense, place of the target, words) of the contexts of one sense."""
    number, line = _next_line(lines, path, f"a sense of {word} is missing")
    cells = line.split("\t")
    if len(cells) != 3:
        raise bad_line(path, number, f"expected sense, weight, number of contexts, found {line[:60]!r}")
    for _ in range(parse_count(cells[2], path, number, "the number of contexts")):
        number, text = _next_line(lines, path, f"a context of {cells[0]} is missing")
        place = parse_count(text.strip(), path, number, "the place of the target")
        number, text = _next_line(lines, path, f"a context of {cells[0]} is missing")
        words = text.split()
        if place > len(words):
            raise bad_line(path, number, f"the target's place {place} is past the {len(words)} words")
        yield cells[0], place, words


def _next_line(lines: Lines, path: Path, trouble: str) -> tuple[int, str]:
    found = next(lines, None)
    if found is None:
        raise InputError(f"{path} ends too early: {trouble}; the file seems cut off")
    return found
