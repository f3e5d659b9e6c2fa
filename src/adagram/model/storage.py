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
import math
import mmap
import os
import shutil
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from adagram.config import RETIRED, TrainConfig
from adagram.corpus.tokenize import TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary, write_unknown
from adagram.errors import InputError
from adagram.files.atomic import remove_dead, temporary_folder
from adagram.files.folders import MODEL
from adagram.files.json import check_shape, open_file, parse_json, read_file, read_json, reading
from adagram.model.compact import COMPACT, WIDTH, Expanded, compact
from adagram.options import options_of
from adagram.types import ArrayMap

if TYPE_CHECKING:
    from adagram.model.model import Model

FORMAT_VERSION = 1
ARRAYS, CONFIG, VOCAB, CARD = "model.safetensors", "config.json", "vocab.txt", "README.md"
REST = "continue.safetensors"
JOURNAL = "journal.txt"  # see `adagram.model.edits`
_ADDED = ("senses.jsonl", "senses.jsonl.xz", "trends.npz")
VOCABULARY = "vocabulary"  # name of the checksum in the header of a safetensors file
_DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U32": "<u4", "U64": "<u8", "I8": "|i1"}
_COUNT = range(1 << 60)
# config.json; TrainConfig and TokenizerConfig check their own parts.
SHAPE = {
    "format": int,
    "config": dict,
    "tokenizer?": (dict, None),
    "corpus?": {"tokens?": (_COUNT, None), "fingerprint?": (str, None), "report?": (dict, None)},
    "seen?": [{"tokens": _COUNT, "fingerprint": (str, None), "text?": (str, None)}],
    "dtype?": str,
    "source?": {"*": str},
    "training?": {"*": (float, str, None)},
    "versions?": dict,
    "imported?": dict,
}


class Kind(NamedTuple):
    """Type, shape and range of an array; a size has the same value wherever it occurs."""

    dtype: Any
    shape: tuple[str, ...]
    between: tuple[float, float] | None = None  # values that are checked; vectors are not read at load


_FINITE, _POSITIVE, _SHARE = (-np.inf, np.inf), (0.0, np.inf), (0.0, 1.0)


def _kinds(dtype: str | None) -> dict[str, Kind]:
    """Return the kinds of the arrays of a model, or of a compact one of this type; a "?" marks optional arrays."""
    row, number = np.dtype(dtype or "float32"), np.float32 if dtype else np.float64
    kinds = {
        "vectors": Kind(row, ("senses", "width")),
        "output": Kind(row, ("rows", "width")),
        "centres?": Kind(row, ("senses", "width")),
        "offsets": Kind(np.int64, ("bounds",)),
        "counts": Kind(number, ("senses",), _FINITE),
        "priors": Kind(number, ("senses",), _SHARE),
        "totals?": Kind(np.float64, ("words",), _FINITE),
        "agreement?": Kind(np.float64, ("words",), _FINITE),
    }
    if dtype is None:
        tree = {"steps?": Kind(np.int32, ("steps",)), "paths?": Kind(np.int64, ("bounds",))}
        return kinds | tree | {"norms": Kind(np.float32, ("senses",), _POSITIVE)}
    scales = (("vectors_scale", "senses"), ("output_scale", "rows"), ("centres_scale?", "senses"))
    kinds |= {name: Kind(np.float32, (size,)) for name, size in scales}
    return kinds | {"parents?": Kind(np.int32, ("words and rows",))}


_REST_KINDS = {
    "vectors": Kind(np.float32, ("sticks", "width"), _FINITE),
    "counts": Kind(np.float64, ("sticks",), _POSITIVE),
    "words": Kind(np.int64, ("sticks",)),
    "pending": Kind(np.float64, ("words",), _POSITIVE),
}
Identity = tuple[int, ...] | None
T = TypeVar("T")

# -- files of arrays


def read_arrays(path: Path, vocabulary: str | None = None) -> dict[str, NDArray[Any]]:
    """Map the arrays of a safetensors file read-only; the header is checked against the file before use.

    Arrays that were written for another vocabulary than the one with this checksum are refused.
    """
    with reading(path), open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
        if length > size - 8:
            raise ValueError(f"its header does not fit in {size} bytes")
        header = parse_json(file.read(length), dict)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    notes = header.pop("__metadata__", None)
    arrays = {name: _view(path, data, 8 + length, name, entry) for name, entry in header.items()}
    if vocabulary and isinstance(notes, dict) and notes.get(VOCABULARY, vocabulary) != vocabulary:
        raise InputError(f"{path} belongs to another vocabulary than the {VOCAB} beside it")
    return arrays


def _view(path: Path, data: mmap.mmap, base: int, name: str, entry: Any) -> NDArray[Any]:
    try:
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        shape = tuple(int(n) for n in entry["shape"])
        start, stop = (int(n) for n in entry["data_offsets"])
        count = math.prod(shape)
        if min((*shape, start), default=0) < 0 or stop - start != count * dtype.itemsize or base + stop > len(data):
            raise ValueError
        values = np.frombuffer(data, dtype, count, base + start) if count else np.empty(0, dtype)
        return values.reshape(shape)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{path} is damaged: array '{name}' is not in the file as its header says") from None


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


def check_writable(model: Model) -> None:
    """Raise InputError if decisions, a sense sheet or trends cannot be written to the folder of a model."""
    place = model.place
    if place is None:
        raise InputError("the model is in memory only; save it first and load it")
    if place.archive:
        raise read_only(place.archive)
    place.check()
    remove_dead(place.folder / CARD)
    try:
        with temporary_folder(place.folder / CARD):
            pass
    except InputError as error:
        raise InputError(f"{place.folder} cannot be written to: {error}; copy it, and name the copy") from None


def read_only(archive: str | Path) -> InputError:
    """Return the error for a verb that would write into a packed model, one on the Hub or one of the package."""
    return InputError(
        f"{archive} is read-only, as all models that are packed, on the Hub or in the package; "
        f"make a folder of it with adagram.load({str(archive)!r}).save('model'), and name that"
    )


def read_folder(folder: Path, archive: str, raw: bool) -> tuple[ArrayMap, Vocabulary, dict[str, Any], str, Place]:
    """Return arrays (memory-mapped), vocabulary, config.json, the text of the journal and the place of a model.

    A model that is replaced meanwhile is opened again.
    """
    place = Place(folder, identity_of(folder), archive)
    try:
        found = *_read_model(folder), "" if raw else read_journal(folder), place
        place.check()
    except InputError:
        if identity_of(folder) == place.identity:
            raise
        return read_folder(folder, archive, raw)
    return found


def identity_of(folder: Path) -> Identity:
    """Return what differs between a folder and one that replaces it; decisions and sheets do not change it."""
    try:
        place, config = os.stat(folder), os.stat(folder / CONFIG)
    except OSError:
        return None
    return place.st_dev, place.st_ino, config.st_ino, config.st_mtime_ns, config.st_size


def read_journal(folder: Path) -> str:
    """Return the text of a model folder's journal, "" if there is none."""
    path = folder / JOURNAL
    try:
        return read_file(path).decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not in UTF-8: {error}; repair it, or ignore it with raw=True") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}; ignore it with raw=True") from None


def _read_model(folder: Path) -> tuple[ArrayMap, Vocabulary, dict[str, Any]]:
    info = read_json(folder / CONFIG, {"format": int}, MODEL.article)
    if info["format"] != FORMAT_VERSION:
        raise InputError(f"{folder} has model format {info['format']}; this version reads {FORMAT_VERSION}")
    with reading(folder / CONFIG):
        check_shape(info, SHAPE)
    if strange := [name for name in info["config"] if name not in {*options_of(TrainConfig), *RETIRED}]:
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
    path, dtype = folder / ARRAYS, info.get("dtype")
    arrays = read_arrays(path, vocabulary.checksum)
    check_arrays(path, arrays, len(vocabulary), config.dim, dtype)
    return Expanded(arrays) if dtype else arrays, vocabulary, info


class Continuation(NamedTuple):
    """What `train --continue` needs beside the learned senses."""

    rest: ArrayMap | None  # of continue.safetensors; None if it was not kept
    unknown: dict[str, int]  # words that were too rare to be learned, with their counts


def read_rest(folder: Path, vocabulary: str) -> ArrayMap | None:
    """Return the arrays of continue.safetensors for the vocabulary with this checksum; None if there are none."""
    path = folder / REST
    return read_arrays(path, vocabulary) if path.is_file() else None


def write_model(model: Model, folder: Path) -> None:
    """Write the files of a model into an existing folder."""
    arrays, dtype = model.learned_arrays, model.info.get("dtype")
    if isinstance(arrays, Expanded):
        arrays = arrays.stored
    elif dtype:
        arrays = compact(arrays)
    write_arrays(folder / ARRAYS, arrays, model.vocabulary.checksum)
    if model._continuation.rest is not None:
        write_arrays(folder / REST, model._continuation.rest, model.vocabulary.checksum)
    write_description(model, folder)


def write_description(model: Model, folder: Path) -> None:
    """Write all files but the arrays; `folder` may be the model's own, so all is read before anything is written."""
    from adagram.model import display, edits, resolution  # which import this module

    card, unknown, tree = display.model_card(model), model._continuation.unknown, model._learned_tree
    model._read(lambda own: copy_added(own, folder))
    write_json(folder / CONFIG, model.info)
    model.vocabulary.save(folder / VOCAB)
    if model.decisions:
        lines = [edits.line_of(decision, model._learned.names) for decision in model.decisions]
        (folder / JOURNAL).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / CARD).write_text(card, encoding="utf-8")
    write_unknown(folder, unknown)
    if tree is not None:
        resolution.write_tree(folder, tree, model.learned_arrays["offsets"], model.vocabulary.checksum)


def copy_added(own: Path, folder: Path, names: Sequence[str] = _ADDED) -> None:
    """Copy what `describe` and `trends` have added to a model folder."""
    for name in names:
        if (own / name).is_file():
            shutil.copyfile(own / name, folder / name)


# -- checks: kernels read the arrays without bounds checks


def check_arrays(path: Path, arrays: ArrayMap, n_words: int, dim: int, dtype: str | None) -> None:
    """Raise InputError if the arrays are not a model of `n_words` words and `dim` dimensions, compact or not."""
    if dtype not in (None, COMPACT):
        raise InputError(f"{path} has the type {dtype[:40]!r}; this version reads {COMPACT}")
    sizes = _check_kinds(path, arrays, _kinds(dtype), {"words": n_words, "bounds": n_words + 1})
    n_rows, width = sizes["rows"], sizes["width"]
    expect(width >= dim and width % WIDTH == 0, path, f"rows have {width} values for {dim} dimensions")
    _check_bounds(path, arrays, "offsets", sizes["senses"])
    for one, other in (("steps", "paths"), *((("centres", "centres_scale"),) if dtype else ())):
        expect((one in arrays) == (other in arrays), path, f"it has only one of {one} and {other}")
    if "steps" in arrays:
        steps = arrays["steps"]
        _check_bounds(path, arrays, "paths", len(steps))
        expect(bool(steps.min() >= 0 and steps.max() < 2 * n_rows), path, "steps name nodes that do not exist")
    elif "parents" in arrays:
        parents = arrays["parents"]
        fits = len(parents) == n_words + n_rows and bool(parents.min() >= -1 and parents.max() < 2 * n_rows)
        expect(fits and bool(parents[:n_words].min() >= 0), path, "parents are not a tree")
    else:
        expect(n_rows == n_words, path, f"output has {n_rows} rows for {n_words} words")


def check_rest(path: Path, rest: ArrayMap, n_words: int, width: int) -> None:
    """Raise InputError if the arrays do not belong to a model of `n_words` words with rows of this width."""
    _check_kinds(path, rest, _REST_KINDS, {"words": n_words, "width": width})
    words = rest["words"]
    rises = not len(words) or (words[0] >= 0 and words[-1] < n_words and bool(np.all(words[1:] >= words[:-1])))
    expect(rises, path, "words do not rise")


def _check_kinds(path: Path, arrays: ArrayMap, kinds: Mapping[str, Kind], sizes: dict[str, int]) -> dict[str, int]:
    """Check that all needed arrays are there, no unknown ones, and each of its kind; return all sizes."""
    strange = [name for name in arrays if name not in kinds and f"{name}?" not in kinds]
    expect(not strange, path, f"it has the unknown arrays {', '.join(map(repr, strange))}")
    for key, kind in kinds.items():
        name = key.removesuffix("?")
        if name not in arrays:
            expect(key != name, path, f"it lacks {name}")
            continue
        found = arrays[name]
        expect(found.dtype == kind.dtype, path, f"{name} is of type {found.dtype}, expected {np.dtype(kind.dtype)}")
        expected = tuple(sizes.get(size, size) for size in kind.shape)
        fits = found.ndim == len(expected) and all(
            sizes.setdefault(size, n) == n for size, n in zip(kind.shape, found.shape, strict=True)
        )
        expect(fits, path, f"{name} has the shape {found.shape}, expected ({', '.join(map(str, expected))})")
        if kind.between:
            low, high = kind.between
            is_good = bool(np.all(np.isfinite(found) & (found >= low) & (found <= high)))
            expect(is_good, path, f"{name} has a value that is not a finite number from {low:g} to {high:g}")
    return sizes


def _check_bounds(path: Path, arrays: ArrayMap, name: str, end: int) -> None:
    """Check that bounds cut 0:end into parts, none of them empty."""
    bounds = arrays[name]
    rises = bool(bounds[0] == 0 and bounds[-1] == end and np.all(bounds[1:] > bounds[:-1]))
    expect(rises, path, f"{name} do not rise from 0 to {end}")


def finite(values: NDArray[Any]) -> NDArray[Any]:
    """Return `values`, or raise InputError if any is not finite: vectors are memory-mapped and not checked at load."""
    if not np.isfinite(values.sum()):
        raise InputError("the vectors of the model are damaged: they give no finite numbers; run `adagram check`")
    return values


def expect(good: bool, path: Path, what: str) -> None:
    if not good:
        raise InputError(f"{path} is damaged: {what}")
