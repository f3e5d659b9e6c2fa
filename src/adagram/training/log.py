"""The training log: one JSON line per report, kept in the model folder as training.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adagram.training.progress import Progress

LOG = "training.jsonl"


class TrainingLog:
    def __init__(self, entries: list[dict[str, Any]] | None = None) -> None:
        self.entries = entries or []

    def add(self, progress: Progress, **more: float) -> None:
        self.entries.append(progress.to_dict() | more)

    def write(self, folder: Path) -> None:
        text = "".join(json.dumps(entry) + "\n" for entry in self.entries)
        (folder / LOG).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> TrainingLog:
        try:
            lines = (folder / LOG).read_text(encoding="utf-8").splitlines()
            return cls([json.loads(line) for line in lines])
        except (OSError, ValueError):
            return cls()  # only a record: a run can go on without it

    def summary(self) -> dict[str, Any]:
        if not self.entries:
            return {}
        last = self.entries[-1]
        return {
            "seconds": last["seconds"],
            "words_per_second": round(last["words"] / max(last["seconds"], 1e-9)),
            "bound": last["bound"],
            "live_senses": last["live_senses"],
        }
