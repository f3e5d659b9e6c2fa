"""The benchmark on a smaller dump: memory, and the same data set on one core and on two."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "wwsi_speed.py"


@pytest.mark.slow
def test_memory_stays_bounded_on_a_generated_dump(tmp_path: Path) -> None:
    arguments = ["--megabytes", "20", "--threads", "1", "2", "--folder", str(tmp_path)]
    printed = subprocess.run(
        [sys.executable, str(BENCHMARK), *arguments], check=True, capture_output=True, text=True
    ).stdout
    _, header, *lines = printed.splitlines()
    rows = [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]
    assert len(rows) == 6
    assert max(int(row["peak_MB"]) for row in rows) < 500
    assert len({row["contexts"] for row in rows}) == 1
    assert int(rows[0]["contexts"]) > 1000
