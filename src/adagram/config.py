"""Every parameter of a training run: Python argument, command-line option and config.json key have the same name."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from adagram.errors import InputError

ALGORITHMS = ("adagram", "skipgram", "skipgram-ns", "mpsg", "mssg", "np-mssg")
STEPS = ("token", "pair")


def _option(default: Any, help: str, panel: str = "Training") -> Any:
    return field(default=default, metadata={"help": help, "panel": panel})


_OTHER = "Other algorithms"


@dataclass(frozen=True)
class TrainConfig:
    """Defaults are the paper's; the help texts are those of the command line."""

    algorithm: str = _option("adagram", f"One of {', '.join(ALGORITHMS)}.")
    dim: int = _option(300, "D, length of the vectors.")
    window: int = _option(5, "C/2, context words on each side.")
    alpha: float = _option(0.1, "Semantic resolution: more finds more senses; 0.05 to 0.2 is usual.")
    max_senses: int = _option(30, "T, most senses a word can have; costs nothing until they are born.")
    epochs: int = _option(1, "Passes over the corpus.")
    lr: float = _option(0.025, "Learning rate at the start; falls linearly to zero.")
    subsample: float = _option(0.0, "Drop frequent words as word2vec does; 1e-4 is recommended, 0 is off.")
    shrink_windows: bool = _option(False, "A random window of 1..window for every token, as word2vec does.")
    respect_boundaries: bool = _option(False, "Keep windows inside lines (sentences, documents).")
    initial_count: float = _option(0.0, "Count of the first sense at the start; 0 is the word's own count.")
    threads: int = _option(0, "Threads to use; 0 is all cores. One thread is bit-reproducible.")
    seed: int = _option(1, "Seed of all random numbers.")
    senses: int = _option(3, "mpsg, mssg: K, senses of every word.", _OTHER)
    multi_sense_words: int = _option(30_000, "mssg, np-mssg: only so many words have several senses.", _OTHER)
    new_sense_below: float = _option(-0.5, "np-mssg: a new sense below this cosine to all clusters.", _OTHER)
    negatives: int = _option(5, "skipgram-ns, mssg, np-mssg: noise words per context word.", _OTHER)
    step: str = _option(
        "token",
        "skipgram, skipgram-ns: a step per token, as in the paper, or per pair, as in word2vec.",
        _OTHER,
    )

    def __post_init__(self) -> None:
        _check(self.algorithm in ALGORITHMS, "algorithm", self.algorithm, f"one of {', '.join(ALGORITHMS)}")
        _check(self.step in STEPS, "step", self.step, f"one of {', '.join(STEPS)}")
        if self.step == "pair" and self.algorithm not in ("skipgram", "skipgram-ns"):
            raise InputError(
                f"step is 'pair', but {self.algorithm} needs all of a token's context at once; leave step out"
            )
        for name, least, most in _WHOLE:
            value = getattr(self, name)
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            _check(is_whole and least <= value <= most, name, value, f"a whole number from {least} to {most}")
        for name, least_real, most_real, words in _REAL:
            real = getattr(self, name)
            is_real = isinstance(real, int | float) and not isinstance(real, bool)
            good = is_real and math.isfinite(real) and least_real <= real <= most_real
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
                f"unknown parameter {unknown[0]!r}; the parameters are {', '.join(parameters())}"
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
    ("lr", 0.0, 1.0, "a number above 0, at most 1"),
    ("subsample", 0.0, 1.0, "0 (off) or a small number such as 1e-4"),
    ("initial_count", 0.0, 1e15, "0 (the word's own count) or a positive number"),
    ("new_sense_below", -1.0, 1.0, "a cosine from -1 to 1"),
]


def _check(good: bool, name: str, value: object, expected: str) -> None:
    if not good:
        raise InputError(f"{name} is {value!r}; it must be {expected}")
