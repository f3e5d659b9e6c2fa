"""SHA256SUMS: what every file of a folder was when it was written, as `sha256sum --check` reads it too."""

from __future__ import annotations

import hashlib
from pathlib import Path

from adagram.errors import InputError
from adagram.whole.reading import open_file, read_file

SUMS = "SHA256SUMS"
GROWING = ("README.", "journal.", "senses.", "trends.")  # files that people go on writing
_LONGEST = 1 << 24  # bytes; a line per file
_PIECE = 1 << 20


def write_sums(folder: Path) -> None:
    """The last file of a folder that is being made."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    lines = [f"{_sum(path)}  {path.name}\n" for path in files if not path.name.startswith((*GROWING, SUMS))]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


def read_sums(folder: Path) -> dict[str, str]:
    """The checksum of each file, by its name."""
    path = folder / SUMS
    try:
        if path.stat().st_size > _LONGEST:
            raise InputError(f"{path} is damaged: it is longer than {_LONGEST} bytes")
        lines = read_file(path).decode().splitlines()
    except FileNotFoundError:
        raise InputError(f"{folder} has no {SUMS}: it was not written to the end") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from None
    sums = {name: found for found, _, name in (line.partition("  ") for line in lines)}
    if not sums or any(not name or "/" in name or "\\" in name for name in sums):
        raise InputError(f"{path} is damaged: it must have a checksum and a file name on each line")
    return sums


def check_sums(folder: Path) -> None:
    """Refuse a folder of which a file is missing or has changed since it was written."""
    for name, expected in read_sums(folder).items():
        if name.startswith(GROWING):
            continue
        try:
            found = _sum(folder / name)
        except OSError as error:
            raise InputError(f"{folder / name} cannot be read: {error.strerror or error}") from None
        if found != expected:
            raise InputError(f"{folder / name} is damaged: it is not what was written (see {SUMS})")


def _sum(path: Path) -> str:
    digest = hashlib.sha256()
    with open_file(path) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
