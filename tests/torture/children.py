"""A piece of work in a child process that may die, hang or be killed at its n-th step on the file system."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import BuiltinFunctionType, ModuleType

from adagram.errors import AdagramError

# What Python tells an audit hook just before it asks the system; the exchange of two names begins with ctypes.dlopen.
BEFORE = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate", "ctypes.dlopen")
# C functions after whose return a kill is aimed.
AFTER = {
    *("open", "close", "write", "flush", "truncate", "ftruncate", "pwrite", "fsync", "flock", "rename", "replace"),
    *("mkdir", "rmdir", "unlink", "remove", "chmod", "link", "symlink", "utime", "writelines", "copy_file_range"),
}  # fmt: skip
FILES = (ModuleType, io.FileIO, io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper)  # whose functions they are
GOOD, REFUSED, TRACEBACK = 0, 3, 4
BEFORE_A_CALL, AFTER_A_CALL = "before a call", "after a call"
HANG_CPU_SECONDS, HANG_SECONDS = 60.0, 180.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Kill:
    """When: at the `step`-th call to the system (0: only count them), or after some seconds of the clock."""

    how: str = BEFORE_A_CALL
    step: int = 0
    seconds: float | None = None


@dataclass(frozen=True)
class End:
    """How a child ended: by its exit code, by a signal, or because it took too long."""

    code: int = 0
    signal: int = 0
    is_hung: bool = False
    words: str = ""
    steps: int = 0

    @property
    def is_crash(self) -> bool:
        return self.signal not in (0, signal.SIGKILL)


def run(work: Callable[[], None], kill: Kill | None = None) -> End:
    """Fork; the child does the work without a word to the streams, and is killed on the way."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(work, kill, writing)
    os.close(writing)
    return _wait(child, reading, kill.seconds if kill else None)


def _be_child(work: Callable[[], None], kill: Kill | None, writing: int) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    counted = [0]
    if kill and kill.seconds is None:
        _kill_at(kill, counted)
    code, words = GOOD, ""
    try:
        work()
    except (AdagramError, KeyboardInterrupt) as error:
        code, words = REFUSED, str(error)
    except SystemExit as stop:
        code = REFUSED if stop.code else GOOD
    except BaseException:
        code, words = TRACEBACK, traceback.format_exc()
    sys.setprofile(None)
    os.write(writing, f"{counted[0]}\n{words[-3000:]}".encode("utf-8", "replace"))
    os._exit(code)


def _kill_at(kill: Kill, counted: list[int]) -> None:
    def count() -> None:
        counted[0] += 1
        if counted[0] == kill.step:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: object) -> None:
        if event in BEFORE:
            count()

    def profile(frame: object, event: str, function: object) -> None:
        if event != "c_return" or not isinstance(function, BuiltinFunctionType):
            return
        if function.__name__ in AFTER and isinstance(function.__self__, FILES):
            count()

    if kill.how == AFTER_A_CALL:
        sys.setprofile(profile)
    else:
        sys.addaudithook(hook)


def cpu_seconds(pid: int) -> float:
    """Processor time of a process that was not waited for yet."""
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / _TICKS


def _wait(child: int, reading: int, kill_after: float | None) -> End:
    start = time.monotonic()
    is_hung = False
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            break
        spent = time.monotonic() - start
        is_hung = spent > HANG_SECONDS or (spent > HANG_CPU_SECONDS and cpu_seconds(child) > HANG_CPU_SECONDS)
        if is_hung or (kill_after is not None and spent > kill_after):
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
        time.sleep(0.0005)
    steps, _, words = os.read(reading, 8000).decode("utf-8", "replace").partition("\n")
    os.close(reading)
    ended = {"is_hung": is_hung, "words": words, "steps": int(steps or 0)}
    if os.WIFSIGNALED(status):
        return End(signal=os.WTERMSIG(status), **ended)  # type: ignore[arg-type]
    return End(code=os.WEXITSTATUS(status), **ended)  # type: ignore[arg-type]


def leftovers(folder: Path) -> list[str]:
    """Hidden names that runs should have taken away."""
    return sorted(path.name for path in folder.rglob(".*"))
