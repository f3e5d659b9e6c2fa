"""A close look at a folder of ours: all that is read when it is used, and all that is only believed then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.whole import CHECKPOINT, CORPUS, MODEL, check_sums, kind_of

_BLOCK = 1 << 22  # values looked at in one go


class Finding(NamedTuple):
    test: str
    damage: str  # empty: none


def examine(folder: Path) -> list[Finding]:
    """All tests of a model, an encoded corpus or a checkpoint; one that fails does not keep the others from running."""
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

    files = sorted((*folder.glob("trainer.safetensors"), *folder.glob("worker-*.safetensors")))
    if not files:
        raise InputError("there is no state to go on from")
    for path in files:
        _all_finite(read_arrays(path))


def _open_corpus(folder: Path) -> None:
    EncodedCorpus.open(folder)


def _indices(folder: Path) -> None:
    EncodedCorpus.open(folder).check()
