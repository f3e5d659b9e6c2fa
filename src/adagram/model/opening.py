"""Opening a model folder: what is in it, whether it belongs together, and what its editor decided."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.model import storage
from adagram.model.checks import check_arrays
from adagram.model.journal import JOURNAL, read_journal
from adagram.model.model import Model
from adagram.model.shards import is_sharded, read_shards
from adagram.text.tokenizer import TokenizerConfig
from adagram.vocabulary import Vocabulary


def open_model(folder: Path, raw: bool) -> Model:
    """Map a model folder and follow its journal, unless `raw`; a line that is refused is a warning."""
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
    model = Model(_arrays(folder, len(vocabulary), config.dim), vocabulary, info, (), folder)
    if raw:
        return model
    journal = read_journal(folder / JOURNAL, model.row, model.check_decisions)
    for sentence in journal.refused:
        warnings.warn(sentence, stacklevel=4)
    if not journal.decisions:
        return model
    return Model(model.arrays, vocabulary, info, journal.decisions, folder)


def _arrays(folder: Path, n_words: int, dim: int) -> Mapping[str, NDArray[Any]]:
    if is_sharded(folder):
        return read_shards(folder, n_words, dim)
    arrays = storage.read_arrays(folder / storage.ARRAYS)
    check_arrays(folder / storage.ARRAYS, arrays, n_words, dim)
    return arrays
