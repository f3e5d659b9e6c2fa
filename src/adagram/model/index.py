"""An index for programs that search often: it leaves few words to compare, and never leaves out a nearest one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.kernels.predict import word_bounds
from adagram.model.neighbours import NEIGHBOUR_WEIGHT, blended_vectors, unit_vectors
from adagram.model.storage import finite
from adagram.types import I64

if TYPE_CHECKING:
    from adagram.model.model import Model

_BLOCK = 4096  # rows that are rounded at a time
_WIDTH = 32  # rows are padded to a multiple: the kernel has no remainder then, which takes a fifth of its time


class Rounded(NamedTuple):
    """Unit vectors b ≈ scale · code. For a unit vector q, |q·b - scale q·code| ≤ lost by Cauchy-Schwarz."""

    codes: NDArray[np.int8]  # (n, width), width >= dim
    scales: NDArray[np.float32]  # (n,)
    lost: NDArray[np.float32]  # (n,): |b - scale · code|, and the rounding of float32 products


class Index:
    """The vectors of the senses with at least `min_count` uses as int8: a quarter of their size, made when used."""

    def __init__(self, model: Model, min_count: float) -> None:
        self.model, self.min_count = model, min_count
        self._rows = np.flatnonzero(model.counts >= min_count)
        self._bounds = np.searchsorted(self._rows, model.offsets)  # (n_words + 1,)

    @cached_property
    def _blended(self) -> Rounded:
        return self._round(blended_vectors(self.model, weight=NEIGHBOUR_WEIGHT))

    @cached_property
    def _learned(self) -> Rounded:
        return self._round(unit_vectors(self.model))

    def _round(self, vectors: NDArray[np.float32]) -> Rounded:
        n, dim = len(self._rows), vectors.shape[1]
        codes, (scales, lost) = np.zeros((n, _padded(dim)), np.int8), np.empty((2, n), np.float32)
        for start in range(0, n, _BLOCK):
            part = slice(start, start + _BLOCK)
            units = finite(vectors[self._rows[part]])
            scales[part] = np.maximum(np.abs(units).max(axis=1), 1e-12) / 127
            codes[part, :dim] = np.rint(units / scales[part, None])
            lost[part] = np.linalg.norm(units - scales[part, None] * codes[part, :dim], axis=1)
        return Rounded(codes, scales, lost + np.float32(4 * dim * np.finfo(np.float32).eps))

    def candidates(self, unit: NDArray[np.float32], is_other: NDArray[np.bool_], top: int, learned: bool) -> I64:
        """Return the words that can be among the `top` nearest to a unit vector, of those in `is_other`, (n_words,)."""
        low, high = np.empty((2, len(is_other)), np.float32)
        query = np.zeros(_padded(len(unit)), np.float32)
        query[: len(unit)] = unit
        word_bounds(*(self._learned if learned else self._blended), self._bounds, query, is_other, low, high)
        least = np.partition(low, -top)[-top] if top < len(low) else -np.inf
        return np.flatnonzero((high >= least) & (high > -np.inf))


def _padded(dim: int) -> int:
    return -(-dim // _WIDTH) * _WIDTH
