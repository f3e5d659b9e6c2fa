"""What a run asks of those who do the training."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

from adagram.training.interrupt import Stop


class Round(NamedTuple):
    """What came of a round."""

    reached: int  # place in the run; before the end of the round only where the user asked to stop
    tally: dict[str, float]  # sums over its tokens, by the names of `adagram.kernels.arrays.TALLY`


class Crew(Protocol):
    """Threads of this process, or workers of a cluster. Files are written into folders that are there."""

    @property
    def n_workers(self) -> int | None:
        """Of a cluster; None: threads."""

    @property
    def round_tokens(self) -> int:
        """Tokens between two safe points."""

    def start(self) -> None:
        """Begin, or begin again, with the initial state."""

    def restore(self, folder: Path) -> None:
        """Take the state that `write_state` wrote."""

    def round(self, start: int, stop: int, wish: Stop) -> Round:
        """Train on places start:stop of the run, which go on over all epochs."""

    def about(self) -> dict[str, int]:
        """Return the number of threads or workers that trained, for config.json."""

    def notes(self) -> dict[str, float]:
        """What a report says of the crew beside the progress, since the last report."""

    def write_state(self, folder: Path) -> None:
        """All that is needed to go on from here."""

    def write_arrays(self, folder: Path) -> None:
        """The arrays of the model as it stands, as `adagram.load` opens them."""

    def stop(self) -> None:
        """Let all go; `start` may follow."""


def sum_tallies(tallies: Iterable[dict[str, float]]) -> dict[str, float]:
    """
    >>> sum_tallies([{"tokens": 3.0, "births": 1.0}, {"tokens": 2.0, "births": 0.0}])
    {'tokens': 5.0, 'births': 1.0}
    """
    sums: dict[str, float] = {}
    for tally in tallies:
        for name, value in tally.items():
            sums[name] = sums.get(name, 0.0) + value
    return sums
