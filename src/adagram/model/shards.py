"""A model whose arrays are in several files, each with the senses of some words; it is used like any other.

Shard i of n, `model-0000i-of-0000n.safetensors`, has the arrays of `adagram.model.storage` for its words, each with its
number (`vectors.1`), and `words` (…,) int64: the ids of these words. Output rows are dealt out in turn to the
first shards; the Huffman paths are in the first. `model.safetensors.index.json` tells which array is in which file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.files.folders import MODEL
from adagram.files.json import read_json
from adagram.model.storage import (
    check_kinds,
    check_output,
    check_senses,
    expect,
    read_arrays,
    write_arrays,
    write_json,
)
from adagram.types import ArrayMap

INDEX = "model.safetensors.index.json"
_TREE = ("steps", "paths")


def is_sharded(folder: Path) -> bool:
    return (folder / INDEX).is_file()


def shard_file(number: int, n_shards: int) -> str:
    """
    >>> shard_file(1, 4)
    'model-00001-of-00004.safetensors'
    """
    return f"model-{number:05}-of-{n_shards:05}.safetensors"


def write_shard(
    folder: Path, number: int, n_shards: int, arrays: ArrayMap, vocabulary: str | None = None
) -> None:
    """The arrays of shard 1 to n_shards, with the checksum of the whole vocabulary."""
    named = {f"{name}.{number}": array for name, array in arrays.items()}
    write_arrays(folder / shard_file(number, n_shards), named, vocabulary)


def write_index(folder: Path, n_shards: int) -> None:
    """After all shards: which file has which array."""
    files = [shard_file(number, n_shards) for number in range(1, n_shards + 1)]
    size = sum((folder / file).stat().st_size for file in files)
    where = {name: file for file in files for name in read_arrays(folder / file)}
    write_json(folder / INDEX, {"metadata": {"total_size": size, "shards": n_shards}, "weight_map": where})


def read_shards(folder: Path, vocabulary: Vocabulary, dim: int) -> Shards:
    """Map all files of the index and make sure that they fit together."""
    index = read_json(folder / INDEX, {"weight_map": dict}, MODEL.article)["weight_map"]
    if not index or not all(isinstance(file, str) for file in index.values()):
        raise InputError(f"{folder / INDEX} is damaged: it names no files")
    names = sorted(set(index.values()))
    if strange := [name for number, name in enumerate(names, 1) if name != shard_file(number, len(names))]:
        raise InputError(f"{folder / INDEX} is damaged: it names the file {strange[0]!r}")
    files = [folder / name for name in names]
    parts = []
    for number, path in enumerate(files, 1):
        end = f".{number}"
        parts.append(
            {name.removesuffix(end): array for name, array in read_arrays(path, vocabulary.checksum).items()}
        )
    _check(files, parts, len(vocabulary), dim)
    return Shards(parts, len(vocabulary))


class Shards(Mapping[str, NDArray[Any]]):
    """The arrays of the whole model; each is put together in memory when it is first asked for."""

    def __init__(self, parts: Sequence[ArrayMap], n_words: int) -> None:
        self._parts = parts
        sizes = np.empty(n_words, np.int64)
        for part in parts:
            sizes[part["words"]] = np.diff(part["offsets"])
        self._joined: dict[str, NDArray[Any]] = {"offsets": np.append(0, sizes.cumsum())}
        self._joined |= {name: parts[0][name] for name in _TREE if name in parts[0]}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._joined:
            if name not in self:
                raise KeyError(name)
            self._joined[name] = self._join_output() if name == "output" else self._join_senses(name)
        return self._joined[name]

    def __contains__(self, name: object) -> bool:
        return name != "words" and name in self._parts[0]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._parts[0] if name != "words")

    def __len__(self) -> int:
        return len(self._parts[0]) - 1

    def _join_senses(self, name: str) -> NDArray[Any]:
        offsets, first = self._joined["offsets"], self._parts[0][name]
        joined = np.empty((offsets[-1], *first.shape[1:]), first.dtype)
        for part in self._parts:
            begins = offsets[part["words"]] - part["offsets"][:-1]
            rows = np.repeat(begins, np.diff(part["offsets"])) + np.arange(len(part[name]))
            joined[rows] = part[name]
        return joined

    def _join_output(self) -> NDArray[Any]:
        shares = [part["output"] for part in self._parts if len(part["output"])]
        joined = np.empty((sum(map(len, shares)), shares[0].shape[1]), shares[0].dtype)
        for number, share in enumerate(shares):
            joined[number :: len(shares)] = share
        return joined


def _check(files: Sequence[Path], parts: Sequence[dict[str, NDArray[Any]]], n_words: int, dim: int) -> None:
    for path, part in zip(files, parts, strict=True):
        words = part.get("words")
        expect(words is not None and words.dtype == np.int64 and words.ndim == 1, path, "it lacks its words")
        senses = {name: array for name, array in part.items() if name != "words"}
        check_kinds(path, senses)
        check_senses(path, senses, len(part["words"]), dim)
        same = {name for name in part if name not in _TREE} == {n for n in parts[0] if n not in _TREE}
        expect(same, path, "it has other arrays than the first shard")
        same = part["vectors"].shape[1] == parts[0]["vectors"].shape[1]
        expect(same, path, "its rows have another width than the first shard's")
    all_words = np.sort(np.concatenate([part["words"] for part in parts]))
    complete = np.array_equal(all_words, np.arange(n_words))
    expect(complete, files[0].parent, f"its shards do not hold each of the {n_words} words once")
    n_rows = sum(len(part["output"]) for part in parts)
    expect(n_rows == n_words, files[0].parent, f"it has {n_rows} output rows for {n_words} words")
    n_shares = sum(len(part["output"]) > 0 for part in parts)
    for number, (path, part) in enumerate(zip(files, parts, strict=True)):
        expected = len(range(number, n_rows, n_shares)) if number < n_shares else 0
        expect(len(part["output"]) == expected, path, "its output rows do not fit those of the others")
    check_output(files[0], parts[0], n_words, n_rows)
