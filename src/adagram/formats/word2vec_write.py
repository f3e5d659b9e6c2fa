"""word2vec's text and binary formats, one row per sense."""

from __future__ import annotations

from pathlib import Path

from adagram.files.atomic import new_file
from adagram.formats.names import safe_names
from adagram.model import Model

_ROWS = 4096  # rows formatted at a time


def write_text(model: Model, path: Path, overwrite: bool = False) -> None:
    """A header line `rows dimensions`, then `name value value …`; nine digits give every float32 back exactly."""
    names, dim = safe_names(model, "word2vec"), model.config.dim
    row_format = "%s" + " %.9g" * dim + "\n"
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8", newline="\n") as file:
        file.write(f"{len(names)} {dim}\n")
        for start in range(0, len(names), _ROWS):
            rows = model.vectors[start : start + _ROWS].tolist()
            file.writelines(row_format % (names[start + i], *row) for i, row in enumerate(rows))


def write_binary(model: Model, path: Path, overwrite: bool = False) -> None:
    """The same header, then name, space, little-endian float32 values and a line end, as word2vec writes it."""
    names = safe_names(model, "word2vec-bin")
    with new_file(path, overwrite) as made, open(made, "wb") as file:
        file.write(f"{len(names)} {model.config.dim}\n".encode())
        for name, vector in zip(names, model.vectors, strict=True):
            file.write(b"%s %s\n" % (name.encode(), vector.astype("<f4", copy=False).tobytes()))
