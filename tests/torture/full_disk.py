"""A disk that is full: a sentence, and nothing half-written."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torture.children import GOOD, TRACEBACK, leftovers, run
from torture.kills import contents
from torture.report import Report
from torture.verbs import Victim

SIZES = (4, 16, 40)  # KiB left when the verb begins
SLACK = 512  # KiB of a file that fills the rest of the disk


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[bool]:
    """A small file system in memory, or False where this user may not mount one."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        is_mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        is_mounted = False
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", str(place)], check=True, capture_output=True)
        place.rmdir()


def full_disk(folder: Path, report: Report, victims: list[Victim]) -> None:
    """Every verb, on disks too small for its result."""
    for kib in SIZES:
        for victim in victims:
            with small_disk(folder / "disk", f"{SLACK}k") as is_mounted:
                if not is_mounted:
                    report.skip("full disk", "only root can mount a small disk")
                    return
                _trial(folder / "disk", victim, kib, report)


def _trial(place: Path, victim: Victim, kib: int, report: Report) -> None:
    target = place / "out"
    victim.prepare(target)
    _fill(place, kib)
    before = contents(place)
    end = run(lambda: victim.write(target, 0, False))
    report.add("full disk")
    what = f"{victim.name} with {kib} KiB"
    is_no_space = end.code == TRACEBACK and "No space left" in end.words.splitlines()[-1]
    if end.signal or end.is_hung:
        report.fault("crashes", "full disk", f"{what}: {end}")
    elif end.code == TRACEBACK and not is_no_space:  # the command line has a sentence for that
        report.fault("tracebacks", "full disk", f"{what}: {end.words}")
    if end.code != GOOD:
        made = contents(place)
        if leftovers(place) or (victim.is_one and made != before):
            report.fault("debris", "full disk", f"{what}: {leftovers(place)} {sorted(set(made) - set(before))}")
        if any(made.get(name) != content for name, content in before.items()):
            report.fault("losses", "full disk", f"{what}: {sorted(before)} became {sorted(made)}")


def _fill(place: Path, kib: int) -> None:
    with open(place / "filler", "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            filler.truncate(max(0, filler.tell() - kib * 1024))
