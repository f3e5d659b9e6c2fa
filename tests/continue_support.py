"""Texts for training that goes on: a word with two meanings that gets a third, and words that are new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from adagram.config import unused_options

OPTIONS: dict[str, Any] = {
    "subsample": 0.0,
    "merge_senses": False,
    "dim": 8,
    "window": 5,
    "threads": 1,
    "min_count": 1,
    "alpha": 0.1,
    "lr": 0.05,
    "epochs": 3,
}


def options_of(algorithm: str) -> dict[str, Any]:
    """OPTIONS without those that the algorithm does not use."""
    unused = unused_options(algorithm)
    return {name: value for name, value in OPTIONS.items() if name not in unused} | {"algorithm": algorithm}


def sentences(middles: dict[int, str], n: int, seed: int = 0) -> list[list[str]]:
    """Each of one topic, with the word of this topic in its middle."""
    draw, topics, made = np.random.default_rng(seed), list(middles), []
    for _ in range(n):
        topic = topics[draw.integers(len(topics))]
        words = [f"topic{topic}x{i}" for i in draw.integers(0, 12, size=10)]
        words[int(draw.integers(2, 8))] = middles[topic]
        made.append(words)
    return made


# 'planted' has two meanings at first, then one of them and a third; the words of topic 3 are new.
FIRST = sentences({0: "planted", 1: "planted", 2: "other"}, 3000)
SECOND = sentences({1: "planted", 2: "planted", 3: "other"}, 1500, seed=1)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
