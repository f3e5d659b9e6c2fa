"""Opening the folder of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adagram.arrays import ArrayMap
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.model import storage
from adagram.model.checks import check_arrays
from adagram.model.shards import is_sharded, read_shards
from adagram.text.tokenizer import TokenizerConfig
from adagram.vocabulary import Vocabulary


def read_folder(folder: Path) -> tuple[ArrayMap, Vocabulary, dict[str, Any]]:
    """Arrays (mapped), vocabulary and config.json of a model; nothing large is read."""
    info = storage.read_json(folder / storage.CONFIG)
    if info.get("format") != storage.FORMAT_VERSION:
        raise InputError(
            f"{folder} has model format {info.get('format')}; this version reads {storage.FORMAT_VERSION}"
        )
    try:
        config = TrainConfig.from_dict(info["config"])
        TokenizerConfig.from_dict(info.get("tokenizer") or {})
    except (KeyError, TypeError, InputError) as error:
        raise InputError(f"{folder / storage.CONFIG} is damaged: {error}") from None
    vocabulary = Vocabulary.load(folder / storage.VOCAB)
    if is_sharded(folder):
        return read_shards(folder, len(vocabulary), config.dim), vocabulary, info
    arrays = storage.read_arrays(folder / storage.ARRAYS)
    check_arrays(folder / storage.ARRAYS, arrays, len(vocabulary), config.dim)
    return arrays, vocabulary, info
