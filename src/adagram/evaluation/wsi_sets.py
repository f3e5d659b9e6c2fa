"""Opening a word-sense-induction data set in whichever of its forms it comes."""

from __future__ import annotations

from pathlib import Path

from adagram.errors import InputError
from adagram.evaluation.instances import Instance, gold_key, read_tsv, with_key
from adagram.evaluation.keys import Key, read_key
from adagram.evaluation.lines import numbered_lines
from adagram.evaluation.plain_sets import read_dataset_txt, read_wwsi_txt
from adagram.evaluation.semeval_xml import read_xml


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
