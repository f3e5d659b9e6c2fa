"""Hugging Face data sets, by local folder or by name (`hf:NAME` or `hf:NAME:CONFIG`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adagram.corpus.blocks import join_blocks
from adagram.corpus.readers.values import column_text
from adagram.corpus.sources import HUB
from adagram.corpus.state import Reading
from adagram.errors import InputError, need


def read_dataset(name: str, reading: Reading) -> Iterator[bytes]:
    """The text of every example, streamed."""
    return join_blocks(_texts(name, reading))


def _texts(name: str, reading: Reading) -> Iterator[str]:
    column = reading.options.column
    for split in _open_splits(name, reading.options.split):
        columns = split.column_names
        if columns is not None and column not in columns:
            raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(columns)}")
        for example in split:
            if column not in example:
                raise InputError(f"{name} has no column {column!r}; columns are: {', '.join(example)}")
            yield column_text(example, name, reading)


def _open_splits(name: str, split: str | None) -> list[Any]:
    datasets = need("datasets", "datasets", name)
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
