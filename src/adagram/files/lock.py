"""File locks. Only the operating system's lock counts: a lock file that a dead process left is free."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import InputError

try:
    import fcntl
except ImportError:  # this system has no such locks
    fcntl = None  # type: ignore[assignment]

LOCK = ".adagram-lock"  # suffix of all lock files
_MAX_NAME = 200  # bytes; file systems allow 255


def hidden_name(target: Path, suffix: str) -> str:
    """Return the name of a hidden file or folder that belongs to `target`."""
    name = target.name
    if len(os.fsencode(name)) > _MAX_NAME:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return f".{name}{suffix}"


@contextmanager
def locked(target: Path, wait: bool = False) -> Iterator[None]:
    """Hold the lock of an output, so that one run at a time writes it; InputError if another run has it."""
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


def take_lock(descriptor: int, wait: bool = False, shared: bool = False) -> None:
    """Lock an open file; BlockingIOError if another process has it, another OSError if locks are not supported."""
    if fcntl is None:
        raise OSError("this system has no file locks")
    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    fcntl.flock(descriptor, mode if wait else mode | fcntl.LOCK_NB)


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
