"""Models that are not a folder of this machine: on the Hugging Face Hub, or packed in a zip or tar file."""

from __future__ import annotations

from pathlib import Path

from adagram.places.hub import PREFIX, fetch
from adagram.places.packed import is_packed, unpack


def is_archive(path: str | Path) -> bool:
    """Return whether a model is on the Hub or packed, so that nothing can be written into it."""
    return str(path).startswith(PREFIX) or is_packed(Path(path))


def folder_of(path: str | Path) -> tuple[Path, str]:
    """Return the folder of a model, fetched or unpacked if need be, and the name of the archive it came from, or ""."""
    if not is_archive(path):
        return Path(path), ""
    return (fetch(str(path)) if str(path).startswith(PREFIX) else unpack(Path(path))), str(path)
