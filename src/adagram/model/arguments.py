"""Checks of what callers give. Compiled kernels do not check their indices, so nothing reaches one unchecked."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.options import FloatRange, IntRange, spelled
from adagram.types import I64, Floats

TOP = IntRange(0, 10**9)
MIN_COUNT = FloatRange(0.0, 1e15)
PROBABILITY = FloatRange(0.0, 1.0)
_QUERY = "a sense, a word, a vector (array), or a list of these"


def checked_text(value: Any, name: str, what: str = "a str") -> str:
    """Return `value` if it is a str."""
    if not isinstance(value, str):
        raise InputError(f"{name} is {spelled(value)}, of type {type(value).__name__}; it must be {what}")
    return value


def checked_path(value: Any, name: str) -> Path:
    """Return `value`, a str or path, as a path that the system takes."""
    is_path = isinstance(value, str | os.PathLike) and isinstance(os.fspath(value), str) and os.fspath(value) != ""
    try:
        if is_path:
            os.lstat(value)
    except ValueError:  # a null byte
        is_path = False
    except OSError as error:
        is_path = error.errno != errno.ENAMETOOLONG
    if not is_path:
        raise InputError(f"{name} is {spelled(value)}; it must be a path")
    return Path(value)


def listed(values: Any, name: str, what: str) -> list[Any]:
    """Return the items of an iterable; a str, a mapping and a table of several columns are refused."""
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes | bytearray | Mapping)
    if not is_list or getattr(values, "ndim", 1) != 1:
        raise InputError(f"{name} is {spelled(values)}, of type {type(values).__name__}; it must be {what}")
    return list(values)


def queries_of(values: Any) -> list[Any]:
    """Return a word, a vector, or an iterable of these as a list."""
    is_one = isinstance(values, str) or getattr(values, "ndim", 0) == 1
    rows = list(values) if getattr(values, "ndim", 0) > 1 else values  # of a table of vectors
    found = [values] if is_one else listed(rows, "a query", _QUERY)
    for query in found:
        if not isinstance(query, str | np.ndarray):
            raise InputError(f"a query is {spelled(query)}, of type {type(query).__name__}; it must be {_QUERY}")
    return found


def checked_vector(values: NDArray[Any], dim: int) -> Floats:
    """Return a vector of `dim` finite numbers as float64."""
    found = np.asarray(values, np.float64) if values.dtype.kind in "fiu" else np.empty(0)
    if found.shape != (dim,) or not np.isfinite(found).all():
        raise InputError(f"a vector has the shape {values.shape}; {dim} finite numbers are needed")
    return found


def line_ends(values: Any, n_tokens: int) -> I64:
    """Return the ends of the lines of a text as an array of int64; they rise, and the last is the end of the text."""
    ends = _whole_numbers(values, "line ends")
    last = int(ends[-1]) if len(ends) else 0
    if last != n_tokens or (len(ends) and (ends[0] < 0 or np.any(ends[1:] < ends[:-1]))):
        raise InputError(
            f"the line ends {spelled(ends.tolist())} do not fit a text of {n_tokens} words; they must rise, and the "
            f"last must be {n_tokens}"
        )
    return np.ascontiguousarray(ends, np.int64)


def places(values: Any, n: int, what: str) -> I64:
    """Return indices from 0 to n - 1 as an array of int64."""
    found = _whole_numbers(values, what)
    if len(found) and (found.min() < 0 or found.max() >= n):
        strange = found[(found < 0) | (found >= n)][0]
        raise InputError(f"{strange} is not among the {what}, which are from 0 to {n - 1}; leave it out")
    return np.ascontiguousarray(found, np.int64)


def _whole_numbers(values: Any, name: str) -> NDArray[Any]:
    try:
        found = np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # ragged lists and the like
        found = np.empty((0, 0))
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        raise InputError(f"{name} are {spelled(values)}; a one-dimensional array of whole numbers is needed")
    return found
