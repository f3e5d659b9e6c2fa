"""Compilation of kernels by numba, with common flags and a cache on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

# Sums may be reordered and contracted; NaN and infinity keep their meaning, so that divergence can be seen.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


def jit(function: Callable[..., Any]) -> Any:
    """Compile a function without the GIL, cached on disk if a cache folder can be written."""
    return _njit(function, is_cached=True)


def kernel(function: Callable[..., Any]) -> Any:
    """As `jit`, compiled into its caller if that is a kernel."""
    return _njit(function, is_cached=True, forceinline=True)


def part(function: Callable[..., Any]) -> Any:
    """As `kernel`, for functions that only kernels call.

    A function that is not compiled into its callers may be optimized in another way for each of them. Which version
    runs then depends on whether a kernel was compiled in this process or read from the cache, and so do the last bits
    of sums.
    """
    return _njit(function, is_cached=False, forceinline=True, no_cpython_wrapper=True)


def _njit(function: Callable[..., Any], is_cached: bool, **options: Any) -> Any:
    import numba

    options |= {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy", "no_cfunc_wrapper": True}
    if not is_cached or not is_writable(cache_folder()):
        return numba.njit(**options)(function)
    # numba's own stamp of a cached function covers only its file, not those of its callees: so the folder name does.
    given = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = given


@cache
def sources() -> str:
    """Return a hash of all kernels, since one is compiled into another."""
    package = Path(__file__).parent.parent
    files = sorted([*package.glob("kernels/*.py"), *package.glob("*/_[a-z]*.py")])
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def cache_folder() -> Path:
    """Return the folder of compiled kernels, in the user's cache folder or in NUMBA_CACHE_DIR."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "adagram"
    return (Path(given) if given else user) / "kernels" / sources()[:16]


@cache
def is_writable(folder: Path) -> bool:
    """Return whether a file can be written to the folder; create the folder if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def is_compiled(function: str) -> bool:
    """Return whether code of a function of this name is cached, without loading the compiler."""
    return any(cache_folder().rglob(f"*.{function}*-*.nbi"))
