"""How kernels are compiled: two decorators, so that every kernel has the same flags and the same cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

# Sums may be reordered and contracted; NaN and infinity keep their meaning, so that divergence can be seen.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
_OPTIONS = {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy"}


def jit(function: Callable[..., Any]) -> Any:
    """Compile without the GIL, cached on disk; where no cache folder can be written, compile each time."""
    return _compiled(function, _OPTIONS)


def kernel(function: Callable[..., Any]) -> Any:
    """As `jit`, for functions that allocate nothing: part of their caller, and without counting references to arrays."""
    return _compiled(function, _OPTIONS | {"forceinline": True, "_nrt": False})


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found neither a writable __pycache__ nor a writable user cache
        return numba.njit(**options)(function)
