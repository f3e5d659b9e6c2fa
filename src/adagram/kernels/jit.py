"""How kernels are compiled: three decorators, so that every kernel has the same flags and the same cache."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache

# Sums may be reordered and contracted; NaN and infinity keep their meaning, so that divergence can be seen.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


LOG = logging.getLogger("adagram")


class Cache(FunctionCache):
    """Compiled code on disk; where it is damaged or cannot be written, kernels are compiled again, and it is said."""

    is_said = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever comes of unpickling damaged bytes
            self._say("is damaged and is compiled again", error)
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, or an index that was damaged meanwhile
            self._say("cannot be kept for the next run", error)

    def _say(self, what: str, error: Exception) -> None:
        if not Cache.is_said:
            Cache.is_said = True
            LOG.warning("adagram: compiled code in %s %s (%s)", self.cache_path, what, type(error).__name__)


def jit(function: Callable[..., Any]) -> Any:
    """Compile without the GIL, cached on disk; where no cache folder can be written, compile each time."""
    return _compiled(function)


def kernel(function: Callable[..., Any]) -> Any:
    """As `jit`, for functions that allocate nothing: compiled into their caller, and no references are counted."""
    return _compiled(function, forceinline=True, _nrt=False)


def part(function: Callable[..., Any]) -> Any:
    """As `kernel`, where only kernels call it: without the wrappers for Python, which take time to compile."""
    return _compiled(function, forceinline=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    compiled = numba.njit(nogil=True, fastmath=_FASTMATH, error_model="numpy", **options)(function)
    with suppress(RuntimeError):  # numba found neither a writable __pycache__ nor a writable user cache
        compiled._cache = Cache(function)
        compiled._cache._cache_file._source_stamp = sources()
    return compiled


@cache
def sources() -> str:
    """What a cached kernel was made of: numba looks at its own file only, not at those it calls into."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
