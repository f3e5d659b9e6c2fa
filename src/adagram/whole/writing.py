"""Writing a file or a folder whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import InputError
from adagram.whole.kinds import Kind, foreign_files, kind_of, kind_of_part
from adagram.whole.lock import LOCK
from adagram.whole.sums import write_sums
from adagram.whole.temporary import REPLACED, is_temporary, remove_dead, temporary_folder

_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


@contextmanager
def new_folder(target: str | Path, kind: Kind, overwrite: bool = False) -> Iterator[Path]:
    """An empty folder that takes the place of `target` when the block ends well, and vanishes when it does not.

    With `overwrite` an older folder of the same kind stays until then.
    """
    target = Path(os.path.realpath(target))
    check_new_folder(target, kind, overwrite)
    remove_dead(target)
    with temporary_folder(target) as place:
        made = place / target.name
        made.mkdir()
        yield made
        write_sums(made)
        _settle(made)
        check_new_folder(target, kind, overwrite)  # again: the work may have taken hours
        if target.exists():
            exchange(made, target)  # the old one is removed with the temporary folder
        else:
            made.rename(target)
        _sync(target.parent)


def exchange(a: Path, b: Path) -> None:
    """Exchange the names of two folders: at once if the system can, else by three renames.

    A process that is killed between these leaves `b` in its temporary folder; `remove_dead` gives it its name back.
    """
    if not _exchange_at_once(a, b):
        with temporary_folder(b) as place:
            aside = place / REPLACED / b.name
            aside.parent.mkdir()
            os.rename(b, aside)
            try:
                os.rename(a, b)
            except BaseException:
                os.rename(aside, b)
                raise
            os.rename(aside, a)


def _exchange_at_once(a: Path, b: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    if rename(_AT_FDCWD, os.fsencode(a), _AT_FDCWD, os.fsencode(b), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(b))


@contextmanager
def new_file(target: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """Where to write a file that takes the place of `target` when the block ends well, and vanishes when it does not.

    It has the target's name, for libraries that look at it; files that they write beside it come along. A device or a
    pipe is written to as it is, unless it stands in a folder of ours.

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
    with temporary_folder(target) as folder:
        yield folder / target.name
        _settle(folder)
        # The file itself last: it is what a reader opens, so its companions must be there already.
        files = [made for made in folder.iterdir() if made.name != LOCK]
        written = sorted(files, key=lambda made: made.name == target.name)
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
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give the name of a folder to write to")
    if target.is_dir() and (os.path.ismount(target) or os.path.samefile(target, ".")):
        raise InputError(
            f"{target} is a mount point or the current folder, which cannot be replaced by a complete result; "
            "give the name of a folder in it"
        )
    if target.is_dir() and any(not is_temporary(path) for path in target.iterdir()):
        _check_replaceable(target, kind, overwrite)
    with temporary_folder(target):  # fail now, not after hours of work
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
    if not _is_regular(target) and (kind := kind_of(Path(target).parent)):
        raise InputError(f"{target} is a link or a device in {kind.article}; remove it and run again")
    if os.path.isfile(target) and not overwrite:
        raise InputError(f"{target} exists already; give overwrite=True to replace it, or a new name")
    if os.path.isfile(target) and (kind := kind_of_part(Path(os.path.realpath(target)))):
        raise InputError(f"{target} is part of {kind.article}; give a new name")


def _is_regular(target: str | Path) -> bool:
    """Return whether it is a regular file itself, not a link to one, or is not there."""
    try:
        return stat.S_ISREG(os.lstat(target).st_mode)
    except OSError:
        return True


def _settle(folder: Path) -> None:
    """To the disk, with the rights of ordinary new files: what makes temporary files leaves them to the owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    for path in (*folder.rglob("*"), folder):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
