"""Temporary folders beside an output. Each has a lock inside it; one whose lock is free belongs to a dead process."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adagram.errors import InputError
from adagram.whole.lock import LOCK, hidden_name, open_locked

SUFFIX = ".adagram"
REPLACED = ".adagram-replaced"  # see `writing.exchange`
_NAME = re.compile(r"\..+\.[a-z0-9_]{8}" + re.escape(SUFFIX), re.DOTALL)


@contextmanager
def temporary_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside `target` that the owner alone can open; it is removed after the block."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made, lock = _make(target)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def _make(target: Path) -> tuple[Path, int]:
    while True:
        made = Path(tempfile.mkdtemp(prefix=hidden_name(target, "."), suffix=SUFFIX, dir=target.parent))
        with suppress(FileNotFoundError):  # removed as dead before it was locked
            lock = open_locked(made / LOCK)
            if lock is not None:
                return made, lock


def remove_folder(folder: Path) -> None:
    """Remove a folder of ours. Its name is free at once: a kill leaves no half of it under that name."""
    with temporary_folder(folder) as aside, suppress(FileNotFoundError):
        os.rename(folder, aside / folder.name)
    remove_dead(folder)


def is_temporary(path: Path) -> bool:
    """Return whether this is the name of a temporary folder of ours."""
    return _NAME.fullmatch(path.name) is not None


def remove_dead(target: Path) -> None:
    """Remove what killed runs left for this target, beside it and in it."""
    prefix = hidden_name(target, ".")
    for place in (target.parent, target):
        for path in _temporaries(place):
            if path.name.startswith(prefix):
                _remove_if_dead(path)


def remove_all_dead(place: Path) -> list[Path]:
    """Remove the temporary folders that killed runs left in a folder; return them."""
    return [path for path in _temporaries(place) if _remove_if_dead(path)]


def _temporaries(place: Path) -> list[Path]:
    try:
        return sorted(path for path in place.iterdir() if is_temporary(path) and not path.is_symlink())
    except OSError:
        return []


def _remove_if_dead(path: Path) -> bool:
    try:
        lock = open_locked(path / LOCK, strict=True)
    except OSError:
        return False
    if lock is None:
        return False
    if (path / REPLACED).is_dir():  # killed between two renames: give the old folder its name back
        for old in (path / REPLACED).iterdir():
            if not (target := path.parent / old.name).exists():
                os.rename(old, target)
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)
    return not path.exists()
