"""A disk that is full: a sentence, and nothing half-written. Skipped where a small disk cannot be mounted."""

from __future__ import annotations

import subprocess
from pathlib import Path

from torture.children import REFUSED, TRACEBACK, leftovers, run
from torture.kills import VICTIMS
from torture.report import Report

SIZES = ("16k", "24k", "32k")


def full_disk(folder: Path, report: Report) -> int:
    """Every verb that writes, on disks too small for its result; returns the number of trials."""
    n = 0
    for size in SIZES:
        place = folder / f"disk-{size}"
        place.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            return n
        try:
            for victim in VICTIMS:
                n += 1
                (place / "filler").write_bytes(b"x" * 8_000)
                target = place / "out"
                end = run(lambda victim=victim, target=target: victim.write(target, 0, False))
                is_no_space = end.code == TRACEBACK and "No space left" in end.words.splitlines()[-1]
                if end.signal or end.is_hung:
                    report.fault("crashes", "full disk", f"{victim.name}: {end}")
                elif (
                    end.code not in (0, REFUSED) and not is_no_space
                ):  # the command line has a sentence for that
                    report.fault("tracebacks", "full disk", f"{victim.name}: {end.words}")
                if end.code and (target.exists() or leftovers(place)):
                    report.fault("debris", "full disk", f"{victim.name}: {sorted(place.iterdir())}")
                subprocess.run(["find", str(place), "-mindepth", "1", "-delete"], check=True)
        finally:
            subprocess.run(["umount", str(place)], check=True, capture_output=True)
    return n
