"""Models in the formats of other programs: `export` writes them, `import_model` reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from adagram.errors import InputError
from adagram.export import julia, tables, word2vec
from adagram.model import Model
from adagram.model.arguments import checked_path
from adagram.model.compact import COMPACT, model_of_frequent
from adagram.model.neighbours import blended_vectors
from adagram.model.storage import finite

_WRITERS: dict[str, Callable[[Model, Path, bool], None]] = {
    "word2vec": word2vec.write_text,
    "word2vec-bin": word2vec.write_binary,
    "gensim": word2vec.write_gensim,
    "projector": tables.write_projector,
    "parquet": tables.write_parquet,
    "julia": julia.write_julia,
    "csv": tables.write_csv,
    "tei-lex0": tables.write_tei,
}
_READERS: dict[str, Callable[..., Model]] = {"julia": julia.read_julia, "word2vec": word2vec.read_word2vec}
VECTORS = ("word2vec", "word2vec-bin", "gensim", "projector", "parquet")
EXPORTS = (*_WRITERS, COMPACT)
IMPORTS = tuple(_READERS)


def export(
    model: Model,
    path: str | Path,
    format: str,
    overwrite: bool = False,
    blended: bool = False,
    max_words: int | None = None,
) -> None:
    """Write a model as `path` in one of the formats EXPORTS, complete or not at all.

    A file or folder that exists is replaced only with `overwrite`. `blended` writes the vectors by which senses are
    compared, in one of the formats VECTORS. `max_words` keeps the most frequent words only.
    """
    if blended and format not in VECTORS:
        raise InputError(f"blended vectors can be written as {', '.join(VECTORS)}, not as {format}")
    if format not in EXPORTS:
        raise InputError(f"cannot export the format {format!r}; the formats are {', '.join(EXPORTS)}")
    if max_words is not None:
        model = model_of_frequent(model, max_words)
    if blended:
        model = blended_model(model)
    finite(model.vectors)
    if format == COMPACT:
        model.save(path, overwrite, dtype=format)
    else:
        _WRITERS[format](model, checked_path(path, "path"), overwrite)


def import_model(path: str | Path, format: str, **options: Any) -> Model:
    """Read a model from a file in one of the formats IMPORTS.

    Options: `window`, the words on each side of a context, which no format records; for julia `min_prior`, the
    least prior of a sense that is kept (0 keeps all that the file lists).
    """
    if format not in IMPORTS:
        raise InputError(f"cannot import the format {format!r}; the formats are {', '.join(IMPORTS)}")
    return _READERS[format](Path(path), **options)


def blended_model(model: Model) -> Model:
    """Return a model with the vectors by which senses are compared in place of the learned ones."""
    vectors = np.zeros_like(model.arrays["vectors"])
    vectors[:, : model.config.dim] = blended_vectors(model)
    changed = {"vectors": vectors, "norms": np.ones(model.n_senses, np.float32)}
    return Model({**model.arrays, **changed}, model.vocabulary, model.info)
