"""A file for gensim's KeyedVectors.load."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from adagram.errors import InputError
from adagram.model import Model


def write_gensim(model: Model, path: Path) -> None:
    """`path`, and beside it `path.vectors.npy` where gensim keeps large arrays apart."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file to write to")
    keyed = model.to_gensim()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        keyed.save(os.path.join(folder, path.name))
        # The main file last: it is what a reader opens, so its companions must be there already.
        for made in sorted(Path(folder).iterdir(), key=lambda made: made.name == path.name):
            os.replace(made, path.parent / made.name)
