"""`adagram check` and `adagram clean`: verify a model, corpus or checkpoint; remove what dead runs left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adagram.corpus.encoded import EncodedCorpus, read_meta
from adagram.errors import InputError
from adagram.model import Model
from adagram.whole import (
    CHECKPOINT,
    CORPUS,
    MODEL,
    check_sums,
    kind_of,
    locked,
    remove_all_dead,
    remove_dead_locks,
    remove_folder,
)

_BLOCK = 1 << 22  # values looked at in one go


class Finding(NamedTuple):
    test: str
    damage: str  # empty: none


def examine(folder: Path) -> list[Finding]:
    """Run all tests of a model, an encoded corpus or a checkpoint, whether or not one of them fails."""
    kind = kind_of(folder)
    tests: list[tuple[str, Callable[[Path], None]]] = [("checksums", check_sums)]
    if kind in (MODEL, CHECKPOINT):
        tests += [
            ("model opens", _open_model),
            ("values are finite", _finite),
            ("priors sum to one", _priors),
        ]
        if kind is CHECKPOINT:
            tests.append(("state is finite", _state))
    elif kind is CORPUS:
        tests += [("corpus opens", _open_corpus), ("words exist, sentences rise", _indices)]
    else:
        raise InputError(f"{folder} is no model, encoded corpus or checkpoint of this program")
    return [Finding(name, _damage(test, folder)) for name, test in tests]


def _damage(test: Callable[[Path], None], folder: Path) -> str:
    try:
        test(folder)
    except InputError as error:
        return str(error)
    return ""


def _open_model(folder: Path) -> None:
    Model.load(folder)


def _finite(folder: Path) -> None:
    _all_finite(dict(Model.load(folder).arrays))


def _all_finite(arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> None:
    for name, array in arrays.items():
        flat = array.reshape(-1)
        for start in range(0, len(flat) if array.dtype.kind == "f" else 0, _BLOCK):
            if not np.isfinite(flat[start : start + _BLOCK]).all():
                raise InputError(f"{name} has a value that is no finite number")


def _priors(folder: Path) -> None:
    model = Model.load(folder)
    sums = np.add.reduceat(model.arrays["priors"], model.offsets[:-1])
    worst = float(np.abs(sums - 1.0).max())
    if not worst <= 1e-6:
        raise InputError(f"the priors of a word miss one by {worst:g}")


def _state(folder: Path) -> None:
    from adagram.model.storage import read_arrays
    from adagram.training.checkpoint import is_stream

    files = sorted((*folder.glob("trainer.safetensors"), *folder.glob("worker-*.safetensors")))
    if not files and not is_stream(folder):  # a stream goes on from the model alone
        raise InputError("there is no state to go on from")
    for path in files:
        _all_finite(read_arrays(path))


def _open_corpus(folder: Path) -> None:
    EncodedCorpus.open(folder)


def _indices(folder: Path) -> None:
    EncodedCorpus.open(folder).check()


def clean(place: Path) -> list[Path]:
    """Remove what killed runs left in a folder, and return it: temporary folders, locks, and what was to be removed.

    A run that has saved its model removes its checkpoints and its encoded corpus; killed before that, it leaves them.
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
        except InputError:  # a run is at work there
            continue
    return removed


def _finished(path: Path) -> Path | None:
    """Return the output of the run that would have removed this folder next; None if it may still be of use."""
    from adagram.training.checkpoint import checkpoint_folders, has_checkpoint, was_saved

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
