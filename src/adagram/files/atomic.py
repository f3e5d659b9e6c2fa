"""Atomic writes and file locks: a result is made in a temporary folder beside its target, synced, then renamed.

Nothing that exists is replaced unless `overwrite` is given, and a folder only if it is of the same kind and has no
files but ours. Each temporary folder contains a lock; one whose lock is free belongs to a dead process. Only the
operating system's lock counts: a lock file that a dead process left is free.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adagram.errors import InputError
from adagram.files.folders import Kind, foreign_files, kind_of, kind_of_part, write_sums

try:
    import fcntl
except ImportError:  # this system has no such locks
    fcntl = None  # type: ignore[assignment]

LOCK = ".adagram-lock"  # suffix of all lock files
SUFFIX = ".adagram"  # of temporary folders
REPLACED = ".adagram-replaced"  # in one: the old folder, between the renames of `_replace`
_TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}" + re.escape(SUFFIX), re.DOTALL)


@contextmanager
def new_folder(target: str | Path, kind: Kind, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty folder that replaces `target` if the block succeeds and is removed if it fails."""
    target = Path(os.path.realpath(target))
    check_new_folder(target, kind, overwrite)
    remove_dead(target)
    with temporary_folder(target) as place:
        made = place / target.name
        made.mkdir()
        yield made
        write_sums(made)
        _sync_all(made)
        check_new_folder(target, kind, overwrite)  # again: the work may have taken hours
        if target.exists():
            _replace(made, target)  # the old one is removed with the temporary folder
        else:
            made.rename(target)
        _sync(target.parent)


@contextmanager
def new_file(target: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield a path to write; the file replaces `target` if the block succeeds and is removed if it fails.

    It has the target's name, for libraries that look at it; files that they write beside it come along. A device or a
    pipe is written to directly, unless it is in a folder of ours.

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
        _sync_all(folder)
        # The file itself last: a reader that opens it must find its companions.
        files = [made for made in folder.iterdir() if made.name != LOCK]
        written = sorted(files, key=lambda made: made.name == target.name)
        for made in written:
            check_new_file(target.parent / made.name, overwrite)
        for made in written:
            made.replace(target.parent / made.name)
        _sync(target.parent)


def write_text(target: str | Path, text: str, overwrite: bool = False) -> None:
    """Write a text file in UTF-8 with plain line ends, atomically."""
    with new_file(target, overwrite) as made:
        made.write_text(text, encoding="utf-8", newline="\n")


def check_new_folder(target: str | Path, kind: Kind, overwrite: bool = False) -> None:
    """Raise InputError, before any work is done, if a folder cannot be written at `target`."""
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
        raise InputError(f"{target} is {found.article} already; give overwrite=True to replace it, or a new name")
    if foreign := [name for name in foreign_files(target, kind) if not is_temporary(target / name)]:
        names = ", ".join(name if name.isprintable() else ascii(name) for name in foreign[:3])
        raise InputError(
            f"{target} has files that do not belong to {kind.article}: {names}; move them away, or give a new name"
        )


def check_new_file(target: str | Path, overwrite: bool = False) -> None:
    """Raise InputError if a folder, or a file that may not be replaced, is at `target`."""
    if os.path.isdir(target):
        raise InputError(f"{target} is a folder; give the name of a file to write to")
    is_file = os.path.isfile(target)
    with suppress(OSError):
        if not stat.S_ISREG(os.lstat(target).st_mode) and (kind := kind_of(Path(target).parent)):
            raise InputError(f"{target} is a link or a device in {kind.article}; remove it and run again")
    if is_file and not overwrite:
        raise InputError(f"{target} exists already; give overwrite=True to replace it, or a new name")
    if is_file and (kind := kind_of_part(Path(os.path.realpath(target)))):
        raise InputError(f"{target} is part of {kind.article}; give a new name")


def _replace(made: Path, target: Path) -> None:
    """Put a folder in the place of another: at once if the system can (Linux), else by two renames.

    A process that is killed between these leaves the old folder in the temporary one; `_discard` restores it.
    """
    if not _exchange(made, target):
        aside = made.parent / REPLACED / target.name
        aside.parent.mkdir()
        os.rename(target, aside)
        os.rename(made, target)


def _exchange(a: Path, b: Path) -> bool:
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    at_fdcwd, rename_exchange = -100, 2
    return rename is not None and not rename(at_fdcwd, os.fsencode(a), at_fdcwd, os.fsencode(b), rename_exchange)


@contextmanager
def temporary_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside `target` that only the owner can open; remove it after the block."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made, lock = _make_locked(target)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield made
    finally:
        _discard(made, lock)


def _discard(folder: Path, lock: int) -> None:
    """Remove a temporary folder; restore from it the old folder of a target that has no new one."""
    for old in folder.glob(f"{REPLACED}/*"):
        if not (target := folder.parent / old.name).exists():
            os.rename(old, target)
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _make_locked(target: Path) -> tuple[Path, int]:
    while True:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=SUFFIX, dir=target.parent))
        with suppress(FileNotFoundError):  # another process took it for dead before it was locked
            lock = open_locked(made / LOCK)
            if lock is not None:
                return made, lock


def is_temporary(path: Path) -> bool:
    """Return whether this is the name of a temporary folder of ours."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_folder(folder: Path) -> None:
    """Remove a folder of ours. It is renamed first: a kill leaves no half of it under its name."""
    with temporary_folder(folder) as aside, suppress(FileNotFoundError):
        os.rename(folder, aside / folder.name)
    remove_dead(folder)


def remove_dead(target: Path) -> None:
    """Remove the temporary folders that killed runs left for this target, beside it and in it."""
    for place in (target.parent, target):
        remove_all_dead(place, f".{target.name}.")


def remove_all_dead(place: Path, prefix: str = "") -> list[Path]:
    """Remove the temporary folders that killed runs left in a folder; return them."""
    try:
        found = sorted(path for path in place.iterdir() if is_temporary(path) and not path.is_symlink())
    except OSError:
        return []
    return [path for path in found if path.name.startswith(prefix) and _remove_if_dead(path)]


def _remove_if_dead(path: Path) -> bool:
    try:
        lock = open_locked(path / LOCK, strict=True)
    except OSError:
        return False
    if lock is None:
        return False
    _discard(path, lock)
    return not path.exists()


def _sync_all(folder: Path) -> None:
    """Sync everything in a folder to disk, with the permissions of ordinary new files."""
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


# -- locks


@contextmanager
def locked(target: Path, wait: bool = False) -> Iterator[None]:
    """Hold the lock of an output, so that one run at a time writes it; InputError if another run has it."""
    target = Path(os.path.realpath(target))
    path = target.with_name(f".{target.name}{LOCK}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = open_locked(path, wait)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    if descriptor is None:
        raise InputError(f"{target} is being written by another run; wait for it, or give a new name")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def open_locked(path: Path, wait: bool = False, strict: bool = False) -> int | None:
    """Create or open a lock file and lock it; return None if another process has the lock.

    On a file system without locks nothing is locked; with `strict` this is an OSError.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            take_lock(descriptor, wait)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            if strict:
                os.close(descriptor)
                raise
        try:
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)  # its last holder has removed the file: try again


def take_lock(descriptor: int, wait: bool = False) -> None:
    """Lock an open file; BlockingIOError if another process has it, another OSError if locks are not supported."""
    if fcntl is None:
        raise OSError("this system has no file locks")
    fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
