"""Which format a file has, from its name and its first bytes."""

from __future__ import annotations

import re
from pathlib import PurePath

from adagram.errors import InputError
from adagram.text.files import COMPRESSED

_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".conllu": "conllu",
    ".conll": "conllu",
    ".vert": "vertical",
    ".vrt": "vertical",
    ".vertical": "vertical",
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
_CONLLU_LINE = re.compile(rb"^\d+(?:[-.]\d+)?\t(?:[^\t\n]*\t){8}", re.MULTILINE)
_VERTICAL = re.compile(
    rb"^<(?:doc|text|corpus|s|p|file)\b[^\n]*>\r?\n(?:<[^\n]*>\r?\n)*[^<\n\t]+\t", re.MULTILINE
)


def detect_format(name: str, head: bytes) -> str:
    """The format of a file that starts with `head` (after decompression); plain text if nothing else fits."""
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
    return "text"


def _suffix(name: str) -> str:
    path = PurePath(name)
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower()
