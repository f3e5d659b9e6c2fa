"""Writing a file or a folder whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import InputError
from adagram.whole.kinds import Kind, foreign_files, kind_of, kind_of_part
from adagram.whole.rename import exchange, recover
from adagram.whole.sums import write_sums
from adagram.whole.temporary import is_temporary, remove_dead, temporary_folder


@contextmanager
def new_folder(target: str | Path, kind: Kind, overwrite: bool = False) -> Iterator[Path]:
    """An empty folder that takes the place of `target` when the block ends well, and vanishes when it does not.

    With `overwrite` an older folder of the same kind stays until then. A mount point or the current folder cannot be
    renamed: it is filled instead, the file that marks its kind last.
    """
    target = Path(os.path.realpath(target))
    check_new_folder(target, kind, overwrite)
    remove_dead(target)
    with temporary_folder(target, _place(target)) as made:
        yield made
        write_sums(made)
        _settle(made)
        check_new_folder(target, kind, overwrite)  # again: the work may have taken hours
        if made.parent == target:
            _fill(target, made, kind)
        elif target.exists():
            exchange(made, target)  # the old one gets the temporary name, and goes with it
        else:
            made.rename(target)
        _sync(target.parent)


@contextmanager
def new_file(target: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """Where to write a file that takes the place of `target` when the block ends well, and vanishes when it does not.

    It has the target's name, for libraries that look at it; files that they write beside it come along. A device or a
    pipe is written to as it is.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with new_file(target) as made: _ = made.write_text("1 2 3")
    >>> target.read_text()
    '1 2 3'
    """
    check_new_file(target, overwrite)
    if os.path.exists(target) and not os.path.isfile(target):
        yield Path(target)
        return
    target = Path(os.path.realpath(target))
    remove_dead(target)
    with temporary_folder(target, target.parent) as folder:
        yield folder / target.name
        _settle(folder)
        # The file itself last: it is what a reader opens, so its companions must be there already.
        written = sorted(folder.iterdir(), key=lambda made: made.name == target.name)
        for made in written:
            check_new_file(target.parent / made.name, overwrite)
        for made in written:
            made.replace(target.parent / made.name)
        _sync(target.parent)


def write_text(target: str | Path, text: str, overwrite: bool = False) -> None:
    """A text file in UTF-8 with plain line ends, whole or not at all."""
    with new_file(target, overwrite) as made:
        made.write_text(text, encoding="utf-8", newline="\n")


def check_new_folder(target: str | Path, kind: Kind, overwrite: bool = False) -> None:
    """Refuse, before any work is done, to write a folder where something stands that may not be replaced."""
    target = Path(os.path.realpath(target))
    recover(target)
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give the name of a folder to write to")
    if target.is_dir() and any(not is_temporary(path) for path in target.iterdir()):
        _check_replaceable(target, kind, overwrite)
    with temporary_folder(target, _place(target)):  # fail now, not after hours of work
        pass


def _check_replaceable(target: Path, kind: Kind, overwrite: bool) -> None:
    found = kind_of(target)
    if found is None:
        raise InputError(f"{target} is a folder with other files in it; give a new name")
    if found is not kind:
        raise InputError(f"{target} is {found.article}, not {kind.article}; give a new name")
    if not overwrite:
        raise InputError(
            f"{target} is {found.article} already; give overwrite=True to replace it, or a new name"
        )
    if foreign := [name for name in foreign_files(target, kind) if not is_temporary(target / name)]:
        raise InputError(
            f"{target} has files that do not belong to {kind.article}: {', '.join(foreign[:3])}; "
            "move them away, or give a new name"
        )


def check_new_file(target: str | Path, overwrite: bool = False) -> None:
    """Refuse to write a file where a folder stands, or a file that may not be replaced."""
    if os.path.isdir(target):
        raise InputError(f"{target} is a folder; give the name of a file to write to")
    if os.path.isfile(target) and not overwrite:
        raise InputError(f"{target} exists already; give overwrite=True to replace it, or a new name")
    if os.path.isfile(target) and (kind := kind_of_part(Path(os.path.realpath(target)))):
        raise InputError(f"{target} is part of {kind.article}; give a new name")


def _place(target: Path) -> Path:
    """Where `target` is made: beside it, or inside if it cannot be renamed: a mount point, or the current folder."""
    is_fixed = target.is_dir() and (os.path.ismount(target) or target == Path.cwd())
    return target if is_fixed else target.parent


def _fill(target: Path, made: Path, kind: Kind) -> None:
    """Move the files into a folder that must stay; it has no mark as long as they are not all there."""
    new = {path.name for path in made.iterdir()}
    (target / kind.mark).unlink(missing_ok=True)
    for old in target.iterdir():
        if old.is_file() and old.name not in new:
            old.unlink()
    for path in sorted(made.iterdir(), key=lambda path: path.name == kind.mark):
        path.replace(target / path.name)
    _sync(target)


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
