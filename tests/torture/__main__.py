"""Run trials until the time is over or there were enough, and write the report."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from torture.attacks import Attacks
from torture.bounds import with_bounds_checked
from torture.damage import Damage
from torture.full_disk import full_disk
from torture.kills import Kills
from torture.readers import samples
from torture.report import FAULTS, Report
from torture.verbs import Inputs, victims

KILLS, BATCHES = 12, 6  # per round
FULL_DISK_ROUND = 10  # by then the verbs are loaded


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m torture", description="Kills, damaged files, attacks, full disks.")
    parser.add_argument("--seconds", type=float, help="how long it takes at most (default 600, or no limit)")
    parser.add_argument("--kills", type=int, default=0, help="stop after so many kills and --inputs")
    parser.add_argument("--inputs", type=int, default=0, help="stop after so many damaged inputs and --kills")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same trials in the same order")
    parser.add_argument("--output", type=Path, help="JSON file for the report, with a .md beside it")
    parser.add_argument("--reader", action="append", default=[], help="damaged files only, for these readers")
    parser.add_argument("--bounds", action="store_true", help="also 5 minutes with NUMBA_BOUNDSCHECK=1")
    parser.add_argument("--add", type=Path, nargs="+", default=[], help="no trials: add up these reports")
    arguments = parser.parse_args()
    report, start = Report(), time.monotonic()
    is_over = _until(arguments, report)
    folder = Path(tempfile.mkdtemp(prefix="adagram-torture-"))
    try:
        if arguments.add:
            start -= _add_up(report, arguments)
        elif arguments.reader:
            _damage_only(folder, report, arguments, is_over)
        else:
            _all(folder, report, arguments, is_over)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _tell(report, arguments, round(time.monotonic() - start))
    raise SystemExit(1 if any(report.faults.values()) else 0)


def _until(arguments: argparse.Namespace, report: Report) -> Callable[[], bool]:
    is_counted = arguments.kills or arguments.inputs
    end = time.monotonic() + (arguments.seconds or (float("inf") if is_counted else 600.0))

    def is_over() -> bool:
        is_enough = report.kills >= arguments.kills and report.damaged >= arguments.inputs
        return time.monotonic() > end or bool(is_counted and is_enough)

    return is_over


def _damage_only(folder: Path, report: Report, arguments: argparse.Namespace, is_over: Callable[[], bool]) -> None:
    chosen = [s for s in samples(folder) if any(s.name.startswith(name) for name in arguments.reader)]
    damage = Damage(folder, report, arguments.seed, chosen)
    while not is_over():
        damage.batch()


def _all(folder: Path, report: Report, arguments: argparse.Namespace, is_over: Callable[[], bool]) -> None:
    verbs = victims(Inputs(folder / "inputs"))
    kills = Kills(folder, report, arguments.seed, verbs)
    damage = Damage(folder, report, arguments.seed, samples(folder))
    (folder / "attacks").mkdir()
    attacks = Attacks(folder / "attacks", report, arguments.seed)
    n_rounds = 0
    while not is_over():
        for _ in range(KILLS):
            kills.trial()
        for _ in range(BATCHES):
            damage.batch()
        attacks.round()
        n_rounds += 1
        if n_rounds == FULL_DISK_ROUND:
            full_disk(folder, report, verbs)
    if arguments.bounds:
        with_bounds_checked(folder, report, arguments.seed)


def _add_up(report: Report, arguments: argparse.Namespace) -> float:
    """Take over other reports; return the seconds that they took."""
    found = [json.loads(path.read_text()) for path in arguments.add]
    for one in found:
        report.take_over(one)
    arguments.seed = ", ".join(dict.fromkeys(str(one["seed"]) for one in found))
    arguments.commit = ", ".join(dict.fromkeys(one["commit"] for one in found))
    return float(sum(one["seconds"] for one in found))


def _tell(report: Report, arguments: argparse.Namespace, spent: int) -> None:
    measured = f"{spent} s on {time.strftime('%d %B %Y', time.gmtime())}, Python {platform.python_version()}"
    run = {"seed": arguments.seed, "seconds": spent, "measured": measured}
    run["commit"] = getattr(arguments, "commit", "") or _commit()
    run["bounds_checked"] = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
    if arguments.output:
        report.write(arguments.output, run)
    faults = ", ".join(f"{report.faults[kind]} {kind}" for kind in FAULTS)
    print(f"{report.kills} kills, {report.damaged} damaged files in {spent} s; {faults}")
    for part, why in report.skipped.items():
        print(f"{part}: left out, {why}")
    for example in report.examples:
        print(f"{example['fault']}: {example['part']}: {example['what']}")


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
