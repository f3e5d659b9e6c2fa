"""The torture program itself: some trials of each kind find no fault."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_a_short_run_finds_no_fault(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "torture", "--kills", "5", "--inputs", "100", "--output", str(report)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = json.loads(report.read_text())
    assert found["kills"] >= 5
    assert found["damaged_files"] >= 100
