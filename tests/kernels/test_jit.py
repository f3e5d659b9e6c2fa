from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numba

from adagram.kernels import jit as module
from adagram.kernels.jit import jit


def test_without_a_writable_cache_kernels_still_compile(monkeypatch):
    """numba refuses to decorate with cache=True when it finds no folder to write to."""
    original = numba.njit

    def without_cache(*arguments, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return original(*arguments, **options)

    monkeypatch.setattr(numba, "njit", without_cache)

    def double(x):
        return 2 * x

    assert jit(double)(21) == 42


CALLEE = "from jit import kernel\n\n@kernel\ndef callee(x):\n    return x + {}\n"
CALLER = "from callee import callee\nfrom jit import jit\n\n@jit\ndef caller(x):\n    return callee(x)\n"


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    """numba's own stamp is that of the caller's file, so the old callee would stay in the cached code."""
    shutil.copy(Path(module.__file__), tmp_path / "jit.py")
    (tmp_path / "caller.py").write_text(CALLER)
    program = "from caller import caller; print(caller(1), sum(caller.stats.cache_hits.values()))"

    def run(added):
        (tmp_path / "callee.py").write_text(CALLEE.format(added))
        return subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
        ).stdout

    results = [run(added).split() for added in (1, 1, 5)]
    assert [value for value, _ in results] == ["2", "2", "6"]
    assert [hits for _, hits in results] == ["0", "1", "0"]
