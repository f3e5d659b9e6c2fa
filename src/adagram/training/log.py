"""The training log: one JSON line per report, kept in the model folder as training.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adagram.config import TrainConfig, objective_name, with_named_objective
from adagram.training.progress import Progress
from adagram.whole import check_shape, parse_json, read_file

LOG = "training.jsonl"


class TrainingLog:
    def __init__(self, config: TrainConfig, entries: list[dict[str, Any]] | None = None) -> None:
        self._config, self.entries = config, entries or []

    def add(self, progress: Progress, more: dict[str, float]) -> None:
        self.entries.append(with_named_objective(progress.to_dict(), self._config) | more)

    def write(self, folder: Path) -> None:
        text = "".join(json.dumps(entry) + "\n" for entry in self.entries)
        (folder / LOG).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path, config: TrainConfig) -> TrainingLog:
        try:
            lines = read_file(folder / LOG).decode().splitlines()
            shape = {"seconds": float, "words": float, objective_name(config): float, "live_senses": float}
            found = [with_named_objective(parse_json(line, dict), config) for line in lines]
            check_shape(found, [shape])
            return cls(config, found)
        except (OSError, ValueError):
            return cls(config)  # only a record: a run can go on without it

    def summary(self) -> dict[str, Any]:
        """What the model's description tells of the run."""
        if not self.entries:
            return {}
        last = self.entries[-1]
        found = {
            "seconds": last["seconds"],
            "words_per_second": round(last["words"] / max(last["seconds"], 1e-9)),
            objective_name(self._config): last[objective_name(self._config)],
            "live_senses": last["live_senses"],
        }
        if "workers" in last:
            sent = sum(entry["sent_mb"] for entry in self.entries)
            found |= {
                "workers": last["workers"],
                "worker_peak_mb": max(entry["worker_peak_mb"] for entry in self.entries),
                "sent_mb_per_million_words": round(1e6 * sent / max(last["words"], 1), 3),
            }
        return found
