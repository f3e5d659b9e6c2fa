"""Lock files: the operating system's lock alone says whether a process is at work.

A lock that a dead process left is free, whatever the host or the process was called.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import InputError

try:
    import fcntl
except ImportError:  # not on this system: there are no locks
    fcntl = None  # type: ignore[assignment]

LOCK = ".adagram-lock"  # how the names of all lock files end
_LONG = 200  # bytes; file systems take 255


def hidden_name(target: Path, end: str) -> str:
    """Return the name of a hidden file or folder that belongs to `target`."""
    name = target.name
    if len(os.fsencode(name)) > _LONG:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return f".{name}{end}"


@contextmanager
def locked(target: Path, wait: bool = False) -> Iterator[None]:
    """Hold the lock of an output, so that one run at a time writes it.

    Raises
    ------
    InputError
        If another run holds it; with `wait` its end is waited for instead.
    """
    target = Path(os.path.realpath(target))
    path = target.with_name(hidden_name(target, LOCK))
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
    """Open a lock file, made if need be, and lock it; return None if another process has the lock.

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
        if _is_open(descriptor, path):
            return descriptor
        os.close(descriptor)  # its last holder removed it meanwhile


def _is_open(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def take_lock(descriptor: int, wait: bool = False, shared: bool = False) -> None:
    """Lock an open file; BlockingIOError: another process has it; another OSError: there are no locks here."""
    if fcntl is None:
        raise OSError("this system has no file locks")
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    fcntl.flock(descriptor, how if wait else how | fcntl.LOCK_NB)


def remove_dead_locks(place: Path) -> list[Path]:
    """Remove the lock files in a folder that no process holds; return them."""
    removed = []
    for path in sorted(place.glob(f".*{LOCK}")):
        try:
            descriptor = open_locked(path, strict=True)
        except OSError:
            continue
        if descriptor is not None:
            path.unlink(missing_ok=True)
            os.close(descriptor)
            removed.append(path)
    return removed
