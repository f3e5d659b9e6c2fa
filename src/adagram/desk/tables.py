"""Frequencies of senses over time as a table that other programs read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adagram.desk.counting import Frequencies
from adagram.errors import InputError, need
from adagram.files.atomic import new_file
from adagram.maths.frequencies import normalise
from adagram.model import Model

COLUMNS = ("word", "sense", "epoch", "count", "norm")
_AT_ONCE = 10_000  # senses


def write_frequencies(
    path: Path, model: Model, frequencies: Frequencies, how: str, overwrite: bool = False
) -> None:
    """A row per sense and epoch in which it occurs; .parquet as parquet, .tsv or .txt as tab-separated text."""
    suffix = path.suffix.lower()
    if suffix not in (".parquet", ".tsv", ".txt"):
        raise InputError(f"{path}: frequencies are written as .tsv or .parquet")
    norms = normalise(how, frequencies.counts, frequencies.words, model.offsets)
    with new_file(path, overwrite) as made:
        if suffix == ".parquet":
            _parquet(made, model, frequencies, norms)
        else:
            _tsv(made, model, frequencies, norms)


def _rows(model: Model, frequencies: Frequencies, norms: np.ndarray, start: int) -> list[list[object]]:  # type: ignore[type-arg]
    """The columns of some senses."""
    stop = min(start + _AT_ONCE, model.n_senses)
    counts = frequencies.counts[start:stop]
    sense, epoch = np.nonzero(counts > 0)
    names = model.names(slice(start, stop))
    epochs = [e.name for e in frequencies.epochs]
    senses = [names[i] for i in sense.tolist()]
    return [
        [name.rpartition("#")[0] for name in senses],
        list(senses),
        [epochs[e] for e in epoch.tolist()],
        counts[sense, epoch].round(3).tolist(),
        norms[start:stop][sense, epoch].round(6).tolist(),
    ]


def _tsv(path: Path, model: Model, frequencies: Frequencies, norms: np.ndarray) -> None:  # type: ignore[type-arg]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for start in range(0, model.n_senses, _AT_ONCE):
            for row in zip(*_rows(model, frequencies, norms, start), strict=True):
                file.write("\t".join(map(str, row)) + "\n")


def _parquet(path: Path, model: Model, frequencies: Frequencies, norms: np.ndarray) -> None:  # type: ignore[type-arg]
    pa = need("pyarrow", "parquet", "a table of frequencies in parquet")
    parquet = need("pyarrow.parquet", "parquet", "a table of frequencies in parquet")
    kinds = (pa.string(), pa.string(), pa.string(), pa.float64(), pa.float64())
    schema = pa.schema(list(zip(COLUMNS, kinds, strict=True)))
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, model.n_senses, _AT_ONCE):
            columns = [
                pa.array(column, kind)
                for column, kind in zip(_rows(model, frequencies, norms, start), kinds, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
