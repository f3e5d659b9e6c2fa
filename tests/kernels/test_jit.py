from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from adagram.kernels import jit as kernels

CALLEE = "from adagram.kernels.jit import part\n\n@part\ndef callee(x):\n    return x + {}\n"
CALLER = (
    "from adagram.kernels._callee import callee\nfrom adagram.kernels.jit import jit\n\n"
    "@jit\ndef caller(x):\n    return callee(x)\n"
)
PROGRAM = "from adagram.kernels._caller import caller; print(caller(1), sum(caller.stats.cache_hits.values()))"


def run_kernels(folder: Path, cache: Path, added: int) -> list[str]:
    """Return what a new process gets of `caller` in a package in this folder, and how often it found cached code."""
    package = folder / "adagram" / "kernels"
    package.mkdir(parents=True, exist_ok=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "jit.py").write_text(Path(kernels.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    (package / "_caller.py").write_text(CALLER)
    (package / "_callee.py").write_text(CALLEE.format(added))
    os.utime(package / "_caller.py", (1, 1))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)}
    found = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True)
    return found.stdout.split() or [found.stderr]


@pytest.mark.slow
def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    """numba's own stamp is that of the caller's file, so the old callee would stay in the cached code."""
    results = [run_kernels(tmp_path / "package", tmp_path / "code", added) for added in (1, 1, 5)]
    assert results == [["2", "0"], ["2", "1"], ["6", "0"]]


def test_without_a_writable_cache_kernels_still_compile(tmp_path):
    (tmp_path / "file").write_text("")
    assert run_kernels(tmp_path / "package", tmp_path / "file" / "code", 1) == ["2", "0"]


@pytest.mark.slow
def test_the_run_that_compiles_gives_the_model_of_the_runs_that_read_the_cache(tmp_path):
    draw, text = np.random.default_rng(0), tmp_path / "text.txt"
    lines = []
    for _ in range(400):
        topic, ids = draw.integers(4), np.minimum(draw.zipf(1.3, 200), 1500)
        lines.append(" ".join(draw.choice((f"w{i}", f"t{topic}x{i % 97}", f"s{i % 29}")) for i in ids))
    text.write_text("\n".join(lines), encoding="utf-8")
    options = ("--dim=20", "--epochs=2", "--threads=1", "--min-count=1", "--alpha=1", "--merge-senses")
    models = []
    for name in ("compiles", "reads"):
        command = [sys.executable, "-m", "adagram", "train", text, "--output", tmp_path / name, *options]
        subprocess.run(command, env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "code")}, check=True)
        models.append((tmp_path / name / "model.safetensors").read_bytes())
    assert models[0] == models[1]
