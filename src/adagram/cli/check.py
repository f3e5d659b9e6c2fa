"""`adagram check`: verify a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from typer import Argument

from adagram.cli.options import JsonOption
from adagram.cli.output import print_table
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.files.folders import CHECKPOINT, CORPUS, MODEL, check_sums, kind_of
from adagram.files.hub import folder_of
from adagram.model import Model
from adagram.model.storage import read_arrays
from adagram.training.checkpoint import is_stream
from adagram.types import ArrayMap

_CHUNK = 1 << 22  # values checked at a time


def check(folder: Annotated[Path, Argument(metavar="FOLDER")], json: JsonOption = False) -> None:
    """Verify a model (packed or not), an encoded corpus or a checkpoint: one line for each test.

    Example: adagram check model/
    """
    findings = examine(folder_of(folder)[0])
    print_table("test result", [(finding.test, finding.damage or "good") for finding in findings], json)
    if any(finding.damage for finding in findings):
        raise InputError(f"{folder} is damaged; write it again, or fetch another copy")


class Finding(NamedTuple):
    test: str
    damage: str  # empty: none


def examine(folder: Path) -> list[Finding]:
    """Run all tests of a model, an encoded corpus or a checkpoint, also after one has failed."""
    kind = kind_of(folder)
    tests: list[tuple[str, Callable[[Path], object]]] = [("checksums", check_sums)]
    if kind in (MODEL, CHECKPOINT):
        tests += [
            ("model opens", Model.load),
            ("values are finite", lambda folder: _all_finite(Model.load(folder).arrays)),
            ("priors sum to one", _priors),
        ]
        if kind is CHECKPOINT:
            tests.append(("state is finite", _state))
    elif kind is CORPUS:
        tests += [
            ("corpus opens", EncodedCorpus.open),
            ("words exist, sentences rise", lambda folder: EncodedCorpus.open(folder).check()),
        ]
    else:
        raise InputError(f"{folder} is not a model, encoded corpus or checkpoint of this program")
    return [Finding(name, _damage(test, folder)) for name, test in tests]


def _damage(test: Callable[[Path], object], folder: Path) -> str:
    try:
        test(folder)
    except InputError as error:
        return str(error)
    return ""


def _all_finite(arrays: ArrayMap) -> None:
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
