"""A model on disk: a folder of model.safetensors, config.json, vocab.txt and a card; opened by memory map.

Arrays of model.safetensors (n_senses learned senses, rows padded with zeros to a multiple of eight floats):
- vectors (n_senses, width) float32, norms (n_senses,) float32: sense vectors and their lengths;
- offsets (n_words + 1,) int64: word w has the senses offsets[w]:offsets[w+1], in stick order;
- counts, priors (n_senses,) float64: n_wk and E[π_k], the latter summing to one per word;
- output (n_rows, width) float32: vectors of tree nodes, or of context words if there is no tree;
- steps (…,) int32, paths (n_words + 1,) int64: Huffman paths, 2·node + 1 for a turn to the left (systems with a tree);
- centres (n_senses, width) float32: cluster centres of contexts (mssg, np-mssg).
- totals (n_words,) float64: sums of the counts of all sticks, if another program counted them (AdaGram.jl).
- agreement (n_words,) float64: Scott's π of near occurrences, if senses were merged (`training.merge_senses`).
Compact models store some of them in fewer bytes, see `adagram.model.compact`.

Arrays of continue.safetensors, for `train --continue` only: sticks that have a vector but are not learned (models of
one sense per word and of mpsg need none):
- vectors (n, width) float32, counts (n,) float64: vectors and n_wk of these sticks;
- words (n,) int64: their words, rising; they come after the word's learned senses, in this order;
- pending (n_words,) float64: the count of all sticks that have no vector.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.corpus.tokenize import TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.files.atomic import remove_dead, take_lock, temporary_folder
from adagram.files.folders import MODEL
from adagram.files.json import check_shape, open_file, parse_json, read_json, reading
from adagram.model.compact import COMPACT, ROWS, SCALE, WIDTH, Expanded
from adagram.options import options_of
from adagram.types import ArrayMap

FORMAT_VERSION = 1
ARRAYS, CONFIG, VOCAB, CARD = "model.safetensors", "config.json", "vocab.txt", "README.md"
REST = "continue.safetensors"
JOURNAL = "journal.txt"  # see `adagram.model.edits`
VOCABULARY = "vocabulary"  # name of the checksum in the header of a safetensors file
MAX_TRIES = 20  # a model can be replaced while it is being opened, again and again
_DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U32": "<u4", "U64": "<u8"}
_DTYPES |= {"F16": "<f2", "I8": "|i1"}
_COUNT = (range(1 << 60), None)
# config.json; TrainConfig and TokenizerConfig check their own parts.
SHAPE = {
    "format": int,
    "config": dict,
    "tokenizer?": (dict, None),
    "corpus?": {"tokens?": _COUNT, "fingerprint?": (str, None), "report?": (dict, None)},
    "seen?": [{"tokens": _COUNT, "fingerprint": (str, None), "text?": (str, None)}],
    "dtype?": str,
    "source?": {"*": str},
    "training?": {"*": (float, str, None)},
    "versions?": dict,
    "imported?": dict,
}
# Type and number of dimensions of each array.
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
_OF_REST = {
    "vectors": (np.float32, 2),
    "counts": (np.float64, 1),
    "words": (np.int64, 1),
    "pending": (np.float64, 1),
}
Identity = tuple[int, ...] | None
T = TypeVar("T")

# -- files of arrays


def read_arrays(path: Path, vocabulary: str | None = None) -> dict[str, NDArray[Any]]:
    """Map the arrays of a safetensors file read-only; the header is checked against the file before use.

    Arrays that were written for another vocabulary than the one with this checksum are refused.
    """
    arrays, notes = _open(path)
    if vocabulary and notes.get(VOCABULARY, vocabulary) != vocabulary:
        raise InputError(f"{path} belongs to another vocabulary than the {VOCAB} beside it")
    return arrays


def _open(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    with reading(path), open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
        if length > size - 8:
            raise ValueError(f"its header does not fit in {size} bytes")
        header = parse_json(file.read(length), dict)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
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
    values = np.frombuffer(data, dtype, count, base + start) if count else np.empty(0, dtype)
    try:
        return values.reshape(shape)
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


# -- the folder


@dataclass(frozen=True)
class Place:
    """The folder that a model was opened from."""

    folder: Path
    identity: Identity
    archive: str = ""  # the file, address or name that it was opened by, if not as a folder

    def check(self) -> None:
        """Raise InputError if another model has taken the place of this one since it was opened."""
        if identity_of(self.folder) != self.identity:
            raise InputError(f"{self.folder} was replaced or removed since it was opened; open it again")

    def read(self, read: Callable[[Path], T]) -> T:
        """Return what `read` finds in the folder; raise InputError if another model is there by now."""
        found = read(self.folder)
        self.check()
        return found

    def check_writable(self) -> None:
        """Raise InputError if decisions, a sense sheet or trends cannot be written into the folder."""
        if self.archive:
            raise read_only(self.archive)
        self.check()
        remove_dead(self.folder / CARD)
        try:
            with temporary_folder(self.folder / CARD):
                pass
        except InputError as error:
            raise InputError(
                f"{self.folder} cannot be written to: {error}; copy it, and name the copy"
            ) from None


def read_only(archive: str | Path) -> InputError:
    """Return the error for a verb that would write into a packed model, one on the Hub or one of the package."""
    return InputError(
        f"{archive} is read-only, as all models that are packed, on the Hub or in the package; "
        f"make a folder of it with adagram.load({str(archive)!r}).save('model'), and name that"
    )


class Opened(NamedTuple):
    """The files of one model: arrays (memory-mapped), vocabulary, config.json and the text of the journal."""

    arrays: ArrayMap
    vocabulary: Vocabulary
    info: dict[str, Any]
    journal: str | InputError
    place: Place


def read_folder(folder: Path, archive: str = "") -> Opened:
    """Open a model folder; nothing large is read. One that is replaced meanwhile is opened again."""
    for _ in range(MAX_TRIES):
        identity = identity_of(folder)
        try:
            found = Opened(*_read_model(folder), _journal(folder), Place(folder, identity, archive))
        except InputError:
            if identity_of(folder) == identity:
                raise
        else:
            if identity_of(folder) == identity:
                return found
    raise InputError(f"{folder} was replaced {MAX_TRIES} times while it was being opened; try again")


def identity_of(folder: Path) -> Identity:
    """Return what differs between a folder and one that replaces it; decisions and sheets do not change it."""
    try:
        place, config = os.stat(folder), os.stat(folder / CONFIG)
    except OSError:
        return None
    return place.st_dev, place.st_ino, config.st_ino, config.st_mtime_ns, config.st_size


def _journal(folder: Path) -> str | InputError:
    try:
        return read_journal(folder)
    except InputError as error:
        return error


def read_journal(folder: Path) -> str:
    """Return the text of a model folder's journal, "" if there is none."""
    path = folder / JOURNAL
    try:
        with open_file(path) as file:
            with suppress(OSError):  # a file system without locks
                take_lock(file.fileno(), wait=True, shared=True)  # no half-written line
            return file.read().decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _read_model(folder: Path) -> tuple[ArrayMap, Vocabulary, dict[str, Any]]:
    info = read_json(folder / CONFIG, {"format": int}, MODEL.article)
    if info["format"] != FORMAT_VERSION:
        raise InputError(f"{folder} has model format {info['format']}; this version reads {FORMAT_VERSION}")
    with reading(folder / CONFIG):
        check_shape(info, SHAPE)
    if strange := [name for name in info["config"] if name not in options_of(TrainConfig)]:
        made_by = str(info.get("versions", {}).get("adagram", "another"))
        raise InputError(  # more likely of a later version than damaged
            f"{folder / CONFIG} has the option {strange[0][:40]!r}, which adagram {version('adagram')} "
            f"does not know; the model was made by {made_by[:40]}: install that version"
        )
    try:
        config = TrainConfig.from_dict(info["config"])
        TokenizerConfig.from_dict(info.get("tokenizer") or {})
    except (TypeError, ValueError, InputError) as error:
        raise InputError(f"{folder / CONFIG} is damaged: {error}") from None
    vocabulary = Vocabulary.load(folder / VOCAB)
    if not len(vocabulary):
        raise InputError(f"{folder / VOCAB} is damaged: it has no words")
    path, n_words = folder / ARRAYS, len(vocabulary)
    arrays = read_arrays(path, vocabulary.checksum)
    if "dtype" in info:
        check_compact(path, arrays, n_words, config.dim, info["dtype"])
        return Expanded(arrays), vocabulary, info
    check_arrays(path, arrays, n_words, config.dim)
    return arrays, vocabulary, info


# -- checks: kernels read the arrays without bounds checks


def check_arrays(path: Path, arrays: ArrayMap, n_words: int, dim: int) -> None:
    """Raise InputError if the arrays are not a model of `n_words` words and `dim` dimensions."""
    check_kinds(path, arrays)
    check_senses(path, arrays, n_words, dim)
    check_output(path, arrays, n_words, len(arrays["output"]))


def check_compact(path: Path, arrays: ArrayMap, n_words: int, dim: int, dtype: str) -> None:
    """Do the same for the stored arrays of a compact model."""
    if dtype not in COMPACT:
        raise InputError(f"{path} has the type {dtype[:40]!r}; this version reads {', '.join(COMPACT)}")
    needed, optional = dict(_NEEDED), dict(_OPTIONAL)
    for name in ("norms", "steps", "paths"):
        (needed if name in needed else optional).pop(name)
    optional["parents"] = (np.int32, 1)
    needed |= {"counts": (np.float32, 1), "priors": (np.float32, 1)}
    for name in ROWS:
        kinds = needed if name in needed else optional
        kinds[name] = (np.dtype(dtype).type, 2)
        if dtype == "int8" and name in arrays:
            needed[name + SCALE] = (np.float32, 1)
    check_kinds(path, arrays, needed, optional)
    check_senses(path, arrays, n_words, dim)
    for name in ROWS:
        if name + SCALE in arrays:
            expect(len(arrays[name + SCALE]) == len(arrays[name]), path, f"the scales do not fit {name}")
    n_rows = len(arrays["output"])
    if "parents" not in arrays:
        expect(n_rows == n_words, path, f"output has {n_rows} rows for {n_words} words")
        return
    parents = arrays["parents"]
    fits = len(parents) == n_words + n_rows and bool(parents.min() >= -1 and parents.max() < 2 * n_rows)
    expect(fits and bool(parents[:n_words].min() >= 0), path, "parents are not a tree")


def check_kinds(
    path: Path, arrays: ArrayMap, needed: Mapping[str, Any] = _NEEDED, optional: Mapping[str, Any] = _OPTIONAL
) -> None:
    """Check that all needed arrays are there, no unknown ones, and each of the right type."""
    known = {**needed, **optional}
    missing = [name for name in needed if name not in arrays]
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
    """Check the arrays that have an entry per sense, and the width of all rows."""
    n, width = arrays["vectors"].shape
    is_compact = "norms" not in arrays  # then rows are not padded
    is_wide = width == dim if is_compact else width >= dim and width % WIDTH == 0
    expect(is_wide, path, f"rows have {width} values for {dim} dimensions")
    expect(arrays["output"].shape[1] == width, path, "vectors and output differ in width")
    fits = _rises(arrays["offsets"], n_words, n)
    expect(fits, path, f"sense offsets do not fit {n_words} words and {n} senses")
    of_senses = [name for name in ("norms", "counts", "priors") if name in arrays]
    for name in of_senses:
        expect(len(arrays[name]) == n, path, f"{name} has {len(arrays[name])} entries for {n} senses")
    priors, counts = arrays["priors"], arrays["counts"]
    expect(bool(np.all((priors >= 0) & (priors <= 1))), path, "a prior is not a number from 0 to 1")
    expect(bool(np.all(np.isfinite(counts))), path, "a count is no number")
    norms = arrays.get("norms", counts[:0])
    expect(bool(np.all((norms >= 0) & (norms < np.inf))), path, "a norm is no number from 0")
    for name in ("totals", "agreement"):
        if name in arrays:
            values = arrays[name]
            expect(len(values) == n_words, path, f"{name} has {len(values)} entries for {n_words} words")
            expect(bool(np.all(np.isfinite(values))), path, f"a value of {name} is no number")
    if "centres" in arrays:
        expect(arrays["centres"].shape == (n, width), path, "centres do not fit the senses")


def check_output(path: Path, arrays: ArrayMap, n_words: int, n_rows: int) -> None:
    """Check the tree; without a tree there is an output row per word."""
    if "steps" not in arrays:
        expect(n_rows == n_words, path, f"output has {n_rows} rows for {n_words} words")
        return
    steps, paths = arrays["steps"], arrays["paths"]
    expect(_rises(paths, n_words, len(steps)), path, "paths do not fit the vocabulary")
    expect(bool(steps.min() >= 0 and steps.max() < 2 * n_rows), path, "paths name nodes that do not exist")


def read_rest(folder: Path, vocabulary: str) -> ArrayMap | None:
    """Return the arrays of continue.safetensors for the vocabulary with this checksum; None if there are none."""
    path = folder / REST
    return read_arrays(path, vocabulary) if path.is_file() else None


def check_rest(path: Path, rest: ArrayMap, n_words: int, width: int) -> None:
    """Raise InputError if the arrays do not belong to a model of `n_words` words with rows of this width."""
    for name, (dtype, ndim) in _OF_REST.items():
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


def finite(values: NDArray[Any]) -> NDArray[Any]:
    """Return `values`, or raise InputError if any is not finite: vectors are memory-mapped and not checked at load."""
    if not np.isfinite(values.sum()):
        raise InputError(
            "the vectors of the model are damaged: they give no finite numbers; run `adagram check`"
        )
    return values


def expect(good: bool, path: Path, what: str) -> None:
    if not good:
        raise InputError(f"{path} is damaged: {what}")


def _rises(bounds: NDArray[Any], n_parts: int, end: int) -> bool:
    """Return whether bounds cut 0:end into `n_parts` parts, none of them empty."""
    return (
        len(bounds) == n_parts + 1
        and bool(bounds[0] == 0 and bounds[-1] == end)
        and bool(np.all(bounds[1:] > bounds[:-1]))
    )
