"""Whether the arrays of a model belong together: kernels read them without looking, so nothing wrong may pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError

# Type and number of dimensions of each array; see `adagram.model.storage`.
_NEEDED = {
    "vectors": (np.float32, 2),
    "norms": (np.float32, 1),
    "offsets": (np.int64, 1),
    "counts": (np.float64, 1),
    "priors": (np.float64, 1),
    "output": (np.float32, 2),
}
_OPTIONAL = {"steps": (np.int32, 1), "paths": (np.int64, 1), "centres": (np.float32, 2)}
_LANES = 8  # rows are padded to a multiple of this


def check_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], n_words: int, dim: int) -> None:
    """Refuse arrays that are no model of `n_words` words and `dim` dimensions."""

    def expect(good: bool, what: str) -> None:
        if not good:
            raise InputError(f"{path} is damaged: {what}")

    known = _NEEDED | _OPTIONAL
    missing = [name for name in _NEEDED if name not in arrays]
    strange = [name for name in arrays if name not in known]
    expect(not missing, f"it lacks {', '.join(missing)}")
    expect(not strange, f"it has the unknown arrays {', '.join(map(repr, strange))}")
    expect(("steps" in arrays) == ("paths" in arrays), "it has only one of steps and paths")
    for name, (dtype, ndim) in known.items():
        if name in arrays:
            found = arrays[name]
            expect(found.dtype == dtype, f"{name} is of type {found.dtype}, expected {np.dtype(dtype)}")
            expect(found.ndim == ndim, f"{name} has {found.ndim} dimensions, expected {ndim}")
    n, width = arrays["vectors"].shape
    expect(width >= dim and width % _LANES == 0, f"rows have {width} values for {dim} dimensions")
    expect(arrays["output"].shape[1] == width, "vectors and output differ in width")
    expect(_rises(arrays["offsets"], n_words, n), f"sense offsets do not fit {n_words} words and {n} senses")
    for name in ("norms", "counts", "priors"):
        expect(len(arrays[name]) == n, f"{name} has {len(arrays[name])} entries for {n} senses")
    priors, counts = arrays["priors"], arrays["counts"]
    expect(bool(np.all((priors >= 0) & (priors <= 1))), "a prior is not a number from 0 to 1")
    expect(bool(np.all(np.isfinite(counts))), "a count is no number")
    if "centres" in arrays:
        expect(arrays["centres"].shape == (n, width), "centres do not fit the senses")
    if "steps" not in arrays:
        expect(
            len(arrays["output"]) == n_words, f"output has {len(arrays['output'])} rows for {n_words} words"
        )
        return
    steps, paths = arrays["steps"], arrays["paths"]
    expect(_rises(paths, n_words, len(steps)), "paths do not fit the vocabulary")
    last = 2 * len(arrays["output"]) - 1
    expect(bool(steps.min() >= 0 and steps.max() <= last), "paths name nodes that do not exist")


def _rises(bounds: NDArray[Any], n_parts: int, end: int) -> bool:
    """Whether bounds cut 0:end into `n_parts` parts, none of them empty."""
    return (
        len(bounds) == n_parts + 1
        and bool(bounds[0] == 0 and bounds[-1] == end)
        and bool(np.all(bounds[1:] > bounds[:-1]))
    )
