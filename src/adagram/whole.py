"""Files and folders that appear whole or not at all: the one place where results get their names.

What is being written stands in a new folder beside its target, under a name that nobody can guess, open to the owner
alone. It is brought to the disk before it gets its name, so that a name never leads to half a result.
"""

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
def new_folder(target: str | Path) -> Iterator[Path]:
    """An empty folder that takes the place of `target` when the block ends well, and vanishes when it does not."""
    target = Path(os.path.abspath(target))
    check_free(target)
    with _beside(target) as made:
        yield made
        _settle(made)
        _take_place(made, target)


@contextmanager
def new_file(target: str | Path) -> Iterator[Path]:
    """Where to write a file that takes the place of `target` when the block ends well, and vanishes when it does not.

    It has the target's name, for libraries that look at it; files that they write beside it come along. A device or a
    pipe is written to as it is.

    >>> target = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with new_file(target) as made: _ = made.write_text("1 2 3")
    >>> target.read_text()
    '1 2 3'
    """
    check_file(target)
    if os.path.exists(target) and not os.path.isfile(target):
        yield Path(target)
        return
    target = Path(os.path.realpath(target))
    with _beside(target) as folder:
        yield folder / target.name
        _settle(folder)
        # The file itself last: it is what a reader opens, so its companions must be there already.
        for made in sorted(folder.iterdir(), key=lambda made: made.name == target.name):
            made.replace(target.parent / made.name)
        _sync(target.parent)


def write_text(target: str | Path, text: str) -> None:
    """A text file in UTF-8 with plain line ends, whole or not at all."""
    with new_file(target) as made:
        made.write_text(text, encoding="utf-8", newline="\n")


def check_free(target: Path) -> None:
    """Refuse to write a folder where something else stands."""
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give the name of a folder to write to")
    if target.is_dir() and any(target.iterdir()) and not is_ours(target):
        raise InputError(f"{target} is a folder with other files in it; give a new name")


def check_file(target: str | Path) -> None:
    """Refuse to write a file where a folder stands."""
    if os.path.isdir(target):
        raise InputError(f"{target} is a folder; give the name of a file to write to")


def check_writable(target: Path) -> None:
    """Fail now, not after hours of work: is there a place for a folder of this name?"""
    check_free(target)
    with _beside(Path(os.path.abspath(target))):
        pass


def is_ours(folder: Path) -> bool:
    return any((folder / mark).is_file() for mark in MARKS)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A new folder on the target's file system, which is gone after the block unless it was renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent))
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _settle(folder: Path) -> None:
    """To the disk, with the rights of ordinary new files: what makes temporary files leaves them to the owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    for path in (*folder.rglob("*"), folder):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        _sync(path)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # folders cannot be opened there
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take_place(made: Path, target: Path) -> None:
    """Rename; an older folder of that name is moved aside first, as folders cannot replace each other."""
    if not target.exists():
        made.rename(target)
        _sync(target.parent)
        return
    with _beside(target) as aside:
        target.rename(aside / "old")
        try:
            made.rename(target)
        except BaseException:
            (aside / "old").rename(target)
            raise
        _sync(target.parent)
