"""Opening the folder of a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from adagram.arrays import ArrayMap
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.model import storage
from adagram.model.about import with_named_objective
from adagram.model.checks import check_arrays
from adagram.model.shards import is_sharded, read_shards
from adagram.options import options_of
from adagram.text.tokenizer import TokenizerConfig
from adagram.vocabulary import Vocabulary

TRIES = 20  # a model can be replaced while it is being opened, again and again


def read_folder(folder: Path) -> tuple[ArrayMap, Vocabulary, dict[str, Any]]:
    """Arrays (mapped), vocabulary and config.json of a model, all of the same one; nothing large is read."""
    for _ in range(TRIES):
        before = _identity(folder)
        try:
            found = _read(folder)
        except InputError:
            if _identity(folder) == before:
                raise
        else:
            if _identity(folder) == before:
                return found
    raise InputError(f"{folder} was replaced {TRIES} times while it was being opened; try again")


def _identity(folder: Path) -> tuple[int, ...] | None:
    """What differs between a folder and the one that takes its name."""
    try:
        found = [os.stat(folder), os.stat(folder / storage.CONFIG)]
    except OSError:
        return None
    return tuple(n for one in found for n in (one.st_dev, one.st_ino, one.st_ctime_ns))


def _read(folder: Path) -> tuple[ArrayMap, Vocabulary, dict[str, Any]]:
    info = storage.read_json(folder / storage.CONFIG)
    if info.get("format") != storage.FORMAT_VERSION:
        raise InputError(
            f"{folder} has model format {info.get('format')}; this version reads {storage.FORMAT_VERSION}"
        )
    _check_options(folder, info)
    try:
        config = TrainConfig.from_dict(info["config"])
        TokenizerConfig.from_dict(info.get("tokenizer") or {})
        if "training" in info:
            info["training"] = with_named_objective(dict(info["training"]), config)
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise InputError(f"{folder / storage.CONFIG} is damaged: {error}") from None
    vocabulary = Vocabulary.load(folder / storage.VOCAB)
    if not len(vocabulary):
        raise InputError(f"{folder / storage.VOCAB} is damaged: it has no words")
    if is_sharded(folder):
        return read_shards(folder, vocabulary, config.dim), vocabulary, info
    arrays = storage.read_arrays(folder / storage.ARRAYS, vocabulary.checksum)
    check_arrays(folder / storage.ARRAYS, arrays, len(vocabulary), config.dim)
    return arrays, vocabulary, info


def _check_options(folder: Path, info: Mapping[str, Any]) -> None:
    """An option that this version does not have is rather of a later one than damage."""
    config, versions = info.get("config"), info.get("versions")
    strange = (
        [name for name in config if name not in options_of(TrainConfig)] if isinstance(config, dict) else []
    )
    if strange:
        made_by = str(versions.get("adagram", "another") if isinstance(versions, dict) else "another")
        raise InputError(
            f"{folder / storage.CONFIG} has the option {str(strange[0])[:40]!r}, which adagram {version('adagram')} "
            f"does not know; the model was made by {made_by[:40]}: install that version"
        )
