"""Writing a folder so that it appears complete or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import InputError

# A folder with one of these is a model, a checkpoint or an encoded corpus: ours, so it may be replaced.
MARKS = ("config.json", "corpus.json")


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary sibling that takes the place of `target` when the block ends well, and vanishes when it does not."""
    target = Path(os.path.abspath(target))
    check_free(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield made
        _settle(made)
        _take_place(made, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def check_free(target: Path) -> None:
    """Refuse to write where something else stands."""
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give the name of a folder to write to")
    if target.is_dir() and any(target.iterdir()) and not is_ours(target):
        raise InputError(f"{target} is a folder with other files in it; give a new name")


def is_ours(folder: Path) -> bool:
    return any((folder / mark).is_file() for mark in MARKS)


def _settle(folder: Path) -> None:
    """To the disk, with the rights of ordinary new files: what makes temporary files leaves them to the owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    folder.chmod(0o777 & ~mask)
    for path in folder.iterdir():
        path.chmod(0o666 & ~mask)
        with open(path, "rb") as file:
            os.fsync(file.fileno())


def _take_place(made: Path, target: Path) -> None:
    """Rename; an older folder of that name is moved aside first, as folders cannot replace each other."""
    if not target.exists():
        made.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    target.rename(old / "folder")
    try:
        made.rename(target)
    except BaseException:
        (old / "folder").rename(target)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
