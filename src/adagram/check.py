"""`adagram check` and `adagram clean`: verify a model, corpus or checkpoint; remove what killed runs left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adagram.corpus.encoded import EncodedCorpus, read_meta
from adagram.errors import InputError
from adagram.files.atomic import remove_all_dead, remove_folder
from adagram.files.folders import CHECKPOINT, CORPUS, MODEL, check_sums, kind_of
from adagram.files.lock import locked, remove_dead_locks
from adagram.model import Model
from adagram.model.storage import read_arrays
from adagram.training.checkpoint import checkpoint_folders, has_checkpoint, is_stream, was_saved

_CHUNK = 1 << 22  # values checked at a time


class Finding(NamedTuple):
    test: str
    damage: str  # empty: none


def examine(folder: Path) -> list[Finding]:
    """Run all tests of a model, an encoded corpus or a checkpoint, also after one has failed."""
    kind = kind_of(folder)
    tests: list[tuple[str, Callable[[Path], object]]] = [("checksums", check_sums)]
    if kind in (MODEL, CHECKPOINT):
        tests += [("model opens", Model.load), ("values are finite", _finite), ("priors sum to one", _priors)]
        if kind is CHECKPOINT:
            tests.append(("state is finite", _state))
    elif kind is CORPUS:
        tests += [("corpus opens", EncodedCorpus.open), ("words exist, sentences rise", _indices)]
    else:
        raise InputError(f"{folder} is not a model, encoded corpus or checkpoint of this program")
    return [Finding(name, _damage(test, folder)) for name, test in tests]


def _damage(test: Callable[[Path], object], folder: Path) -> str:
    try:
        test(folder)
    except InputError as error:
        return str(error)
    return ""


def _finite(folder: Path) -> None:
    _all_finite(dict(Model.load(folder).arrays))


def _all_finite(arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> None:
    for name, array in arrays.items():
        flat = array.reshape(-1)
        for start in range(0, len(flat) if array.dtype.kind == "f" else 0, _CHUNK):
            if not np.isfinite(flat[start : start + _CHUNK]).all():
                raise InputError(f"{name} has a value that is not a finite number")


def _priors(folder: Path) -> None:
    model = Model.load(folder)
    sums = np.add.reduceat(model.arrays["priors"], model.offsets[:-1])
    worst = float(np.abs(sums - 1.0).max())
    if not worst <= 1e-6:
        raise InputError(f"the priors of a word miss one by {worst:g}")


def _state(folder: Path) -> None:
    files = sorted((*folder.glob("trainer.safetensors"), *folder.glob("worker-*.safetensors")))
    if not files and not is_stream(folder):  # a stream continues from the model alone
        raise InputError("there is no state to go on from")
    for path in files:
        _all_finite(read_arrays(path))


def _indices(folder: Path) -> None:
    EncodedCorpus.open(folder).check()


def clean(place: Path) -> list[Path]:
    """Remove what killed runs left in a folder, and return it: temporary folders, locks, and finished runs' files.

    A run that has saved its model removes its checkpoints and its encoded corpus; one killed before that leaves them.
    """
    removed = [*remove_all_dead(place), *remove_dead_locks(place)]
    for path in sorted(place.iterdir()):
        output = _finished(path)
        if output is None:
            continue
        try:
            with locked(output):
                remove_folder(path)
                removed.append(path)
        except InputError:  # a run is writing there
            continue
    return removed


def _finished(path: Path) -> Path | None:
    """Return the output of the run that would have removed this folder next; None if it may still be needed."""
    base = path.with_name(path.name.split(".checkpoint")[0])
    if path in checkpoint_folders(base) and was_saved(path, base):
        return base
    output = path.with_name(path.name.removesuffix(".encoded"))
    if output != path and kind_of(path) is CORPUS and not has_checkpoint(output):
        try:
            return output if read_meta(path).get("temporary_for") == output.name else None
        except InputError:
            return None
    return None
