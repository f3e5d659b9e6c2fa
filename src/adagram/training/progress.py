"""Progress reports, the training log (training.jsonl), and stopping at a safe point on signals."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from adagram.config import TrainConfig, objective_name

# Ctrl-C, `kill`, and a closed terminal, which not every system has.
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Interrupted(KeyboardInterrupt):
    """The user stopped the run at a safe point."""


class Stop:
    """A flag that is true once the user asked to stop."""

    def __init__(self) -> None:
        self.asked = False

    def __bool__(self) -> bool:
        return self.asked


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Within this context the first of SIGNALS only sets the flag; a second Ctrl-C interrupts at once."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.asked = True

    # Under nohup a closed terminal is ignored, and must not stop the run.
    numbers = [n for n in SIGNALS if n == signal.SIGINT or signal.getsignal(n) != signal.SIG_IGN]
    old = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class Progress:
    """One report; figures in brackets are over the words since the last report."""

    words: int  # corpus words passed, over all epochs
    total: int  # 0 for a stream
    words_per_second: float  # [recent] corpus words
    seconds: float  # spent training, earlier parts of a resumed run included
    eta: float  # seconds to go
    objective: float  # [recent] nats per context word: the bound without its Beta terms, or another figure
    live_senses: float  # [recent] live senses per trained token
    rate: float  # learning rate
    likelihood: float | None = None  # of a fixed sample of the text
    unknown: int | None = None  # of a stream: words so far that are not in the vocabulary

    def to_dict(self) -> dict[str, Any]:
        return {key: round(value, 6) for key, value in asdict(self).items() if value is not None}

    @property
    def is_last(self) -> bool:
        return self.words == self.total

    @property
    def how_far(self) -> str:
        if self.unknown is not None:
            return f"{self.words:,} words, {100 * self.unknown / self.words:.1f} % unknown"
        return f"{100 * self.words / self.total:5.1f} %"

    @property
    def time_left(self) -> str:
        minutes, seconds = divmod(round(self.eta), 60)
        return f"{minutes}:{seconds:02d}" if self.total else "open"


Report = Callable[[Progress], None]


class Meter:
    """Sum the tallies of rounds to reports."""

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
        self._last_words, self._last_time, self._sums = words, now, {}
        return progress


LOG_FILE = "training.jsonl"


class TrainingLog:
    """The reports of a run, which the model folder keeps."""

    def __init__(self, config: TrainConfig, entries: list[dict[str, Any]] | None = None) -> None:
        self._config, self.entries = config, entries or []

    def add(self, progress: Progress) -> None:
        name, figures = objective_name(self._config), progress.to_dict().items()
        self.entries.append({name if key == "objective" else key: value for key, value in figures})

    def write(self, folder: Path) -> None:
        text = "".join(json.dumps(entry) + "\n" for entry in self.entries)
        (folder / LOG_FILE).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path, config: TrainConfig) -> TrainingLog:
        lines = (folder / LOG_FILE).read_text(encoding="utf-8").splitlines()
        return cls(config, [json.loads(line) for line in lines])

    def summary(self) -> dict[str, Any]:
        """Return the facts of the run for config.json."""
        if not self.entries:
            return {}
        last = self.entries[-1]
        return {
            "seconds": last["seconds"],
            "words_per_second": round(last["words"] / max(last["seconds"], 1e-9)),
            objective_name(self._config): last[objective_name(self._config)],
            "live_senses": last["live_senses"],
            **{name: last[name] for name in ("likelihood",) if name in last},
        }


def sum_tallies(tallies: Iterable[dict[str, float]]) -> dict[str, float]:
    """Add up tallies by name.

    >>> sum_tallies([{"tokens": 3.0, "births": 1.0}, {"tokens": 2.0, "births": 0.0}])
    {'tokens': 5.0, 'births': 1.0}
    """
    sums = Counter[str]()
    for tally in tallies:
        sums.update(tally)  # type: ignore[arg-type]
    return dict(sums)  # type: ignore[arg-type]
