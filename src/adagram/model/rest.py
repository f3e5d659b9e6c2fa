"""What a model folder keeps so that training can go on from it: sticks that have a vector but are not learned.

Arrays of continue.safetensors, which only going on reads (models of one sense per word and of mpsg need none):
- vectors (n, width) float32, counts (n,) float64: vectors and n_wk of live senses that are not learned;
- words (n,) int64: their words, rising; they come after the word's learned senses, in this order;
- pending (n_words,) float64: the count of all sticks that have no vector.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adagram.arrays import ArrayMap, Arrays, Floats
from adagram.model.checks import expect
from adagram.model.storage import read_arrays

REST = "continue.safetensors"
_KINDS = {
    "vectors": (np.float32, 2),
    "counts": (np.float64, 1),
    "words": (np.int64, 1),
    "pending": (np.float64, 1),
}


def read_rest(folder: Path, vocabulary: str) -> ArrayMap | None:
    """What is kept, for the vocabulary with this checksum; None where nothing is."""
    path = folder / REST
    return read_arrays(path, vocabulary) if path.is_file() else None


def check_rest(path: Path, rest: ArrayMap, n_words: int, width: int) -> None:
    """Refuse arrays that do not belong to a model of so many words and so wide rows."""
    for name, (dtype, ndim) in _KINDS.items():
        good = name in rest and rest[name].dtype == dtype and rest[name].ndim == ndim
        expect(good, path, f"its array {name} is missing or of another type")
    words, n = rest["words"], len(rest["words"])
    expect(rest["vectors"].shape == (n, width), path, f"vectors has the shape {rest['vectors'].shape}")
    expect(bool(np.isfinite(rest["vectors"]).all()), path, "a vector has a value that is no number")
    expect(len(rest["pending"]) == n_words, path, f"it has {len(rest['pending'])} words for {n_words}")
    rises = bool(np.all(words[1:] >= words[:-1]))
    expect(n == 0 or (rises and words[0] >= 0 and words[-1] < n_words), path, "words do not rise")
    for name, length in (("counts", n), ("pending", n_words)):
        good = len(rest[name]) == length and bool(np.all(np.isfinite(rest[name]) & (rest[name] >= 0)))
        expect(good, path, f"{name} has a value that is no count")


def assumed_rest(arrays: ArrayMap, totals: Floats) -> Arrays:
    """Where nothing was kept: no unlearned stick has a vector, and together they have the count that is left."""
    offsets = np.asarray(arrays["offsets"])
    left = totals - np.add.reduceat(np.asarray(arrays["counts"]), offsets[:-1])
    return {
        "vectors": np.empty((0, arrays["vectors"].shape[1]), np.float32),
        "counts": np.empty(0),
        "words": np.empty(0, np.int64),
        "pending": np.maximum(left, 0.0),
    }
