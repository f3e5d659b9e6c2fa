"""Temporary folders that say whose they are, so that what a dead process left can be told from what is in use."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adagram.errors import InputError

MAKING, REMOVING = ".part", ".old"
_NAME = re.compile(
    r"\.(?P<target>.+)\.(?P<host>[0-9a-f]{8})-(?P<pid>\d+)-(?P<start>\d+)\..+\.(part|old)", re.DOTALL
)


def host_mark() -> str:
    """Eight digits that differ from machine to machine."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def start_of(pid: int) -> int | None:
    """When a process of this machine began, in the system's own units; 0 where that is not told, None if it is dead."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        pass
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def prefix_of(target: Path) -> str:
    """How the names of this process's temporary folders for `target` begin."""
    pid = os.getpid()
    return f".{target.name[:100]}.{host_mark()}-{pid}-{start_of(pid) or 0}."


@contextmanager
def temporary_folder(target: Path, place: Path) -> Iterator[Path]:
    """A new folder in `place` for the making of `target`; gone after the block unless it was renamed."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=prefix_of(target), suffix=MAKING, dir=place))
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder of ours: its name is free at once, and a kill on the way leaves no half of it under that name.

    What killed runs left of it goes too.
    """
    aside = Path(tempfile.mkdtemp(prefix=prefix_of(folder), suffix=REMOVING, dir=folder.parent))
    with suppress(FileNotFoundError):
        os.rename(folder, aside)  # takes the place of the empty folder
    shutil.rmtree(aside, ignore_errors=True)
    remove_dead(folder)


def is_temporary(path: Path) -> bool:
    """By its name one of our temporary folders, of whichever process."""
    return _NAME.fullmatch(path.name) is not None


def is_dead(path: Path) -> bool:
    """A temporary folder of a process of this machine that is no more."""
    found = _NAME.fullmatch(path.name)
    if found is None or found["host"] != host_mark():
        return False
    start = start_of(int(found["pid"]))
    # 0: the system does not tell when a process began, so that one with this number may be the one
    return start is None or (0 not in (start, int(found["start"])) and start != int(found["start"]))


def dead_folders(place: Path, target: Path | None = None) -> list[Path]:
    """What dead processes left in a folder: all of it, or what they made for `target`."""
    try:
        found = [path for path in place.iterdir() if is_dead(path)]
    except OSError:
        return []
    if target is not None:
        found = [path for path in found if path.name.startswith(f".{target.name[:100]}.{host_mark()}-")]
    return sorted(found)


def remove_dead(target: Path) -> None:
    """Remove what earlier runs for the same target left when they were killed."""
    for path in (*dead_folders(target.parent, target), *dead_folders(target, target)):
        shutil.rmtree(path, ignore_errors=True)


def remove_all_dead(place: Path) -> list[Path]:
    """Remove what killed runs of this machine left in a folder, whatever they were making; returns what it was."""
    dead = [path for path in dead_folders(place) if not path.name.endswith(MAKING + ".old")]  # see `recover`
    for path in dead:
        shutil.rmtree(path, ignore_errors=True)
    return [path for path in dead if not path.exists()]
