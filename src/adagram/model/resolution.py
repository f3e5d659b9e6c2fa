"""Semantic resolution at use: the tree by which the senses of each word merge, and its cut at a threshold.

The paper's alpha sets how fine senses are, and each value needs a training run. Here the two most alike senses of a
word merge again and again until one is left, so one model has all coarser levels too. Levels are nested: a sense at a
threshold is a union of senses at each higher one, and has the number of the first of them.

The likeness of two groups of senses with shares a and b of the word's uses is 1 - 4ab / (a + b) · (1 - c - ½ log lift).
c is the mean cosine of their members, the lift how much more often than by chance they follow each other in the text,
and 4ab / (a + b) the weight that Ward's method gives to groups of these sizes: the vector of a rare sense is noisy. The
merging at the end of training knows the lift, and its tree is kept in the model folder; without it the lift is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model.storage import expect, read_arrays, write_arrays
from adagram.options import spelled
from adagram.types import I64, ArrayMap, Floats

# The likeness at which senses still merge. Chosen on WWSI train and the first half of SemEval-2010, see
# benchmarks/notebooks/2026-11-18-resolution.md.
LEVELS = {"coarse": 0.55, "medium": 0.75, "fine": 1.0}
DEFAULT = "medium"  # what a person is shown; a model is opened with the senses as learned
Resolution = str | float
_VALUES = 1 << 22  # in the vectors of words that are merged at a time
_TINY = 1e-12
_NOTHING = np.empty(0)


def threshold_of(resolution: Resolution) -> float:
    """Return the likeness at which senses still merge: a level's by its name, a number from 0 to 1 as it is."""
    if isinstance(resolution, str) and resolution in LEVELS:
        return LEVELS[resolution]
    try:
        threshold = math.nan if isinstance(resolution, bool) else float(resolution)
    except (TypeError, ValueError):
        threshold = math.nan
    if not 0.0 <= threshold <= 1.0:
        raise InputError(f"resolution is {spelled(resolution)}; it must be {', '.join(LEVELS)} or a number from 0 to 1")
    return threshold


@dataclass(frozen=True)
class MergeTree:
    """Where each learned sense merges: into the sense of row `into` at the likeness `height`.

    The first sense of a word merges into itself. Heights never rise along the merges of a word: a group that is more
    like a third sense than its members were merges with it at the same threshold.
    """

    into: I64  # (n_senses,), a sense with a smaller number, or itself
    height: Floats  # (n_senses,), from 0 to 1

    def first(self, threshold: float) -> I64:
        """Return of each learned sense the first member of its group at a threshold; at 1 each is its own."""
        rows = np.arange(len(self.into))
        first = np.where((self.height >= threshold) & (threshold < 1.0), self.into, rows)
        while (first[first] != first).any():
            first = first[first]
        return np.asarray(first)

    def of_rows(self, rows: I64) -> MergeTree:
        """Return the tree of some learned senses alone: all those of some words, in order."""
        return MergeTree(np.searchsorted(rows, self.into[rows]), self.height[rows])


@dataclass(frozen=True)
class Level:
    """A cut of the tree; thresholds are below 1."""

    tree: MergeTree
    threshold: float


TREE = "merges.safetensors"
LIFT_WEIGHT = 0.5  # of the logarithm of the lift beside the cosine
EXPECTED_LIFT = 0.5  # without pairs: most senses are different meanings


def log_lift(pairs: Floats) -> Floats:
    """log of how often senses i and j follow each other over how often they would by chance, (…, K, K).

    pairs[i, j] is the number of pairs of near occurrences, the first of sense i and the second of sense j. One pseudo
    pair with the lift EXPECTED_LIFT is added: few pairs are weak evidence, and in a text of single sentences vectors
    have to be more alike.
    """
    both = (pairs + np.swapaxes(pairs, -1, -2)) / 2
    of_sense = both.sum(axis=-1)
    chance = of_sense[..., :, None] * of_sense[..., None, :]
    total = np.maximum(of_sense.sum(axis=-1), _TINY)[..., None, None]
    return np.asarray(np.log((both + EXPECTED_LIFT) / (chance / total + 1.0)))


def merge_tree(arrays: ArrayMap, pairs_of: Callable[[int], Floats] | None = None) -> MergeTree:
    """Merge the learned senses of every word, words with equally many senses together.

    pairs_of(w) are the pairs of near occurrences of word w by their senses, (K, K).
    """
    offsets, vectors = np.asarray(arrays["offsets"]), arrays["vectors"]
    counts = np.maximum(np.asarray(arrays["counts"], np.float64), _TINY)
    into, height = np.arange(int(offsets[-1])), np.zeros(int(offsets[-1]))
    sizes = np.diff(offsets)
    for size in np.unique(sizes[sizes > 1]).tolist():
        words = np.flatnonzero(sizes == size)
        n = max(1, _VALUES // (size * vectors.shape[1]))
        for some in (words[at : at + n] for at in range(0, len(words), n)):
            rows = offsets[some, None] + np.arange(size)  # (n_words, size)
            unit = vectors[rows] / np.maximum(np.linalg.norm(vectors[rows], axis=2, keepdims=True), _TINY)
            shares = counts[rows] / counts[rows].sum(axis=1, keepdims=True)
            pairs = np.stack([pairs_of(w) for w in some.tolist()]) if pairs_of else None
            members, height[rows] = _merge_alike(unit @ unit.transpose(0, 2, 1), shares, pairs)
            into[rows] = np.take_along_axis(rows, members, axis=1)
    return MergeTree(into, height)


def _merge_alike(cosines: NDArray[np.floating], shares: Floats, pairs: Floats | None) -> tuple[I64, Floats]:
    """Merge the senses of words with `size` senses each: into which, and at which likeness, both (n_words, size)."""
    n_words, size = shares.shape
    words, is_pair = np.arange(n_words), np.tri(size, k=-1, dtype=bool)
    into, height = np.tile(np.arange(size), (n_words, 1)), np.zeros((n_words, size))
    members, lowest = np.ones((n_words, size)), np.ones(n_words)
    for _ in range(size - 1):
        a, b = shares[:, :, None], shares[:, None, :]
        alike = cosines if pairs is None else cosines + LIFT_WEIGHT * log_lift(pairs)
        likeness = 1.0 - 4.0 * a * b / (a + b) * (1.0 - alike)  # (n_words, size, size)
        likeness[~(is_pair & (members > 0)[:, :, None] & (members > 0)[:, None, :])] = -np.inf
        second, first = np.divmod(likeness.reshape(n_words, -1).argmax(axis=1), size)  # first < second
        lowest = np.clip(likeness[words, second, first], 0.0, lowest)
        into[words, second], height[words, second] = first, lowest
        n, m = members[words, first, None], members[words, second, None]
        mean = (n * cosines[words, first] + m * cosines[words, second]) / (n + m)
        cosines[words, first] = cosines[words, :, first] = mean
        for sums in (members, shares):
            sums[words, first] += sums[words, second]
        members[words, second] = 0
        if pairs is not None:
            for matrix in (pairs, pairs.transpose(0, 2, 1)):
                matrix[words, first] += matrix[words, second]
                matrix[words, second] = 0.0
    return into, height


def write_tree(folder: Path, tree: MergeTree, offsets: I64, checksum: str) -> None:
    """Write a tree into a model folder, by the numbers that senses have in their words."""
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    arrays = {"into": (tree.into - starts).astype(np.int32), "height": tree.height.astype(np.float32)}
    write_arrays(folder / TREE, arrays, checksum)


def read_tree(folder: Path, offsets: I64, checksum: str) -> MergeTree | None:
    """Return the tree of a model folder, if it has one."""
    path = folder / TREE
    if not path.is_file():
        return None
    arrays = read_arrays(path, checksum)
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    numbers = np.arange(len(starts)) - starts
    into, height = arrays.get("into", _NOTHING), arrays.get("height", _NOTHING)
    expect(into.shape == height.shape == numbers.shape, path, f"it is not a tree of {len(numbers)} senses")
    is_tree = np.all((into >= 0) & (into <= numbers)) and np.all((height >= 0) & (height <= 1))
    expect(bool(is_tree), path, "its merges are not a tree")
    return MergeTree(starts + into, height.astype(np.float64))
