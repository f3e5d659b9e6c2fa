"""A file for gensim's KeyedVectors.load."""

from __future__ import annotations

from pathlib import Path

from adagram.model import Model
from adagram.whole import check_file, new_file


def write_gensim(model: Model, path: Path) -> None:
    """`path`, and beside it `path.vectors.npy` where gensim keeps large arrays apart."""
    check_file(path)
    keyed = model.to_gensim()
    with new_file(path) as made:
        keyed.save(str(made))
