"""Whether arrays that were read back are a state of a system: kernels use them without looking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.types import ArrayMap

MOST_COUNT = 2.0**62  # more words than any corpus has
_NOT_NEGATIVE = ("counts", "pending")
_PER_SENSE = ("vectors", "counts", "next_row", "centres", "squares")  # their length grows with the senses


def check_state(found: ArrayMap, own: ArrayMap, most_senses: int) -> None:
    """Refuse arrays that do not have the names, types and sizes of the system's `own` state, or impossible values.

    A word may have up to `most_senses` linked rows.
    """
    for name in own:
        _expect(name in found, f"it lacks {name}")
    has_links = "next_row" in own
    for name, array in own.items():
        _check_shape(name, found[name], array, grows=has_links and name in _PER_SENSE)
        _check_values(name, found[name])
    if has_links:
        n_rows = {name: len(found[name]) for name in _PER_SENSE if name in own}
        _expect(len(set(n_rows.values())) == 1, f"its arrays differ in length: {n_rows}")
        check_links(np.asarray(found["next_row"]), len(found["pending"]), most_senses)


def _check_shape(name: str, found: NDArray[np.generic], own: NDArray[np.generic], grows: bool) -> None:
    _expect(found.dtype == own.dtype, f"{name} is of type {found.dtype}, expected {own.dtype}")
    same = found.shape[1:] == own.shape[1:] and found.ndim == own.ndim
    fits = same and (grows or len(found) == len(own))
    _expect(fits, f"{name} has the shape {found.shape}, expected {own.shape}")


def _check_values(name: str, found: NDArray[np.generic]) -> None:
    if found.dtype.kind == "f":
        _expect(bool(np.isfinite(found).all()), f"{name} has a value that is no finite number")
    if name in _NOT_NEGATIVE and found.size:
        low, high = float(found.min()), float(found.max())
        _expect(low >= 0 and high <= MOST_COUNT, f"{name} has values from {low:g} to {high:g}")


def check_links(next_row: NDArray[np.int32], n_words: int, most_senses: int) -> None:
    """Each row has at most one before it, and first rows none: so the links from first rows are chains, and end.

    >>> check_links(np.array([2, -1, 3, -1], np.int32), n_words=2, most_senses=3)
    >>> check_links(np.array([2, -1, 3, 2], np.int32), n_words=2, most_senses=3)
    Traceback (most recent call last):
    adagram.errors.InputError: the state is damaged: its links are no chains
    """
    n_rows = len(next_row)
    _expect(n_rows >= n_words, f"it has {n_rows} rows for {n_words} words")
    linked = next_row[next_row != -1]
    in_range = bool(np.all((linked >= n_words) & (linked < n_rows)))
    _expect(in_range, "its links lead to rows that do not exist")
    _expect(len(np.unique(linked)) == len(linked), "its links are no chains")
    rows = next_row[:n_words]
    for _ in range(most_senses - 1):
        rows = next_row[rows[rows >= 0]]
    _expect(not np.any(rows >= 0), f"a word has more than {most_senses} senses")


def _expect(good: bool, what: str) -> None:
    if not good:
        raise InputError(f"the state is damaged: {what}")
