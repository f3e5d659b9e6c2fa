"""Run the benchmarks one after the other; each writes to benchmarks/results/, and README's speed table follows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = ("latency", "memory", "training_speed", "likelihood")


def main() -> None:
    here = Path(__file__).parent
    for name in [*(sys.argv[1:] or BENCHMARKS), "page"]:
        print(f"== {name}", file=sys.stderr)
        subprocess.run([sys.executable, str(here / f"{name}.py")], check=True)


if __name__ == "__main__":
    main()
