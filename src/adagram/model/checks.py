"""Whether the arrays of a model belong together: kernels read them without looking, so nothing wrong may pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.types import ArrayMap

# Type and number of dimensions of each array; see `adagram.model.storage`.
_NEEDED = {
    "vectors": (np.float32, 2),
    "norms": (np.float32, 1),
    "offsets": (np.int64, 1),
    "counts": (np.float64, 1),
    "priors": (np.float64, 1),
    "output": (np.float32, 2),
}
_OPTIONAL = {
    "steps": (np.int32, 1),
    "paths": (np.int64, 1),
    "centres": (np.float32, 2),
    "totals": (np.float64, 1),
    "agreement": (np.float64, 1),
}
_WIDTH = 8  # rows are padded to a multiple of this


def check_arrays(path: Path, arrays: ArrayMap, n_words: int, dim: int) -> None:
    """Refuse arrays that are no model of `n_words` words and `dim` dimensions."""
    check_kinds(path, arrays)
    check_senses(path, arrays, n_words, dim)
    check_output(path, arrays, n_words, len(arrays["output"]))


def check_kinds(path: Path, arrays: ArrayMap) -> None:
    """Every array that a model needs, none that it does not know, each of the right type."""
    known = _NEEDED | _OPTIONAL
    missing = [name for name in _NEEDED if name not in arrays]
    strange = [name for name in arrays if name not in known]
    expect(not missing, path, f"it lacks {', '.join(missing)}")
    expect(not strange, path, f"it has the unknown arrays {', '.join(map(repr, strange))}")
    expect(("steps" in arrays) == ("paths" in arrays), path, "it has only one of steps and paths")
    for name, (dtype, ndim) in known.items():
        if name in arrays:
            found = arrays[name]
            expect(found.dtype == dtype, path, f"{name} is of type {found.dtype}, expected {np.dtype(dtype)}")
            expect(found.ndim == ndim, path, f"{name} has {found.ndim} dimensions, expected {ndim}")


def check_senses(path: Path, arrays: ArrayMap, n_words: int, dim: int) -> None:
    """The arrays that have an entry per sense, and the width of all rows."""
    n, width = arrays["vectors"].shape
    expect(width >= dim and width % _WIDTH == 0, path, f"rows have {width} values for {dim} dimensions")
    expect(arrays["output"].shape[1] == width, path, "vectors and output differ in width")
    fits = _rises(arrays["offsets"], n_words, n)
    expect(fits, path, f"sense offsets do not fit {n_words} words and {n} senses")
    for name in ("norms", "counts", "priors"):
        expect(len(arrays[name]) == n, path, f"{name} has {len(arrays[name])} entries for {n} senses")
    priors, counts = arrays["priors"], arrays["counts"]
    expect(bool(np.all((priors >= 0) & (priors <= 1))), path, "a prior is not a number from 0 to 1")
    expect(bool(np.all(np.isfinite(counts))), path, "a count is no number")
    norms = arrays["norms"]
    expect(bool(np.all((norms >= 0) & (norms < np.inf))), path, "a norm is no number from 0")
    for name in ("totals", "agreement"):
        if name in arrays:
            values = arrays[name]
            expect(len(values) == n_words, path, f"{name} has {len(values)} entries for {n_words} words")
            expect(bool(np.all(np.isfinite(values))), path, f"a value of {name} is no number")
    if "centres" in arrays:
        expect(arrays["centres"].shape == (n, width), path, "centres do not fit the senses")


def check_output(path: Path, arrays: ArrayMap, n_words: int, n_rows: int) -> None:
    """The tree, or an output row per word where there is none."""
    if "steps" not in arrays:
        expect(n_rows == n_words, path, f"output has {n_rows} rows for {n_words} words")
        return
    steps, paths = arrays["steps"], arrays["paths"]
    expect(_rises(paths, n_words, len(steps)), path, "paths do not fit the vocabulary")
    expect(bool(steps.min() >= 0 and steps.max() < 2 * n_rows), path, "paths name nodes that do not exist")


def finite(values: NDArray[Any]) -> NDArray[Any]:
    """The values as they are; vectors are not looked at when a model is opened, so a damaged one is found out here."""
    if not np.isfinite(values.sum()):
        raise InputError(
            "the vectors of the model are damaged: they give no finite numbers; run `adagram check`"
        )
    return values


def expect(good: bool, path: Path, what: str) -> None:
    if not good:
        raise InputError(f"{path} is damaged: {what}")


def _rises(bounds: NDArray[Any], n_parts: int, end: int) -> bool:
    """Whether bounds cut 0:end into `n_parts` parts, none of them empty."""
    return (
        len(bounds) == n_parts + 1
        and bool(bounds[0] == 0 and bounds[-1] == end)
        and bool(np.all(bounds[1:] > bounds[:-1]))
    )
