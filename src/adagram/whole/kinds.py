"""What a folder is, told by its own mark: nothing else is ever taken for ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from adagram.whole.reading import open_file, parse_json
from adagram.whole.sums import SUMS

LONGEST_MARK = 1 << 26  # bytes; config.json holds a summary of training, no data
MODEL_FILES = (
    "model.safetensors",
    "config.json",
    "vocab.txt",
    "README.md",
    "training.jsonl",
    "continue.safetensors",
    "unknown.txt",
    "journal.*",
    "senses.*",
    "trends.*",
)

RENEWED = ("README.md", "senses.*", "trends.*")  # of these


@dataclass(frozen=True)
class Kind:
    """A kind of folder: the file that marks it, what that must say, and the names of its files beside SHA256SUMS."""

    article: str  # "a model"
    mark: str
    is_marked: Callable[[Any], bool]  # of the mark's content: JSON where the mark is a .json file, else text
    files: tuple[str, ...]  # patterns


def _is_model(content: Any) -> bool:
    settings = content.get("config") if isinstance(content, dict) else None
    return (
        isinstance(settings, dict) and {"algorithm", "dim", "window"} <= set(settings) and "format" in content
    )


def _is_corpus(content: Any) -> bool:
    return isinstance(content, dict) and {"format", "n_tokens", "n_words", "fingerprint"} <= set(content)


def _is_position(content: Any) -> bool:
    return isinstance(content, dict) and {"words", "seconds", "config", "fingerprint"} <= set(content)


CHECKPOINT = Kind(
    "a checkpoint", "trainer.json", _is_position, (*MODEL_FILES, "trainer.*", "worker-*.safetensors")
)
MODEL = Kind("a model", "config.json", _is_model, MODEL_FILES)
CORPUS = Kind(
    "an encoded corpus",
    "corpus.json",
    _is_corpus,
    ("corpus.json", "tokens.bin", "ends.bin", "vocab.txt", "unknown.txt"),
)
PROJECTOR = Kind(
    "an export for the projector",
    "projector_config.pbtxt",
    lambda content: isinstance(content, str) and 'tensor_name: "senses"' in content,
    ("projector_config.pbtxt", "vectors.tsv", "metadata.tsv"),
)
KINDS = (CHECKPOINT, MODEL, CORPUS, PROJECTOR)  # a checkpoint is a model too, so it is asked for first


def kind_of(folder: Path) -> Kind | None:
    """The kind of a folder by its mark, or None for one that is not ours."""
    return next((kind for kind in KINDS if kind.is_marked(_content(folder / kind.mark))), None)


def _content(path: Path) -> Any:
    try:
        with open_file(path) as file:
            text = file.read(LONGEST_MARK + 1).decode()
        if len(text) > LONGEST_MARK:
            return None
        return parse_json(text, dict) if path.suffix == ".json" else text
    except (OSError, ValueError):
        return None


def kind_of_part(file: Path) -> Kind | None:
    """The kind of the folder that would be damaged if this file of it were replaced; None where it would not be.

    Cards, sheets and trends are made anew in their place.
    """
    kind = kind_of(file.parent)
    is_renewed = any(fnmatch(file.name, pattern) for pattern in RENEWED)
    return kind if kind and not is_renewed and file.name not in foreign_files(file.parent, kind) else None


def foreign_files(folder: Path, kind: Kind) -> list[str]:
    """Names in the folder that its kind does not have: somebody else's, which must not be lost."""
    names = sorted(path.name for path in folder.iterdir())
    return [name for name in names if not any(fnmatch(name, pattern) for pattern in (*kind.files, SUMS))]
