"""Streams that are closed, full or gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import adagram
from model_support import random_model

ADAGRAM = f"{sys.executable} -m adagram"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("stream", ["2>&-", pytest.param("2>/dev/full", marks=pytest.mark.slow)])
def test_training_goes_on_without_stderr(tmp_path, stream):
    (tmp_path / "t.txt").write_text("the cat sat on the mat\n" * 50)
    done = shell(
        f"{ADAGRAM} train t.txt -o m --dim 8 --min-count 1 --subsample 1 --threads 1 {stream}", tmp_path
    )
    assert done.returncode == 0
    assert adagram.load(tmp_path / "m").info["training"]["words"] > 0


def test_results_that_cannot_be_written_are_an_error(tmp_path):
    random_model().save(tmp_path / "m")
    (tmp_path / "t.txt").write_text("w1 w2 w3\n")
    done = shell(f"{ADAGRAM} tag m t.txt >&-", tmp_path)
    assert done.returncode == 1
    assert "standard output is closed" in done.stderr
    assert done.stderr.count("\n") == 1
