"""Compact models, for use and not for training: rows as int8, about a quarter of the size.

Arrays of their model.safetensors; the others are as in `adagram.model.storage`:
- vectors, output, centres int8;
- vectors_scale, output_scale, centres_scale (n,) float32: row = scale · int8, scale = max |row| / 127, rounded up;
- counts, priors (n_senses,) float32;
- parents (n_words + n_rows,) int32: the last step of the path of each word, and of each node; -1 for the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.options import IntRange, checked
from adagram.paper.softmax import Huffman, parents_of, paths_of
from adagram.types import I64, ArrayMap, Arrays

if TYPE_CHECKING:
    from adagram.model.model import Model

COMPACT = "int8"
ROWS = ("vectors", "output", "centres")
SCALE = "_scale"
WIDTH = 8  # rows are padded to a multiple of this
FREE_BITS = np.uint32(0xFFF)  # of a scale, which are zero: archives pack it in half the space


def compact(arrays: ArrayMap) -> Arrays:
    """Return the arrays of a model as a compact model stores them."""
    made = {name: arrays[name] for name in ("offsets", "totals", "agreement") if name in arrays}
    made |= {name: arrays[name].astype(np.float32) for name in ("counts", "priors")}
    for name in ROWS:
        if name in arrays:
            rows = arrays[name]
            bits = (np.abs(rows).max(axis=1) / np.float32(127)).view(np.uint32)
            made[name + SCALE] = ((bits + FREE_BITS) & ~FREE_BITS).view(np.float32)
            scale = np.where(made[name + SCALE] > 0, made[name + SCALE], 1)
            made[name] = np.rint(rows / scale[:, None]).astype(np.int8)
    if "steps" in arrays:
        made["parents"] = parents_of(Huffman(arrays["steps"], arrays["paths"]), len(arrays["output"]))
    return made


class MadeArrays(Mapping[str, NDArray[Any]]):
    """The arrays of a model, made of others that stay memory-mapped: each when it is asked for, once."""

    def __init__(self, stored: ArrayMap, names: Iterable[str]) -> None:
        self.stored = stored
        self._names, self._made = dict.fromkeys(names), Arrays()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made |= self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Arrays:
        """Return an array, and any that come with it."""
        if name == "norms":
            vectors = self["vectors"]
            return {name: np.sqrt(np.einsum("ij,ij->i", vectors, vectors))}
        return {name: self.stored[name]}


class Expanded(MadeArrays):
    """The arrays of a compact model as those of any model."""

    def __init__(self, stored: ArrayMap) -> None:
        names = [name for name in stored if not name.endswith(SCALE) and name != "parents"]
        super().__init__(stored, [*names, "norms", *(("steps", "paths") if "parents" in stored else ())])

    def _make(self, name: str) -> Arrays:
        stored = self.stored
        if name in ROWS:
            return {name: np.multiply(stored[name], stored[name + SCALE][:, None], dtype=np.float32)}
        if name in ("steps", "paths"):
            try:
                tree = paths_of(stored["parents"], len(stored["offsets"]) - 1)
            except ValueError as error:
                raise InputError(f"the model is damaged: {error}; run `adagram check`") from None
            return {"steps": tree.steps, "paths": tree.offsets}
        if name == "priors":
            offsets, priors = stored["offsets"], stored["priors"].astype(np.float64)
            return {name: priors / np.repeat(np.add.reduceat(priors, offsets[:-1]), np.diff(offsets))}
        return {name: stored[name].astype(np.float64)} if name == "counts" else super()._make(name)


def scaled_rows(arrays: ArrayMap, name: str) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """Return rows of float32, or of int8 as they are stored, and the scales by which they are multiplied."""
    if isinstance(arrays, Expanded):
        return arrays.stored[name], arrays.stored[name + SCALE]
    return arrays[name], np.ones(len(arrays[name]), np.float32)


def frequent_words(arrays: ArrayMap, kept: I64) -> Arrays:
    """Return the arrays of a model for some of its words only.

    The tree keeps its shape: the paths of the other words go, with the nodes that only they visit. So a kept word has
    the probability that it had, and a posterior changes only by the context words that are unknown now.
    """
    offsets = arrays["offsets"]
    of_senses = spans(offsets, kept)
    by_sense = ("vectors", "norms", "counts", "priors", "centres")
    cut = {name: arrays[name][of_senses] for name in by_sense if name in arrays}
    cut |= {name: arrays[name][kept] for name in ("totals", "agreement") if name in arrays}
    cut["offsets"] = np.append(0, np.diff(offsets)[kept].cumsum()).astype(np.int64)
    if "steps" not in arrays:
        return cut | {"output": arrays["output"][kept]}
    steps, paths = arrays["steps"][spans(arrays["paths"], kept)], arrays["paths"]
    nodes, renumbered = np.unique(steps >> 1, return_inverse=True)
    cut["steps"] = (2 * renumbered + (steps & 1)).astype(np.int32)
    cut["paths"] = np.append(0, np.diff(paths)[kept].cumsum()).astype(np.int64)
    return cut | {"output": arrays["output"][nodes]}


def spans(bounds: I64, kept: NDArray[np.integer]) -> I64:
    """Return the places bounds[w]:bounds[w+1] of all w in `kept`, one after the other."""
    return ranges(bounds[kept], np.diff(bounds)[kept])


def ranges(begins: I64, sizes: NDArray[np.integer]) -> I64:
    """Return begin, begin + 1, … of each size, one after the other."""
    return np.asarray(np.repeat(begins - (sizes.cumsum() - sizes), sizes) + np.arange(sizes.sum()), np.int64)


# -- models made of a model


def model_of_frequent(model: Model, max_words: int) -> Model:
    """Return a model in memory of the most frequent words only; the others become unknown."""
    max_words = checked(max_words, "max_words", IntRange(2, 10**9))
    from adagram.model.edits import decisions_of  # which imports this module

    counts = np.asarray(model.vocabulary.counts)
    kept = np.sort(np.argsort(-counts, kind="stable")[:max_words])
    words = Vocabulary([model.vocabulary.words[w] for w in kept.tolist()], counts[kept])
    # Relative frequencies are among fewer words now: this keeps the weight of each.
    subsample = model.config.subsample * float(counts.sum() / words.counts.sum())
    info = model.info | {"config": model.info["config"] | {"subsample": subsample}}
    cut = type(model)(frequent_words(model.learned_arrays, kept), words, info)
    tree = model._learned_tree
    cut._learned_tree = tree and tree.of_rows(spans(model.learned_arrays["offsets"], kept))
    return cut._changed(decisions=decisions_of(model, cut))
