"""The models that the experiments compare, in the order in which they are trained: the most needed first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from adagram.config import TrainConfig
from adagram.model import Model


@dataclass(frozen=True)
class Entry:
    """One model: the run's common configuration with a few changes."""

    key: str  # begins the name of its folder
    label: str
    algorithm: str
    alpha: float | None = None
    dim_factor: int = 1
    new_sense_below: float | None = None

    def config(self, base: TrainConfig) -> TrainConfig:
        given: dict[str, Any] = {"alpha": self.alpha, "new_sense_below": self.new_sense_below}
        changes = {name: value for name, value in given.items() if value is not None}
        return replace(base, algorithm=self.algorithm, dim=base.dim * self.dim_factor, **changes)

    @property
    def in_paper(self) -> str:
        """The key of the paper's values: the paper has one NP-MSSG, whatever its threshold."""
        return self.algorithm if self.algorithm == "np-mssg" else self.key


@dataclass(frozen=True)
class Ready:
    """An entry with its trained model."""

    entry: Entry
    model: Model


def adagram(alpha: float) -> Entry:
    return Entry(f"adagram-{alpha:g}", f"AdaGram α={alpha:g}", "adagram", alpha)


SKIPGRAM = Entry("skipgram", "Skip-gram", "skipgram")
SKIPGRAM_2D = Entry("skipgram-2d", "Skip-gram 2D", "skipgram", dim_factor=2)
SKIPGRAM_NS = Entry("skipgram-ns", "Skip-gram, neg. sampling", "skipgram-ns")
MPSG = Entry("mpsg", "MPSG", "mpsg")
MSSG = Entry("mssg", "MSSG", "mssg")


def np_mssg(threshold: float) -> Entry:
    return Entry(f"np-mssg{threshold:+g}", f"NP-MSSG λ={threshold:g}", "np-mssg", new_sense_below=threshold)


# The first is the threshold of its authors; with it hardly any sense is grown here, so others are tried.
NP_MSSGS = tuple(np_mssg(threshold) for threshold in (-0.5, 0.5, 0.7))

BY_IMPORTANCE = (
    *(adagram(alpha) for alpha in (0.1, 0.15)),
    *(MSSG, MPSG, np_mssg(0.7), SKIPGRAM, SKIPGRAM_NS),
    *(adagram(alpha) for alpha in (0.2, 0.25, 0.5, 0.05, 0.075)),
    *(SKIPGRAM_2D, np_mssg(0.5), np_mssg(-0.5)),
    *(adagram(alpha) for alpha in (1.0, 4.0, 16.0)),
)
