"""Models with random vectors: quick to make, with senses, tree and counts as a trained one has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.arrays import padded
from adagram.model import Model
from adagram.model.predict import assign_senses
from adagram.model.storage import FORMAT_VERSION
from adagram.paper.softmax import huffman
from adagram.paper.stick_breaking import expected_pi
from adagram.systems.base import model_of_senses
from adagram.types import I64, Floats


def assign(model: Model, text: str | Iterable[str]) -> tuple[I64, Floats]:
    """Rows and probabilities of the likeliest senses of the words of one text."""
    return assign_senses(model, [text])[1:]


def random_model(n_words: int = 40, dim: int = 11, seed: int = 0, words: list[str] | None = None) -> Model:
    """Words w0, w1, … with one to four senses each, and vectors large enough for clear posteriors."""
    draw = np.random.default_rng(seed)
    words = words or [f"w{i}" for i in range(n_words)]
    frequencies = np.sort(draw.integers(50, 5000, len(words)))[::-1]
    sizes = draw.integers(1, 5, len(words))
    sizes[0] = 3
    parts = [draw.dirichlet(np.full(n, 3.0)) * f for n, f in zip(sizes, frequencies, strict=True)]
    config = TrainConfig.from_preset("paper", dim=dim, window=3, max_senses=6)
    priors = [expected_pi(np.append(part, 0.0), config.alpha)[:-1] for part in parts]
    offsets = np.append(0, sizes.cumsum())
    tree = huffman(frequencies)
    n_senses = int(offsets[-1])
    arrays = model_of_senses(
        _rows(draw, n_senses, dim),
        offsets,
        np.concatenate(parts).astype(np.float32).astype(np.float64),
        np.concatenate(priors),
        np.ones(n_senses, bool),
    )
    arrays |= {"output": _rows(draw, len(words), dim), "steps": tree.steps, "paths": tree.offsets}
    info: dict[str, Any] = {"format": FORMAT_VERSION, "config": config.to_dict()}
    return Model(arrays, Vocabulary(words, frequencies.astype(np.int64)), info)


def _rows(draw: np.random.Generator, n: int, dim: int) -> np.ndarray[Any, Any]:
    rows = np.zeros((n, padded(dim)), np.float32)
    rows[:, :dim] = draw.normal(0, 0.6, (n, dim))
    return rows
