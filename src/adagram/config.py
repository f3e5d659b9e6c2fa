"""Every parameter of a training run: Python argument, command-line option and config.json key have the same name."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from adagram.errors import InputError

ALGORITHMS = ("adagram", "skipgram", "skipgram-ns", "mpsg", "mssg", "np-mssg")


@dataclass(frozen=True)
class TrainConfig:
    """Defaults are the paper's."""

    algorithm: str = "adagram"
    dim: int = 300  # D, length of the vectors
    window: int = 5  # C/2, context words on each side
    alpha: float = 0.1  # concentration of the stick-breaking prior: more means more senses
    max_senses: int = 30  # T, truncation of the sticks; of np-mssg the most senses a word can grow
    epochs: int = 1
    lr: float = 0.025  # ρ and λ at the start; both fall linearly to zero
    subsample: float = 0.0  # frequent words are dropped with word2vec's formula; 0 keeps all
    shrink_windows: bool = False  # a random window of 1..window words for every token
    respect_boundaries: bool = False  # keep windows inside sentences or documents
    initial_count: float = 0.0  # n_w1 at the start; 0 means n_w, as in the paper
    senses: int = 3  # K, senses of every word in mpsg and mssg
    multi_sense_words: int = 30_000  # mssg and np-mssg: the most frequent words may have several senses
    new_sense_below: float = -0.5  # np-mssg: λ, a new sense when no cluster is nearer than this cosine
    negatives: int = 5  # skipgram-ns, mssg, np-mssg: noise words per context word
    threads: int = 0  # 0 means all cores
    seed: int = 1

    def __post_init__(self) -> None:
        _check(self.algorithm in ALGORITHMS, "algorithm", self.algorithm, f"one of {', '.join(ALGORITHMS)}")
        for name, least, most in _WHOLE:
            value = getattr(self, name)
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            _check(is_whole and least <= value <= most, name, value, f"a whole number from {least} to {most}")
        for name, least_real, most_real, words in _REAL:
            real = getattr(self, name)
            good = isinstance(real, int | float) and math.isfinite(real) and least_real <= real <= most_real
            _check(good, name, real, words)
        _check(self.alpha > 0, "alpha", self.alpha, "above 0")
        _check(self.lr > 0, "lr", self.lr, "above 0")

    @property
    def n_threads(self) -> int:
        return self.threads or os.cpu_count() or 1

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainConfig:
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown:
            raise InputError(
                f"unknown parameter '{unknown[0]}'; the parameters are {', '.join(parameters())}"
            )
        return cls(**values)


def parameters() -> list[str]:
    return [f.name for f in fields(TrainConfig)]


_WHOLE = [
    ("dim", 1, 10_000),
    ("window", 1, 1_000),
    ("max_senses", 1, 1_000),
    ("epochs", 1, 10_000),
    ("senses", 1, 1_000),
    ("multi_sense_words", 0, 2**31),
    ("negatives", 1, 1_000),
    ("threads", 0, 1_024),
    ("seed", 0, 2**63 - 1),
]
_REAL = [
    ("alpha", 0.0, 1e6, "a number above 0"),
    ("lr", 0.0, 10.0, "a number above 0, at most 10"),
    ("subsample", 0.0, 1.0, "0 (off) or a small number such as 1e-4"),
    ("initial_count", 0.0, 1e15, "0 (the word's own count) or a positive number"),
    ("new_sense_below", -1.0, 1.0, "a cosine from -1 to 1"),
]


def _check(good: bool, name: str, value: object, expected: str) -> None:
    if not good:
        raise InputError(f"{name} is {value!r}; it must be {expected}")
