"""What came of all trials, as JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FAULTS = ("losses", "tracebacks", "hangs", "crashes", "debris")
MOST_EXAMPLES = 20


@dataclass
class Report:
    trials: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, part: str, n: int = 1) -> None:
        self.trials[part] += n

    def fault(self, kind: str, part: str, what: str) -> None:
        self.faults[kind] += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append({"fault": kind, "part": part, "what": what[-1500:]})

    def to_dict(self) -> dict[str, Any]:
        return {
            "trials": dict(sorted(self.trials.items())),
            "faults": {kind: self.faults[kind] for kind in FAULTS},
            "examples": self.examples,
        }

    def write(self, path: Path, run: dict[str, Any]) -> None:
        path.write_text(json.dumps(run | self.to_dict(), indent=1) + "\n", encoding="utf-8")
