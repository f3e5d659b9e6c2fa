"""A model on disk: a folder of model.safetensors, config.json, vocab.txt and a card; opened by memory map.

Arrays of model.safetensors (n_senses learned senses, rows padded with zeros to a multiple of eight floats):
- vectors (n_senses, width) float32, norms (n_senses,) float32: sense vectors and their lengths;
- offsets (n_words + 1,) int64: word w has the senses offsets[w]:offsets[w+1], in stick order;
- counts, priors (n_senses,) float64: n_wk and E[π_k], the latter summing to one per word;
- output (n_rows, width) float32: vectors of tree nodes, or of context words where there is no tree;
- steps (…,) int32, paths (n_words + 1,) int64: Huffman paths, 2·node + 1 for a turn to the left (systems with a tree);
- centres (n_senses, width) float32: cluster centres of contexts (mssg, np-mssg).
- totals (n_words,) float64: sums of the counts of all sticks, where another program counted them (AdaGram.jl).
- agreement (n_words,) float64: Scott's π of near occurrences, where senses were merged (`maths.agreement`).
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.whole import open_file, parse_json

FORMAT_VERSION = 1
ARRAYS, CONFIG, VOCAB, CARD = "model.safetensors", "config.json", "vocab.txt", "README.md"
VOCABULARY = "vocabulary"  # name of the checksum in the header of a safetensors file
_DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U32": "<u4", "U64": "<u8", "I8": "|i1"}


def read_arrays(path: Path, vocabulary: str | None = None) -> dict[str, NDArray[Any]]:
    """Map the arrays of a safetensors file read-only; the header is checked against the file before use.

    Arrays that were written for another vocabulary than the one with this checksum are refused.
    """
    arrays, notes = _open(path)
    if vocabulary and notes.get(VOCABULARY, vocabulary) != vocabulary:
        raise InputError(f"{path} belongs to another vocabulary than the {VOCAB} beside it")
    return arrays


def _open(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
            if length > size - 8:
                raise InputError(f"{path} is damaged: its header does not fit in {size} bytes")
            header = parse_json(file.read(length), dict)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from None
    notes = header.pop("__metadata__", None)
    views = {name: _view(path, data, 8 + length, name, entry) for name, entry in header.items()}
    return views, notes if isinstance(notes, dict) else {}


def _view(path: Path, data: mmap.mmap, base: int, name: str, entry: Any) -> NDArray[Any]:
    try:
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        shape = tuple(int(n) for n in entry["shape"])
        start, stop = (int(n) for n in entry["data_offsets"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{path} is damaged: array '{name}' has no valid description") from None
    count = 1
    for n in shape:
        count *= n
    if (
        min((*shape, start), default=0) < 0
        or stop - start != count * dtype.itemsize
        or base + stop > len(data)
    ):
        raise InputError(f"{path} is damaged: array '{name}' does not fit in the file")
    try:
        return (np.frombuffer(data, dtype, count, base + start) if count else np.empty(0, dtype)).reshape(
            shape
        )
    except (ValueError, OverflowError):  # more dimensions, or larger ones, than an array can have
        raise InputError(f"{path} is damaged: array '{name}' has the shape {str(shape)[:60]}") from None


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], vocabulary: str | None = None) -> None:
    """Write a safetensors file, arrays one after the other, without a copy of the whole in memory.

    With the checksum of the vocabulary they belong to, for `read_arrays` to compare.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    notes = {VOCABULARY: vocabulary} if vocabulary else None
    try:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path, notes)
    except SafetensorError as error:
        raise InputError(f"{path} cannot be written: {error}; free some space and run again") from None


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
