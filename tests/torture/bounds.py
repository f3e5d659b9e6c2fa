"""A part of the damaged files once more, with kernels that look at every index: NUMBA_BOUNDSCHECK=1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from torture.report import Report

SECONDS = 300.0  # the kernels are compiled anew for it
READERS = ("model", "corpus", "checkpoint")


def with_bounds_checked(folder: Path, report: Report, seed: int) -> None:
    """Readers whose arrays go to kernels, in a process of their own."""
    found = folder / "bounds.json"
    command = [sys.executable, "-m", "torture", "--seconds", str(SECONDS), "--seed", str(seed)]
    command += ["--output", str(found), *(part for reader in READERS for part in ("--reader", reader))]
    cache = folder / "bounds-cache"
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache), "TMPDIR": str(folder)}
    end = subprocess.run(command, env=checked, capture_output=True, text=True, check=False)
    if found.exists():
        report.take_over(json.loads(found.read_text()))
    else:
        report.fault("crashes", "NUMBA_BOUNDSCHECK=1", end.stderr[-1500:])
