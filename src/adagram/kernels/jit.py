"""How kernels are compiled: two decorators, so that every kernel has the same flags and the same cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

# Sums may be reordered and contracted; NaN and infinity keep their meaning, so that divergence can be seen.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
_OPTIONS = {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy"}


def jit(function: Callable[..., Any]) -> Any:
    """Compile without the GIL, cached on disk; where no cache folder can be written, compile each time."""
    return _compiled(function, _OPTIONS)


def kernel(function: Callable[..., Any]) -> Any:
    """As `jit`, for functions that allocate nothing: compiled into their caller, and no references are counted."""
    return _compiled(function, _OPTIONS | {"forceinline": True, "_nrt": False})


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found neither a writable __pycache__ nor a writable user cache
        return numba.njit(**options)(function)
    compiled._cache._cache_file._source_stamp = sources()
    return compiled


@cache
def sources() -> str:
    """What a cached kernel was made of: numba looks at its own file only, not at those it calls into."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
