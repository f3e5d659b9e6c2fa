"""AdaGram.jl's model format, read and written.

Text lines `V M T` (words, dimensions, most senses), `alpha d` and `L` (the longest path); then little-endian arrays,
each with the values of one word together: frequencies (V,) int64, code (V, L) int8, path (V, L) int32, counts (V, T)
float32, Out (V, M) float32; then per word a line with the word, a line with its number of senses, and per sense a
line with its number from 1, M float32 values and a line end.
A path goes from the word up to the root; its nodes are numbered from 1, the root is V - 1. It ends at a code of
-1. log p(y | w, k) = Σ_n log σ((1 - 2·code_n) in_wk · Out_n): code 0 is our turn to the left.
"""

from __future__ import annotations

import math
import mmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.export.common import assemble, check_values, config_of, vocabulary_of, zero_rows
from adagram.files.atomic import new_file
from adagram.model import Model
from adagram.model.predict import word_totals
from adagram.model.storage import finite
from adagram.paper.stick_breaking import expected_pi, is_learned
from adagram.systems.base import model_of_senses
from adagram.types import Arrays

_HEADER_LINE = 200  # bytes; in a longer one the file is not of this format
_WORD_LINE = 10_000


class _Header(NamedTuple):
    n_words: int
    dim: int
    max_senses: int
    alpha: float
    d: float
    depth: int  # L


class _Cursor:
    """A position in a memory-mapped file."""

    def __init__(self, path: Path) -> None:
        self.path, self.at = path, 0
        try:
            with open(path, "rb") as file:
                self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise InputError(f"{path} is empty") from None
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from None

    def line(self, limit: int, what: str) -> bytes:
        end = self.data.find(b"\n", self.at, self.at + limit)
        if end < 0:
            raise InputError(f"{self.path} is damaged: expected {what} at byte {self.at}")
        line = self.data[self.at : end]
        self.at = end + 1
        return line

    def number(self, what: str, most: int) -> int:
        line = self.line(_HEADER_LINE, what)
        if not line.strip().isdigit() or len(line) > 20 or int(line) > most:
            raise InputError(f"{self.path} is damaged: {what} is {line[:40]!r}, expected at most {most}")
        return int(line)

    def array(self, dtype: str, *shape: int) -> NDArray[Any]:
        try:
            found = np.frombuffer(self.data, dtype, math.prod(shape), self.at).reshape(shape)
        except (ValueError, OverflowError):
            raise InputError(f"{self.path} is truncated: an array of {shape} values ends after the file") from None
        self.at += found.nbytes
        return found


def read_julia(path: Path, window: int = 5, min_prior: float = 1e-3) -> Model:
    """Read a model of AdaGram.jl; senses with a prior up to `min_prior` or a count below 1 are left out.

    The file does not record the window. Its discount d is not used: priors are those of d = 0.
    """
    cursor = _Cursor(path)
    header = _header(cursor)
    config = config_of(path, dim=header.dim, max_senses=header.max_senses, alpha=header.alpha, window=window)
    n = header.n_words
    frequencies = np.array(cursor.array("<i8", n))
    code, nodes = cursor.array("i1", n, header.depth), cursor.array("<i4", n, header.depth)
    counts, out = cursor.array("<f4", n, header.max_senses), cursor.array("<f4", n, header.dim)
    if np.any(frequencies < 0):
        raise InputError(f"{path} is damaged: a word has the frequency {frequencies.min()}")
    check_values(path, counts, "a count")
    check_values(path, out, "an output vector")
    if np.any(counts < 0):
        raise InputError(f"{path} is damaged: a count is negative")
    steps, paths = _steps(path, code, nodes)
    words, offsets, sticks, places = _senses(cursor, header)
    if rest := len(cursor.data) - cursor.at:
        raise InputError(f"{path} is damaged: {rest} bytes follow the last word")
    vocabulary = vocabulary_of(path, words, frequencies)
    at = np.repeat(np.arange(n), np.diff(offsets)), sticks
    sense_counts = counts[at].astype(np.float64)
    priors = expected_pi(counts.astype(np.float64), header.alpha)[at]
    if not np.all(np.add.reduceat(priors, offsets[:-1]) > 0):
        raise InputError(f"{path} is damaged: a word has only senses without a prior")
    keep = is_learned(priors, sense_counts, min_prior) if min_prior > 0 else np.ones(len(sticks), bool)
    vectors = _vectors(cursor, places, header.dim)
    arrays = model_of_senses(vectors, offsets, sense_counts, priors, keep)
    arrays["totals"] = counts.sum(axis=1, dtype=np.float64)  # with those of sticks that are left out
    output = zero_rows(n, header.dim)
    output[:, : header.dim] = _reversed_nodes(out)
    tree: Arrays = {"output": output, "steps": steps, "paths": paths}
    return assemble(arrays | tree, vocabulary, config, {"format": "julia", "file": path.name, "d": header.d})


def _header(cursor: _Cursor) -> _Header:
    """The three lines of text; whatever else the file may be, it is refused here."""
    foreign = f"{cursor.path} is not a model of AdaGram.jl: "
    try:
        sizes = [int(field) for field in cursor.line(_HEADER_LINE, "the line 'V M T'").split()]
        reals = [float(field) for field in cursor.line(_HEADER_LINE, "the line 'alpha d'").split()]
        depth = int(cursor.line(_HEADER_LINE, "the length of the longest path"))
    except (ValueError, InputError):
        raise InputError(f"{foreign}it does not start with the lines 'V M T', 'alpha d' and 'L'") from None
    if len(sizes) != 3 or len(reals) != 2 or not math.isfinite(reals[0]):
        raise InputError(f"{foreign}its first lines are {sizes} and {reals}, expected 'V M T' and 'alpha d'")
    n_words, dim, max_senses = sizes
    if n_words < 2 or min(dim, max_senses, depth) < 1 or depth >= n_words:
        raise InputError(f"{foreign}{n_words} words, {dim} dimensions, {max_senses} senses, depth {depth}")
    return _Header(n_words, dim, max_senses, reals[0], reals[1], depth)


def _steps(path: Path, code: Any, nodes: Any) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Paths from the root down, as the model keeps them."""
    n_words = len(code)
    on_path = code >= 0
    lengths = on_path.sum(axis=1)
    inside = nodes[on_path]
    good = (
        code.min() >= -1
        and code.max() <= 1
        and not np.any(on_path[:, 1:] & ~on_path[:, :-1])
        and lengths.min() > 0
        and inside.min() >= 1
        and inside.max() < n_words
        # Kraft's equality: exactly then the leaves of the tree are all words and probabilities sum to one.
        and math.isclose(float(np.sum(0.5**lengths)), 1.0, rel_tol=1e-9)
    )
    if not good:
        raise InputError(f"{path} is damaged: its code and path tables are not a binary tree over the words")
    down = on_path[:, ::-1]
    turns, nodes = (code[:, ::-1] == 0)[down], nodes[:, ::-1][down]
    steps = 2 * (n_words - 1 - nodes) + turns  # the root has the number 0
    return steps.astype(np.int32), np.append(0, lengths.cumsum()).astype(np.int64)


def _reversed_nodes(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows of the nodes, our order to AdaGram.jl's or back; the last row, which no path uses, stays in its place."""
    return np.concatenate([rows[:-1][::-1], rows[-1:]])


def _senses(cursor: _Cursor, header: _Header) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Words, offsets of their senses, the stick (from 0) of every sense and the place of its vector in the file."""
    words, sizes = [], []
    sticks: list[int] = []
    places: list[int] = []
    vector = 4 * header.dim
    for _ in range(header.n_words):
        # Bytes that are not UTF-8 are kept as \xff, so that two words do not become one.
        word = cursor.line(_WORD_LINE, "a word").decode("utf-8", "backslashreplace").strip()
        n = cursor.number(f"the number of senses of {word!r}", header.max_senses)
        if not word or n < 1:
            raise InputError(f"{cursor.path} is damaged: the word {word!r} has {n} senses")
        previous = -1
        for _ in range(n):
            k = cursor.number(f"a sense of {word!r}", header.max_senses) - 1
            end = cursor.at + vector
            if k <= previous or cursor.data[end : end + 1] != b"\n":
                raise InputError(f"{cursor.path} is damaged: sense {k + 1} of {word!r} is out of place")
            sticks.append(k)
            places.append(cursor.at)
            cursor.at, previous = end + 1, k
        words.append(word)
        sizes.append(n)
    return words, np.append(0, np.cumsum(sizes)).astype(np.int64), np.array(sticks, np.int64), places


def _vectors(cursor: _Cursor, places: list[int], dim: int) -> NDArray[np.float32]:
    vectors = zero_rows(len(places), dim)
    for row, place in enumerate(places):
        vectors[row, :dim] = np.frombuffer(cursor.data, "<f4", dim, place)
    check_values(cursor.path, vectors, "a sense vector")
    return vectors


def write_julia(model: Model, path: Path, overwrite: bool = False) -> None:
    """Write the learned senses with their counts; the next stick has what fell to those that were not learned."""
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
    counts, ours = _counts(model, most), finite(model.arrays["output"][:n_words, :dim])
    output = np.zeros((n_words, dim), "<f4")  # a model may lack the last row, which no path uses
    output[: len(ours)] = ours
    output = _reversed_nodes(output)
    with new_file(path, overwrite) as made, open(made, "wb") as file:
        file.write(f"{n_words} {dim} {most}\n{model.config.alpha!r} 0.0\n{code.shape[1]}\n".encode())
        for array in (model.vocabulary.counts.astype("<i8"), code, nodes, counts, output):
            file.write(np.ascontiguousarray(array).data)
        vectors, offsets = model.vectors.astype("<f4", copy=False), model.offsets.tolist()
        for w, word in enumerate(model.vocabulary.words):
            file.write(f"{word}\n{sizes[w]}\n".encode())
            for k, row in enumerate(range(offsets[w], offsets[w + 1]), 1):
                file.write(b"%d\n%s\n" % (k, vectors[row].tobytes()))


def _counts(model: Model, most: int) -> NDArray[np.float32]:
    """Counts of all sticks, (n_words, most)."""
    sizes = np.diff(model.offsets)
    counts = np.zeros((len(sizes), most), "<f4")
    words = np.repeat(np.arange(len(sizes)), sizes)
    counts[words, np.arange(model.n_senses) - model.offsets[words]] = model.arrays["counts"]
    if model.config.uses("alpha"):
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
