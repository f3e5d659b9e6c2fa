"""Where compiled kernels are kept: one folder for all versions of the package whose kernels are the same."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

KEPT = 8  # folders of other kernels, of which the oldest goes


@cache
def sources() -> str:
    """What compiled code was made of: all kernels, since one is compiled into another."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def code_folder() -> Path:
    """In the user's cache folder, or in the one that NUMBA_CACHE_DIR names."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    caches = (
        Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adagram"
    )
    return caches / "kernels" / sources()[:16]


@cache
def is_writable(folder: Path) -> bool:
    """Whether it is there, or could be made, and takes a file."""
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            _forget_oldest(folder.parent)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _forget_oldest(home: Path) -> None:
    with suppress(OSError):
        folders = sorted(home.iterdir(), key=lambda folder: folder.stat().st_mtime)
        for folder in folders[: -1 - KEPT]:
            shutil.rmtree(folder, ignore_errors=True)


def is_compiled(module: str, function: str) -> bool:
    """Whether code of this function is kept; asked without loading the compiler."""
    try:
        return any(code_folder().glob(f"{module}.{function}-*.nbi"))
    except (OSError, RuntimeError):  # no such folder, or no home
        return False


_listeners: list[Callable[[], None]] = []


@contextmanager
def when_compiling(listener: Callable[[], None]) -> Iterator[None]:
    """Meanwhile `listener` is called once, if something has to be compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        if listener in _listeners:
            _listeners.remove(listener)


def tell_compiling() -> None:
    while _listeners:
        _listeners.pop()()
