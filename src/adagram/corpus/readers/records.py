"""Records with the text in one column: JSON lines, Parquet, Hugging Face data sets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from adagram.corpus.sources import HUB
from adagram.corpus.state import ReadState
from adagram.errors import InputError, need
from adagram.text.documents import Document, make_document

MAX_LINE = 1 << 28  # a line of more than 256 MB is not one record
LEAST_DATASETS = 4  # older ones run scripts that come with the data
BATCH_ROWS = 256  # rows can be whole books


def _text(record: Mapping[str, Any], where: str, state: ReadState) -> str:
    """The text of a record; null is counted as empty, a list of strings is joined by spaces."""
    column = state.options.column
    value = record[column]
    if isinstance(value, str):
        return value
    if value is None:
        state.skip("empty records")
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    raise InputError(
        f"{where}: the column {column!r} has {type(value).__name__} values, not text; name another --column"
    )


def read_jsonl(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Every record."""
    for number, record in _json_records(stream, name, state):
        yield _document(record, f"{name} line {number}", state)


def _document(record: Mapping[str, Any], name: str, state: ReadState) -> Document:
    """The text of a record with its other columns as fields; its name is its `id` if it has one."""
    fields = {key: value for key, value in record.items() if key != state.options.column}
    return make_document(str(record.get("id") or name), _text(record, name, state), fields)


def _json_records(stream: BinaryIO, name: str, state: ReadState) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every record that has the column, with the number of its line."""
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        record = _parse(line, name, number, state) if line.strip() else None
        if record is not None:
            yield number, record


def _parse(line: bytes, name: str, number: int, state: ReadState) -> dict[str, Any] | None:
    column = state.options.column
    try:
        record = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        state.bad_line(name, number, f"this is not a JSON record: {line[:40]!r}")
        return None
    if not isinstance(record, dict):
        state.bad_line(name, number, f"expected a JSON object with the column {column!r}")
        return None
    if column not in record:
        found = ", ".join(sorted(record)[:8]) or "none"
        state.bad_line(name, number, f"there is no column {column!r}; columns are: {found}")
        return None
    return record


def read_parquet(name: str, state: ReadState) -> Iterator[Document]:
    """Every row, a batch at a time; only the column of the text if fields are not needed."""
    wanted = None if state.needs_fields else [state.options.column]
    for number, record in enumerate(_parquet_records(name, state, wanted), 1):
        yield _document(record, f"{name} row {number}", state)


def _parquet_records(name: str, state: ReadState, wanted: list[str] | None) -> Iterator[dict[str, Any]]:
    """Every row, with all columns or those that are wanted."""
    parquet = need("pyarrow.parquet", "parquet", name)
    errors = (need("pyarrow", "parquet", name).ArrowException, OSError, ValueError)
    column, size = state.options.column, Path(name).stat().st_size
    try:
        with parquet.ParquetFile(name, memory_map=True) as file:
            columns = file.schema_arrow.names
            if column not in columns:
                raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(columns)}")
            rows, done = max(file.metadata.num_rows, 1), 0
            for batch in file.iter_batches(BATCH_ROWS, columns=wanted):
                yield from batch.to_pylist()
                state.advance(size * batch.num_rows // rows)
                done += size * batch.num_rows // rows
            state.advance(size - done)
    except errors as error:
        raise InputError(f"{name} cannot be read as parquet: {_first_line(error)}") from error


def read_dataset(name: str, state: ReadState) -> Iterator[Document]:
    """Every example, streamed."""
    for number, example in enumerate(_dataset_records(name, state), 1):
        yield _document(example, f"{name} example {number}", state)


def _dataset_records(name: str, state: ReadState) -> Iterator[dict[str, Any]]:
    """Every example of the splits that were asked for."""
    column = state.options.column
    for split in _open_splits(name, state.options.split):
        columns = split.column_names
        if columns is not None and column not in columns:
            raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(columns)}")
        for example in split:
            if column not in example:
                raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(example)}")
            yield example


def _open_splits(name: str, split: str | None) -> list[Any]:
    datasets = need("datasets", "datasets", name)
    if int(datasets.__version__.partition(".")[0]) < LEAST_DATASETS:
        raise InputError(
            f"datasets {datasets.__version__} runs programs that lie in a data set; "
            f'Run: pip install "datasets>={LEAST_DATASETS}"'
        )
    try:
        if name.startswith(HUB):
            found = _load_from_hub(datasets, name.removeprefix(HUB), split)
        elif any((Path(name) / marker).is_file() for marker in ("state.json", "dataset_dict.json")):
            found = datasets.load_from_disk(name)
        else:
            found = datasets.load_dataset(name, split=split, streaming=True)
    except Exception as error:  # the library raises dozens of types, for all of which the name is the cause
        raise InputError(f"the data set {name} cannot be opened: {_first_line(error)}") from error
    if not isinstance(found, dict):
        return [found]
    if split is None:
        return list(found.values())
    if split not in found:
        raise InputError(f"{name} has no split {split!r}; splits are: {', '.join(found)}")
    return [found[split]]


def _load_from_hub(datasets: Any, name: str, split: str | None) -> Any:
    """owner/name or name, with an optional :config behind it."""
    repository, _, config = name.partition(":")
    return datasets.load_dataset(repository, config or None, split=split, streaming=True)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
