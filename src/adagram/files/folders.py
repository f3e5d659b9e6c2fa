"""The kinds of folder that this program writes, each recognised by its own file, and their SHA256SUMS."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from adagram.errors import InputError
from adagram.files.json import open_file, parse_json, read_file, reading

SUMS = "SHA256SUMS"  # in the format of `sha256sum --check`
EDITABLE = ("README.", "journal.", "senses.", "trends.")  # prefixes of files that change later: no checksums
RENEWED = ("README.", "senses.", "trends.")  # of these, the files that are replaced whole
_MODEL_FILES = (
    *("model.safetensors", "config.json", "vocab.txt", "README.md", "training.jsonl", "unknown.txt"),
    *("continue.safetensors", "merges.safetensors", "journal.*", "senses.*", "trends.*"),
)


@dataclass(frozen=True)
class Kind:
    """A kind of folder: the file that marks it, a test of that file's content, and patterns of its file names."""

    article: str  # "a model"
    mark: str
    is_marked: Callable[[Any], bool]  # takes parsed JSON if the mark is a .json file, else text
    files: tuple[str, ...]


def _has(content: Any, *keys: str) -> bool:
    return isinstance(content, dict) and set(keys) <= set(content)


CHECKPOINT = Kind(
    "a checkpoint",
    "trainer.json",
    lambda content: _has(content, "words", "seconds", "config", "fingerprint"),
    (*_MODEL_FILES, "trainer.*", "worker-*.safetensors"),
)
MODEL = Kind(
    "a model",
    "config.json",
    lambda content: _has(content, "format", "config") and _has(content["config"], "algorithm", "dim", "window"),
    _MODEL_FILES,
)
CORPUS = Kind(
    "an encoded corpus",
    "corpus.json",
    lambda content: _has(content, "format", "n_tokens", "n_words", "fingerprint"),
    ("corpus.json", "tokens.bin", "ends.bin", "vocab.txt", "unknown.txt"),
)
PROJECTOR = Kind(
    "an export for the projector",
    "projector_config.pbtxt",
    lambda content: isinstance(content, str) and 'tensor_name: "senses"' in content,
    ("projector_config.pbtxt", "vectors.tsv", "metadata.tsv"),
)
_KINDS = (CHECKPOINT, MODEL, CORPUS, PROJECTOR)  # a checkpoint is a model too, so it comes first


def kind_of(folder: Path) -> Kind | None:
    """Return the kind of a folder, or None if it is not ours."""
    return next((kind for kind in _KINDS if kind.is_marked(_content(folder / kind.mark))), None)


def _content(path: Path) -> Any:
    try:
        text = read_file(path).decode()
        return parse_json(text, dict) if path.suffix == ".json" else text
    except (OSError, ValueError):
        return None


def is_part(kind: Kind, name: str) -> bool:
    """Return whether folders of a kind have files of this name."""
    return any(fnmatch(name, pattern) for pattern in (*kind.files, SUMS))


def foreign_files(folder: Path, kind: Kind) -> list[str]:
    """Return the names in a folder that its kind does not have: the user's own files, which must not be lost."""
    return sorted(path.name for path in folder.iterdir() if not is_part(kind, path.name))


def kind_of_part(file: Path) -> Kind | None:
    """Return the kind of the folder that replacing this file would damage; None if it would damage none."""
    kind = None if file.name.startswith(RENEWED) else kind_of(file.parent)
    return kind if kind and is_part(kind, file.name) else None


def write_sums(folder: Path) -> None:
    """Write the checksums of all files: the last step of making a folder."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    lines = [f"{_sum(folder / name)}  {name}\n" for name in names if not name.startswith((*EDITABLE, SUMS))]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


def read_sums(folder: Path) -> dict[str, str]:
    """Return the checksum of each file by its name."""
    path = folder / SUMS
    with reading(path):
        try:
            lines = read_file(path).decode().splitlines()
        except FileNotFoundError:
            raise InputError(f"{folder} has no {SUMS}: it was not written to the end") from None
    sums = {name: found for found, _, name in (line.partition("  ") for line in lines)}
    if not sums or any(not name or "/" in name or "\\" in name for name in sums):
        raise InputError(f"{path} is damaged: it must have a checksum and a file name on each line")
    return sums


def check_sums(folder: Path) -> None:
    """Raise InputError if a file of a folder is missing or has changed since it was written."""
    for name, expected in read_sums(folder).items():
        if name.startswith(EDITABLE):
            continue
        with reading(folder / name):
            found = _sum(folder / name)
        if found != expected:
            raise InputError(f"{folder / name} is damaged: it is not what was written (see {SUMS})")


def _sum(path: Path) -> str:
    digest = hashlib.sha256()
    with open_file(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
