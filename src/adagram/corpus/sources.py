"""Find what to read from what the user gives (paths, globs, folders, `-`, data sets, texts), and detect formats."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any, Literal

from adagram.corpus.decode import COMPRESSED, STDIN
from adagram.corpus.encoded import is_encoded
from adagram.errors import InputError
from adagram.options import spelled

Tokens = Iterable[str]
Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Iterable[Tokens]
Form = Literal["names", "texts", "token lists"]
LOOK_AT = 1000  # items of a collection that decide what all of them are
_SHOWN = 200  # characters of a name in a message
HUB = "hf:"  # prefix of Hugging Face data set names
_DATASET_FILES = ("dataset_info.json", "dataset_dict.json", "state.json")
# Files beside the text in a folder that are left out.
_NOT_TEXT = re.compile(
    r"\.(png|jpe?g|gif|svg|pdf|docx?|html|zip|tar|safetensors|bin|np[yz]|pkl|pyc?|css|js|lock|md5|sha1|sha256)"
)
_BY_SUFFIX = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    ".parquet": "parquet",
    **dict.fromkeys((".conllu", ".conll"), "conllu"),
    **dict.fromkeys((".vert", ".vrt", ".vertical"), "vertical"),
}
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive (or an office document)",
    b"%PDF": "a PDF document",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"\x7fELF": "a program",
    b"7z\xbc\xaf": "a 7z archive",
    b"SQLite f": "a database",
}
_SUFFIXES = frozenset((".txt", ".xml", *_BY_SUFFIX))
_SEPARATORS = re.compile(r"[/\\*]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_CONLLU_LINE = re.compile(rb"^\d+(?:[-.]\d+)?\t(?:[^\t\n]*\t){8}", re.MULTILINE)
_VERTICAL = re.compile(rb"^<(?:doc|text|corpus|s|p|file)\b[^\n]*>\r?\n(?:<[^\n]*>\r?\n)*[^<\n\t]+\t", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """One file, stream or data set; `format` is None until its content has been seen."""

    name: str
    format: str | None = None
    size: int | None = None  # bytes on disk, None when not known


def find_sources(names: Iterable[str | os.PathLike[str]], format: str | None = None) -> list[Source]:
    """Expand globs and folders, in sorted order; a name that leads to nothing is an error."""
    found = [source for name in names for source in _expand(os.fspath(name), format)]
    if not found:
        raise InputError("no corpus was named; give a file, folder, glob or -")
    return found


def _expand(name: str, format: str | None) -> Iterator[Source]:
    path = Path(name)
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    hint = "; a text goes into a list: train([text])" if re.search(r"\s", name) else ""
    if name == STDIN:
        yield Source(name, format)
    elif name.startswith(HUB):
        yield Source(name, "datasets")
    elif os.path.isdir(name):
        yield from _folder(path, format)
    elif os.path.exists(name):
        yield Source(name, format, os.path.getsize(name))
    elif glob.has_magic(name):
        matches = sorted(glob.glob(name, recursive=True))
        if not matches:
            raise InputError(f"no file matches {shown}{hint}")
        for match in matches:
            yield from _expand(match, format) if os.path.exists(match) else [Source(match, format)]
    else:
        raise InputError(f"{shown} does not exist{hint}")


def _folder(folder: Path, format: str | None) -> Iterator[Source]:
    if is_encoded(folder):
        raise InputError(f"{folder} is an encoded corpus already; give it to adagram train as it is")
    if format == "datasets" or any((folder / name).is_file() for name in _DATASET_FILES):
        yield Source(str(folder), "datasets")
        return
    is_empty = True
    for path in sorted(folder.rglob("*")):
        is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not is_hidden and not _NOT_TEXT.fullmatch(path.suffix.lower()):
            is_empty = False
            yield Source(str(path), format, path.stat().st_size)
    if is_empty:
        raise InputError(f"the folder {folder} has no text files")


def classify_sources(sources: Any) -> tuple[Form, Iterator[Any]]:
    """Return whether the caller gave names of sources, texts, or token lists, and the items; refuse what is unclear.

    A string or a path by itself is a name. In a collection, paths are names, and so are strings that exist as a file or
    look like one; other strings are texts. Names and texts do not mix, and single words alone are neither. A string
    that looks like a path only because of a / or * in it (a URL, "km/h") is a text among texts. The first LOOK_AT items
    decide for all.
    """
    if isinstance(sources, str | os.PathLike):
        return "names", iter([os.fspath(sources)])
    try:
        items = iter(sources)
    except TypeError:
        raise InputError(
            f"a corpus is a path, or a list of paths, texts or token lists, not {type(sources).__name__}"
        ) from None
    first = list(islice(items, LOOK_AT))
    if not first:
        raise InputError("the corpus is empty: no path, no text and no token list in it")
    every = chain(first, items)
    if not isinstance(first[0], str | os.PathLike):
        return "token lists", every
    examples = {_looks_like(item): item for item in reversed(first)}
    if "path" in examples and "text" not in examples:  # among texts it is a word
        examples["name"] = examples.pop("path")
    if "name" in examples and len(examples) > 1:
        other = next(item for kind, item in examples.items() if kind != "name")
        raise InputError(
            f"{spelled(examples['name'])} is the name of a file and {spelled(other)} is not; "
            "give all paths as pathlib.Path, or all texts as token lists"
        )
    if "other" in examples:
        raise InputError(f"strings and token lists cannot be mixed: found {spelled(examples['other'])}")
    if "name" in examples:
        return "names", (_same(item, "name") for item in every)
    if "text" in examples:
        return "texts", (_same(item, "text") for item in every)
    raise InputError(
        f"{spelled(first[0])} is neither a file nor a text of several words; "
        "a list of tokens goes into a list of such lists: train([tokens])"
    )


def _looks_like(item: Any) -> Literal["name", "path", "text", "word", "other"]:
    if isinstance(item, os.PathLike):
        return "name"
    if not isinstance(item, str):
        return "other"
    has_space = re.search(r"\s", item) is not None
    has_suffix = _suffix(item) in _SUFFIXES or PurePath(item).suffix.lower() in COMPRESSED
    is_named = item == STDIN or item.startswith(HUB) or has_suffix
    is_url = _URL.match(item) and not has_space
    if (is_named and not is_url) or (len(item) < 256 and os.path.exists(item)):
        return "name"
    if is_url or (not has_space and _SEPARATORS.search(item)):
        return "path"
    return "word" if re.fullmatch(r"[\w.+-]*", item) else "text"


def _same(item: Any, form: str) -> str:
    """Check an item after those that decided for all."""
    if isinstance(item, str) or (form == "name" and isinstance(item, os.PathLike)):
        return os.fspath(item)
    raise InputError(f"{form}s and other things cannot be mixed: found {spelled(item)}")


def detect_format(name: str, head: bytes, usual: str = "text") -> str:
    """Return the format of a file that starts with `head` (after decompression); `usual` if nothing else fits."""
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise InputError(f"{name} is {what}, not text; extract the text first")
    if head.startswith(b"PAR1"):
        return "parquet"
    by_suffix = _BY_SUFFIX.get(_suffix(name))
    if by_suffix == "parquet":
        raise InputError(f"{name} is not a parquet file: it starts with {head[:8]!r}")
    if by_suffix:
        return by_suffix
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if b"<mediawiki" in start[:2048]:
        return "mediawiki"
    if _VERTICAL.match(start):
        return "vertical"
    if start.startswith(b"<doc ") and b"title=" in start[:2048].partition(b">")[0]:
        return "wikiextractor"
    if re.match(rb'\{\s*"[^"\n]*"\s*:', start):
        return "jsonl"
    if start[:1] in (b"#", b"1") and _CONLLU_LINE.search(start):
        return "conllu"
    return usual


def _suffix(name: str) -> str:
    path = PurePath(name)
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower()
