"""Opening a word-sense-induction data set in whichever of its forms it comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.instances import Instance, gold_key, read_tsv, with_key
from adagram.evaluation.keys import Key, read_key
from adagram.evaluation.lines import bad_line, numbered_lines, parse_count
from adagram.evaluation.semeval_xml import read_xml

Lines = Iterator[tuple[int, str]]


def read_instances(path: Path, key: Path | None = None) -> list[Instance]:
    """Labelled instances of a data set; the form is recognised by its first line.

    Sets that keep their gold senses apart take them from `key`, or from key.txt or gold.key beside the data.
    """
    instances, has_gold = _read_any(path)
    _check_ids(instances, path)
    if key is None and not has_gold:
        key = _key_beside(path)
        if key is None:
            raise InputError(
                f"{path} has no gold senses and no key.txt or gold.key lies beside it; name it by --key"
            )
    if key is not None:
        instances = with_key(instances, read_key(key), key)
    return instances


def read_gold(path: Path, key: Path | None = None) -> Key:
    """The gold senses of a data set, or of a key file alone: all that is needed to score an answer file."""
    if key is not None:
        return read_key(key)
    if not path.is_dir() and _form(path) == "key":
        return read_key(path)
    return gold_key(read_instances(path))


def _read_any(path: Path) -> tuple[list[Instance], bool]:
    form = "xml" if path.is_dir() else _form(path)
    if form == "xml":
        return read_xml(path), False
    if form == "tsv":
        instances = read_tsv(path)
        return instances, any(instance.senses for instance in instances)
    if form == "dataset.txt":
        return read_dataset_txt(path), False
    if form == "wwsi.txt":
        return read_wwsi_txt(path), True
    raise InputError(f"{path} is a key without contexts; give the contexts as DATA and this file by --key")


def _form(path: Path) -> str:
    line = next((line for _, line in numbered_lines(path) if line.strip()), "")
    cells, fields = line.split("\t"), line.split()
    if line.lstrip().startswith("<"):
        return "xml"
    if "target" in cells:
        return "tsv"
    if len(cells) == 4 and cells[2].isdigit() and cells[3].isdigit():
        return "wwsi.txt"
    if len(fields) == 2 and fields[1].isdigit():
        return "dataset.txt"
    if len(fields) >= 3 and fields[1].startswith(fields[0]):
        return "key"
    raise InputError(
        f"{path} line 1: not a data set this program knows, found {line[:60]!r}; "
        "expected a TSV with the header target instance_id sense left right surface, SemEval XML, "
        "dataset.txt, wwsi.txt or a key"
    )


def _key_beside(path: Path) -> Path | None:
    folder = path if path.is_dir() else path.parent
    return next((folder / name for name in ("key.txt", "gold.key") if (folder / name).is_file()), None)


def _check_ids(instances: list[Instance], path: Path) -> None:
    seen: set[tuple[str, str]] = set()
    for instance in instances:
        if (instance.target, instance.id) in seen:
            raise InputError(f"{path}: the instance id {instance.id} of {instance.target} occurs twice")
        seen.add((instance.target, instance.id))
    if not instances:
        raise InputError(f"{path} holds no instances")


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
