"""What came of all trials, as JSON and as a table."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FAULTS = ("losses", "tracebacks", "hangs", "crashes", "debris", "wrong")
MAX_EXAMPLES = 3  # of a fault of a part
BOUNDS = "with bounds checked: "  # before the parts of a run with NUMBA_BOUNDSCHECK=1


@dataclass
class Report:
    trials: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, part: str, n: int = 1) -> None:
        self.trials[part] += n

    def fault(self, kind: str, part: str, what: str) -> None:
        self.faults[kind] += 1
        if sum((one["fault"], one["part"]) == (kind, part) for one in self.examples) < MAX_EXAMPLES:
            self.examples.append({"fault": kind, "part": part, "what": what[-1500:]})

    def skip(self, part: str, why: str) -> None:
        self.skipped[part] = why

    def take_over(self, found: dict[str, Any]) -> None:
        """Add what another run found; parts of one with NUMBA_BOUNDSCHECK=1 get a name of their own."""
        for part, n in found["trials"].items():
            self.add((BOUNDS if found["bounds_checked"] else "") + part, n)
        self.skipped |= found["skipped"]
        self.faults.update(found["faults"])
        self.examples += found["examples"]

    @property
    def kills(self) -> int:
        return sum(n for part, n in self.trials.items() if part.startswith("kill "))

    @property
    def damaged(self) -> int:
        return sum(n for part, n in self.trials.items() if part.removeprefix(BOUNDS).startswith("damaged "))

    def to_dict(self) -> dict[str, Any]:
        return {
            "kills": self.kills,
            "damaged_files": self.damaged,
            "faults": {kind: self.faults[kind] for kind in FAULTS},
            "trials": dict(sorted(self.trials.items())),
            "skipped": self.skipped,
            "examples": self.examples,
        }

    def write(self, path: Path, run: dict[str, Any]) -> None:
        path.write_text(json.dumps(run | self.to_dict(), indent=1) + "\n", encoding="utf-8")
        path.with_suffix(".md").write_text(self.markdown(run), encoding="utf-8")

    def markdown(self, run: dict[str, Any]) -> str:
        lines = ["# Torture", "", f"Commit {run['commit']}, seed {run['seed']}, {run['measured']}."]
        lines += ["", f"{self.kills:,} kills, {self.damaged:,} damaged files.", ""]
        lines += ["| " + " | ".join(FAULTS) + " |", "|" + "---:|" * len(FAULTS)]
        lines += ["| " + " | ".join(str(self.faults[kind]) for kind in FAULTS) + " |", ""]
        lines += [f"{part}: left out, {why}." for part, why in self.skipped.items()]
        lines += ["", "| trials | |", "|---|---:|"]
        lines += [f"| {part} | {n:,} |" for part, n in sorted(self.trials.items())]
        lines += ["", *(f"* {e['fault']}, {e['part']}: `{e['what']}`" for e in self.examples)]
        return "\n".join(lines).rstrip() + "\n"
