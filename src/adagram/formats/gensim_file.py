"""A file for gensim's KeyedVectors.load."""

from __future__ import annotations

from pathlib import Path

from adagram.files.atomic import check_new_file, new_file
from adagram.model import Model


def write_gensim(model: Model, path: Path, overwrite: bool = False) -> None:
    """`path`, and beside it `path.vectors.npy` where gensim keeps large arrays apart."""
    check_new_file(path, overwrite)
    keyed = model.to_gensim()
    with new_file(path, overwrite) as made:
        keyed.save(str(made))
