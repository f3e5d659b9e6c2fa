"""AdaGram.jl's model format, written: see `adagram.formats.julia_read` for the layout."""

from __future__ import annotations

from io import BufferedWriter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model import Model
from adagram.model.predict import word_totals
from adagram.model.storage import finite
from adagram.whole import new_file


def write_julia(model: Model, path: Path, overwrite: bool = False) -> None:
    """The learned senses with their counts; the next stick has what fell to those that were not learned."""
    if "steps" not in model.arrays:
        raise InputError(
            f"the julia format holds models with a hierarchical softmax; {model.config.algorithm} has none"
        )
    for word in model.vocabulary.words:
        if word != word.strip() or "\n" in word:
            raise InputError(f"the word {word!r} has a space at its end, which the julia format cannot hold")
    sizes = np.diff(model.offsets)
    n_words, dim, most = len(sizes), model.config.dim, max(model.config.max_senses, int(sizes.max()))
    code, nodes = _tables(model)
    counts, output = _counts(model, most), finite(_output(model))
    with new_file(path, overwrite) as made, open(made, "wb") as file:
        file.write(f"{n_words} {dim} {most}\n{model.config.alpha!r} 0.0\n{code.shape[1]}\n".encode())
        for array in (model.vocabulary.counts.astype("<i8"), code, nodes, counts, output):
            file.write(np.ascontiguousarray(array).data)
        _write_words(model, file)
        if model.config.algorithm != "adagram":
            file.write(f"algorithm {model.config.algorithm}\n".encode())


def _counts(model: Model, most: int) -> NDArray[np.float32]:
    """Counts of all sticks, (n_words, most)."""
    sizes = np.diff(model.offsets)
    counts = np.zeros((len(sizes), most), "<f4")
    words = np.repeat(np.arange(len(sizes)), sizes)
    counts[words, np.arange(model.n_senses) - model.offsets[words]] = model.counts
    if model.config.algorithm == "adagram":
        left = word_totals(model) - counts.sum(axis=1, dtype=np.float64)
        has_next = np.flatnonzero(sizes < most)
        counts[has_next, sizes[has_next]] = np.maximum(left[has_next], 0.0)
    return counts


def _tables(model: Model) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Codes and nodes of all paths from the word up to the root, (n_words, longest path)."""
    steps, paths = model.arrays["steps"], model.arrays["paths"]
    lengths = np.diff(paths)
    n_words = len(lengths)
    code = np.full((n_words, int(lengths.max())), -1, np.int8)
    nodes = np.zeros(code.shape, "<i4")
    words = np.repeat(np.arange(n_words), lengths)
    levels = paths[words + 1] - 1 - np.arange(len(steps))  # 0 at the word's parent
    code[words, levels] = 1 - (steps & 1)  # code 0 is a turn to the left
    nodes[words, levels] = n_words - 1 - (steps >> 1)  # the root is node 0 here and the last node there
    return code, nodes


def _output(model: Model) -> NDArray[np.float32]:
    """Vectors of the nodes in AdaGram.jl's order, and at the end one row that no path uses, (n_words, dim)."""
    n_nodes = len(model.vocabulary) - 1
    output = np.zeros((n_nodes + 1, model.config.dim), "<f4")
    ours = model.arrays["output"][:, : model.config.dim]
    output[:n_nodes] = ours[:n_nodes][::-1]
    output[n_nodes : len(ours)] = ours[n_nodes : n_nodes + 1]
    return output


def _write_words(model: Model, file: BufferedWriter) -> None:
    vectors = model.vectors.astype("<f4", copy=False)
    offsets = model.offsets.tolist()
    for w, word in enumerate(model.vocabulary.words):
        first, last = offsets[w], offsets[w + 1]
        file.write(f"{word}\n{last - first}\n".encode())
        for row in range(first, last):
            file.write(b"%d\n%s\n" % (row - first + 1, vectors[row].tobytes()))
