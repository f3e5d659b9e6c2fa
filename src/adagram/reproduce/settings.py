"""What a reproduction run is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from adagram.config import TrainConfig

if TYPE_CHECKING:
    from adagram.corpus import Progress as Reading
    from adagram.training.progress import Report


@dataclass(frozen=True)
class Settings:
    corpus: Path  # any corpus, or a folder written by `adagram encode`
    output: Path
    data: Path | None = None  # folder of data sets: see `adagram.reproduce.data`
    heldout: Path | None = None  # text for the likelihood; without it heldout.txt* beside the corpus is taken
    base: TrainConfig = field(
        default_factory=partial(TrainConfig.from_preset, "paper")
    )  # what all models have in common
    min_count: int = 20
    resamples: int = 1000  # for the confidence intervals
    train_missing: bool = True  # False: report on the models that are there


def _ignore(*news: object) -> None:
    pass


@dataclass(frozen=True)
class Listener:
    """Who hears of the progress."""

    say: Callable[[str], None] = _ignore
    training: Report = _ignore
    reading: Reading | None = None
