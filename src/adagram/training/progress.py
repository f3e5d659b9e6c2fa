"""What a training run reports while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from adagram.training.crew import sum_tallies


@dataclass(frozen=True)
class Progress:
    """One report; figures in brackets are over the words since the last report."""

    words: int  # corpus words passed, over all epochs
    total: int  # 0: not known, the text is a stream
    words_per_second: float  # [recent] corpus words
    seconds: float  # spent training, earlier parts of a resumed run included
    eta: float  # seconds to go
    objective: (
        float  # [recent] per context word, in nats: the variational bound (without the Beta terms) or another
    )
    live_senses: float  # [recent] live senses per trained token
    rate: float  # learning rate

    def to_dict(self) -> dict[str, Any]:
        return {key: round(value, 6) for key, value in asdict(self).items()}

    @property
    def is_last(self) -> bool:
        return self.words == self.total

    @property
    def how_far(self) -> str:
        return f"{100 * self.words / self.total:5.1f} %"

    @property
    def time_left(self) -> str:
        minutes, seconds = divmod(round(self.eta), 60)
        return f"{minutes}:{seconds:02d}" if self.total else "open"


@dataclass(frozen=True)
class StreamProgress(Progress):
    """Of a stream: words that have come so far."""

    unknown: int  # of its words, so far

    @property
    def how_far(self) -> str:
        return f"{self.words:,} words, {100 * self.unknown / self.words:.1f} % unknown"


Report = Callable[[Progress], None]


class Meter:
    """Turns the tallies of rounds into reports."""

    def __init__(self, words: int, total: int, seconds: float) -> None:
        self.total = total
        self._start = time.perf_counter() - seconds
        self._last_words, self._last_time = words, time.perf_counter()
        self._sums: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @property
    def since_last(self) -> float:
        return time.perf_counter() - self._last_time

    def add(self, tally: dict[str, float]) -> None:
        self._sums = sum_tallies([self._sums, tally])

    def report(self, words: int, rate: float) -> Progress:
        now, sums = time.perf_counter(), self._sums
        speed = (words - self._last_words) / max(now - self._last_time, 1e-9)
        progress = Progress(
            words=words,
            total=self.total,
            words_per_second=speed,
            seconds=self.seconds,
            eta=max(self.total - words, 0) / speed if speed else 0.0,
            objective=sums.get("bound", 0.0) / max(sums.get("contexts", 0.0), 1.0),
            live_senses=sums.get("live", 0.0) / max(sums.get("tokens", 0.0), 1.0),
            rate=rate,
        )
        self._last_words, self._last_time = words, now
        self._sums = {}
        return progress
