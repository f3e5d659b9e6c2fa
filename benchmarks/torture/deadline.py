"""When to stop: every part asks before each trial."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Deadline:
    at: float  # of time.monotonic, which forked children share

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def is_over(self) -> bool:
        return time.monotonic() >= self.at
