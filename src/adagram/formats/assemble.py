"""Imported arrays to a model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram import __version__
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.kernels.arrays import padded
from adagram.model import Model
from adagram.model.storage import FORMAT_VERSION
from adagram.text.tokenizer import TokenizerConfig
from adagram.text.unspaced import UNSPACED
from adagram.vocabulary import Vocabulary

_LARGEST = 1e15


def zero_rows(n_rows: int, dim: int) -> NDArray[np.float32]:
    """Room for vectors, padded as the model's arrays are."""
    return np.zeros((n_rows, padded(dim)), np.float32)


def check_values(path: Path, values: NDArray[Any], what: str) -> None:
    """Refuse NaN, infinity, and values so large that products of them are infinite."""
    if not np.all(np.abs(values) <= _LARGEST):  # false for NaN
        raise InputError(f"{path} is damaged: {what} has a value that is no number, or far too large")


def config_of(path: Path, **parameters: Any) -> TrainConfig:
    """The configuration that a file describes; values that no model can have are the file's fault."""
    try:
        return TrainConfig.from_preset("paper", **parameters)
    except InputError as error:
        raise InputError(f"{path} cannot be imported: {error}") from None


def vocabulary_of(path: Path, words: list[str], counts: NDArray[np.int64]) -> Vocabulary:
    for word in words:
        if not word or "\n" in word:
            raise InputError(f"{path} is damaged: {word!r} is no word")
    if len(set(words)) < len(words):
        word, n = Counter(words).most_common(1)[0]
        raise InputError(f"{path} is damaged: it has the word {word!r} {n} times")
    return Vocabulary(words, counts)


def assemble(
    arrays: dict[str, NDArray[Any]], vocabulary: Vocabulary, config: TrainConfig, source: dict[str, Any]
) -> Model:
    """The model; text is split by the default tokenizer, which folds case if no word has a capital letter."""
    folds = not any(word != word.lower() for word in vocabulary.words)
    is_cut = any(UNSPACED.search(word) for word in vocabulary.words)
    info = {
        "format": FORMAT_VERSION,
        "config": config.to_dict(),
        "tokenizer": TokenizerConfig(fold_case=folds, cut_unspaced=is_cut).to_dict(),
        "imported": source,
        "versions": {"adagram": __version__, "numpy": np.__version__},
    }
    return Model(arrays, vocabulary, info)
