"""Parts shared by the formats: checks of what is read, a model made of it, names that can be written."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram import __version__
from adagram.config import TrainConfig
from adagram.corpus.tokenize import UNSPACED, TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.kernels.arrays import padded
from adagram.model import Model
from adagram.model.storage import FORMAT_VERSION

_MAX_VALUE = 1e15


def zero_rows(n_rows: int, dim: int) -> NDArray[np.float32]:
    """Zero vectors, padded as the model's arrays are."""
    return np.zeros((n_rows, padded(dim)), np.float32)


def check_values(path: Path, values: NDArray[Any], what: str) -> None:
    """Refuse NaN, infinity, and values so large that products of them are infinite."""
    if not np.all(np.abs(values) <= _MAX_VALUE):  # false for NaN
        raise InputError(f"{path} is damaged: {what} has a value that is not a number, or far too large")


def config_of(path: Path, **parameters: Any) -> TrainConfig:
    """The configuration that a file describes; errors name the file."""
    try:
        return TrainConfig.from_preset("paper", **parameters)
    except InputError as error:
        raise InputError(f"{path} cannot be imported: {error}") from None


def vocabulary_of(path: Path, words: list[str], counts: NDArray[np.int64]) -> Vocabulary:
    for word in words:
        if not word or "\n" in word:
            raise InputError(f"{path} is damaged: {word!r} is not a word")
    if len(set(words)) < len(words):
        word, n = Counter(words).most_common(1)[0]
        raise InputError(f"{path} is damaged: it has the word {word!r} {n} times")
    return Vocabulary(words, counts)


def assemble(
    arrays: dict[str, NDArray[Any]], vocabulary: Vocabulary, config: TrainConfig, source: dict[str, Any]
) -> Model:
    """Make the model; text is split by the default tokenizer, which folds case if no word has a capital letter."""
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


def safe_names(model: Model, format: str, forbidden: str = r"\s") -> list[str]:
    """All sense names; a word with a `forbidden` character cannot be written to a file of this format."""
    names = model.names(slice(0, model.n_senses))
    found = re.compile(forbidden).search
    for name in names:
        if found(name):
            raise InputError(
                f"the word {name.rpartition('#')[0]!r} has white space in it, which {format} cannot hold; "
                "export to gensim or parquet instead"
            )
    return names
