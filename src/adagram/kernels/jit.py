"""How kernels are compiled: one decorator, so that every kernel has the same flags and the same cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

# Sums may be reordered and contracted; NaN and infinity keep their meaning, so that divergence can be seen.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


def jit(function: Callable[..., Any]) -> Any:
    """Compile without the GIL, cached on disk; where no cache folder can be written, compile each time."""
    options = {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found neither a writable __pycache__ nor a writable user cache
        return numba.njit(**options)(function)
