"""One run per output: a lock file beside it that says who holds it; one left by a dead run does not stop the next."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adagram.errors import InputError

try:
    import fcntl
except ImportError:  # not on this system: the file alone must do
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """While the block runs, no other run on this file system writes `target`."""
    target = Path(os.path.realpath(target))
    path = target.with_name(f".{target.name[:100]}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _take(path)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    if descriptor is None:
        raise InputError(
            f"{target} is being written by another run ({_holder(path)}); wait for it, or give a new name"
        )
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _take(path: Path) -> int | None:
    """An open, locked and signed lock file, or None if somebody else has it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return None
        if not _is_file_of(descriptor, path):  # its holder removed it meanwhile
            os.close(descriptor)
            continue
        signed = os.read(descriptor, 4096)
        if signed and _host(signed) != socket.gethostname():  # flock may not reach over machines
            os.close(descriptor)
            return None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode(), 0)
        return descriptor


def _is_file_of(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _host(signed: bytes) -> str:
    try:
        return str(json.loads(signed)["host"])
    except (ValueError, KeyError, TypeError):
        return socket.gethostname()  # half a signature: of a process that died, as the lock is free


def _holder(path: Path) -> str:
    try:
        signed = json.loads(path.read_bytes()[:4096])
        return f"process {signed['pid']} on {signed['host']}, by {path}"
    except (OSError, ValueError, KeyError, TypeError):
        return f"by {path}"
