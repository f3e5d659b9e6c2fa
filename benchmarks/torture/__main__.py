"""Run trials until the time is over, and write the report."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
import time
from pathlib import Path

from torture.bounds import with_bounds_checked
from torture.damage import Damage
from torture.deadline import Deadline
from torture.full_disk import full_disk
from torture.kills import Kills
from torture.loads import loads_while_saving
from torture.readers import samples
from torture.report import FAULTS, Report
from torture.verbs import Inputs, victims

KILLS, BATCHES, LOADS, LOAD_EVERY = 12, 6, 200, 10  # of each round; loads in every tenth
BOUNDS_PART = 0.15  # of the time


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m torture", description="Kills, damaged files, full disks."
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="how long it takes (default 600)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same trials in the same order")
    parser.add_argument("--output", type=Path, help="JSON file for the report, with a .md beside it")
    parser.add_argument("--reader", action="append", default=[], help="damaged files only, for these readers")
    arguments = parser.parse_args()
    report, start = Report(), time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="adagram-torture-"))
    try:
        if arguments.reader:
            _damage_only(folder, report, arguments)
        else:
            _all(folder, report, arguments)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _tell(report, arguments, round(time.monotonic() - start))
    raise SystemExit(1 if any(report.faults.values()) else 0)


def _damage_only(folder: Path, report: Report, arguments: argparse.Namespace) -> None:
    deadline = Deadline.after(arguments.seconds)
    chosen = [s for s in samples(folder) if any(s.name.startswith(name) for name in arguments.reader)]
    damage = Damage(folder, report, arguments.seed, chosen)
    while not deadline.is_over():
        damage.batch(deadline)


def _all(folder: Path, report: Report, arguments: argparse.Namespace) -> None:
    begin = time.monotonic()
    deadline = Deadline.after(arguments.seconds)
    verbs = victims(Inputs(folder / "inputs"))
    kills = Kills(folder, report, arguments.seed, verbs)
    damage = Damage(folder, report, arguments.seed, samples(folder))
    n_rounds = 0
    is_tried = False
    while not deadline.is_over():
        for _ in range(KILLS):
            if not deadline.is_over():
                kills.trial()
        for _ in range(BATCHES):
            if not deadline.is_over():
                damage.batch(deadline)
        if n_rounds % LOAD_EVERY == 0:
            loads_while_saving(folder, report, LOADS, deadline)
        n_rounds += 1
        if not is_tried and time.monotonic() - begin > arguments.seconds / 2:  # by now the verbs are loaded
            is_tried = True
            full_disk(folder, report, verbs, deadline)
            with_bounds_checked(folder, report, arguments.seconds * BOUNDS_PART, arguments.seed)


def _tell(report: Report, arguments: argparse.Namespace, spent: int) -> None:
    measured = f"{spent} s on {time.strftime('%d %B %Y', time.gmtime())}, Python {platform.python_version()}"
    run = {"asked": round(arguments.seconds), "seed": arguments.seed, "seconds": spent, "measured": measured}
    run["bounds_checked"] = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
    if arguments.output:
        report.write(arguments.output, run)
    faults = ", ".join(f"{report.faults[kind]} {kind}" for kind in FAULTS)
    print(f"{report.kills} kills, {report.damaged} damaged files in {spent} s; {faults}")
    for part, why in report.skipped.items():
        print(f"{part}: left out, {why}")
    for example in report.examples:
        print(f"{example['fault']}: {example['part']}: {example['what']}")


if __name__ == "__main__":
    main()
