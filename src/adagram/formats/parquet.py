"""A parquet table of senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from adagram.errors import need
from adagram.files.atomic import new_file
from adagram.model import Model

_ROWS = 16384  # rows per group, so that memory does not grow with the model


def write_parquet(model: Model, path: Path, overwrite: bool = False) -> None:
    """Columns word, sense ('apple#0'), prior, count (float64) and vector (a list of float32 of fixed size)."""
    pa = need("pyarrow", "parquet", "the parquet format")
    parquet = need("pyarrow.parquet", "parquet", "the parquet format")
    dim = model.config.dim
    schema = pa.schema(
        [
            ("word", pa.string()),
            ("sense", pa.string()),
            ("prior", pa.float64()),
            ("count", pa.float64()),
            ("vector", pa.list_(pa.float32(), dim)),
        ]
    )
    with new_file(path, overwrite) as made, parquet.ParquetWriter(made, schema) as writer:
        for start in range(0, model.n_senses, _ROWS):
            rows = slice(start, min(start + _ROWS, model.n_senses))
            names = model.names(rows)
            values = pa.array(np.ascontiguousarray(model.vectors[rows]).ravel())
            columns = [
                pa.array([name.rpartition("#")[0] for name in names]),
                pa.array(names),
                pa.array(model.priors[rows]),
                pa.array(model.counts[rows]),
                pa.FixedSizeListArray.from_arrays(values, dim),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
