"""Run trials until the time is over, and write the report."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
import time
from pathlib import Path

from torture.damage import Damage
from torture.full_disk import full_disk
from torture.kills import Kills, loads_while_saving
from torture.report import FAULTS, Report

ROUND_KILLS, ROUND_LOADS = 10, 100


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m torture", description="Kills, damaged files, full disks."
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="how long to go on (default 600)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same trials in the same order")
    parser.add_argument("--output", type=Path, help="JSON file for the report (default: shown only)")
    arguments = parser.parse_args()
    report, start = Report(), time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="adagram-torture-"))
    try:
        report.add("full disk", full_disk(folder, report))
        kills, damage = Kills(folder, report, arguments.seed), Damage(folder, report, arguments.seed)
        while time.monotonic() - start < arguments.seconds:
            for _ in range(ROUND_KILLS):
                kills.trial()
            for _ in range(5):
                damage.batch()
            loads_while_saving(folder, report, ROUND_LOADS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    spent = round(time.monotonic() - start)
    run = {"seed": arguments.seed, "seconds": spent, "python": platform.python_version()}
    run["bounds_checked"] = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
    if arguments.output:
        report.write(arguments.output, run)
    found = report.to_dict()
    faults = ", ".join(f"{found['faults'][kind]} {kind}" for kind in FAULTS)
    print(f"{sum(report.trials.values())} trials in {spent} s; {faults}")
    for example in report.examples:
        print(f"{example['fault']}: {example['part']}: {example['what']}")
    raise SystemExit(1 if any(report.faults.values()) else 0)


if __name__ == "__main__":
    main()
