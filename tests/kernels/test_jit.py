from __future__ import annotations

import importlib.util
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


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))


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


CALLEE = "from jit import part\n\n@part\ndef callee(x):\n    return x + {}\n"
CALLER = "from callee import callee\nfrom jit import jit\n\n@jit\ndef caller(x):\n    return callee(x)\n"


PROGRAM = "from caller import caller; print(caller(1), sum(caller.stats.cache_hits.values()))"


def run_kernels(folder: Path, added: int) -> list[str]:
    """What a new process gets of `caller` with kernels in this folder, and how often it found compiled code."""
    folder.mkdir(exist_ok=True)
    for name in ("jit.py", "home.py"):
        text = Path(kernels.__file__).with_name(name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("adagram.kernels.home", "home"), encoding="utf-8")
    (folder / "caller.py").write_text(CALLER)
    (folder / "callee.py").write_text(CALLEE.format(added))
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True
    ).stdout.split()


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    """numba's own stamp is that of the caller's file, so the old callee would stay in the cached code."""
    results = [run_kernels(tmp_path / "package", added) for added in (1, 1, 5)]
    assert results == [["2", "0"], ["2", "1"], ["6", "0"]]


def test_another_installation_with_the_same_kernels_finds_them_compiled(tmp_path):
    assert run_kernels(tmp_path / "one", 1) == ["2", "0"]
    assert run_kernels(tmp_path / "other", 1) == ["2", "1"]
