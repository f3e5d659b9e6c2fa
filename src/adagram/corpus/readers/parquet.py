"""Parquet files with the text in one column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adagram.corpus.blocks import join_blocks
from adagram.corpus.readers.values import column_text
from adagram.corpus.state import Reading
from adagram.errors import InputError, need

BATCH_ROWS = 256  # rows can be whole books


def read_parquet(name: str, reading: Reading) -> Iterator[bytes]:
    """The text of every row, a batch at a time."""
    return join_blocks(_texts(name, reading))


def _texts(name: str, reading: Reading) -> Iterator[str]:
    parquet = need("pyarrow.parquet", "parquet", name)
    errors = (need("pyarrow", "parquet", name).ArrowException, OSError)
    column, size = reading.options.column, Path(name).stat().st_size
    try:
        with parquet.ParquetFile(name, memory_map=True) as file:
            columns = file.schema_arrow.names
            if column not in columns:
                raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(columns)}")
            rows, done = max(file.metadata.num_rows, 1), 0
            for batch in file.iter_batches(BATCH_ROWS, columns=[column]):
                yield from _rows(batch, name, reading)
                reading.advance(size * batch.num_rows // rows)
                done += size * batch.num_rows // rows
            reading.advance(size - done)
    except errors as error:
        raise InputError(f"{name} cannot be read as parquet: {error}") from error


def _rows(batch: Any, name: str, reading: Reading) -> Iterator[str]:
    for value in batch.column(0).to_pylist():
        yield column_text({reading.options.column: value}, name, reading)
