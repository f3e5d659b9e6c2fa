from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adagram.kernels import jit as kernels

SOURCE = "from adagram.kernels.jit import jit\n\n@jit\ndef double(x):\n    return 2 * x\n"


def test_without_a_writable_cache_kernels_still_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, function: Any) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(kernels.Cache, "__init__", refuse)

    def double(x: int) -> int:
        return 2 * x

    assert kernels.jit(double)(21) == 42


def fresh(path: Path) -> Any:
    """The module as a new process would see it."""
    spec = importlib.util.spec_from_file_location("doubling", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "how", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"x" * 99]
)
def test_damaged_compiled_code_is_compiled_again(tmp_path, monkeypatch, caplog, kind, how):
    (tmp_path / "doubling.py").write_text(SOURCE)
    assert fresh(tmp_path / "doubling.py").double(21) == 42
    damaged = [path for path in tmp_path.rglob(f"*.{kind}*") if not path.name.endswith("py")]
    assert damaged
    for path in damaged:
        path.write_bytes(how(path.read_bytes()))
    monkeypatch.setattr(kernels.Cache, "is_said", False)
    assert fresh(tmp_path / "doubling.py").double(21) == 42
    assert caplog.text.count("compiled again") == 1
    caplog.clear()
    again = fresh(tmp_path / "doubling.py")
    assert again.double(21) == 42
    assert sum(again.double.stats.cache_hits.values()) == 1, "the next run finds good code"


def test_a_full_disk_is_no_reason_to_stop(tmp_path, monkeypatch, caplog):
    (tmp_path / "doubling.py").write_text(SOURCE)
    module = fresh(tmp_path / "doubling.py")

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernels.Cache, "is_said", False)
    monkeypatch.setattr(kernels.FunctionCache, "save_overload", full)
    assert module.double(21) == 42
    assert "cannot be kept" in caplog.text


CALLEE = "from jit import kernel\n\n@kernel\ndef callee(x):\n    return x + {}\n"
CALLER = "from callee import callee\nfrom jit import jit\n\n@jit\ndef caller(x):\n    return callee(x)\n"


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    """numba's own stamp is that of the caller's file, so the old callee would stay in the cached code."""
    shutil.copy(Path(kernels.__file__), tmp_path / "jit.py")
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
