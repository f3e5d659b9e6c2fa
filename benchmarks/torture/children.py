"""A piece of work in a child process that may die, hang or be killed at its n-th step on the file system."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from adagram.errors import AdagramError

# What Python tells an audit hook just before it asks the system; the exchange of two names begins with ctypes.dlopen.
STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate", "ctypes.dlopen")
GOOD, REFUSED, TRACEBACK = 0, 3, 4
HANG_SECONDS = 60.0


@dataclass(frozen=True)
class End:
    """How a child ended: by its exit code, by a signal, or because it took too long."""

    code: int = 0
    signal: int = 0
    is_hung: bool = False
    words: str = ""

    @property
    def is_crash(self) -> bool:
        return self.signal not in (0, signal.SIGKILL)


def run(work: Callable[[], None], kill_at: int | None = None, kill_after: float | None = None) -> End:
    """Fork; the child does the work, and is killed before its `kill_at`-th step or after `kill_after` seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(work, kill_at, writing)
    os.close(writing)
    return _wait(child, reading, kill_after)


def _be_child(work: Callable[[], None], kill_at: int | None, writing: int) -> None:
    if kill_at is not None:
        _kill_at(kill_at)
    code, words = GOOD, ""
    try:
        work()
    except (AdagramError, KeyboardInterrupt) as error:
        code, words = REFUSED, str(error)
    except BaseException:
        code, words = TRACEBACK, traceback.format_exc()
    os.write(writing, words.encode("utf-8", "replace")[-4000:])
    os._exit(code)


def _kill_at(step: int) -> None:
    count = 0

    def hook(event: str, arguments: object) -> None:
        nonlocal count
        if event in STEPS:
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _wait(child: int, reading: int, kill_after: float | None) -> End:
    start = time.monotonic()
    is_hung = False
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            break
        spent = time.monotonic() - start
        is_hung = spent > HANG_SECONDS
        if is_hung or (kill_after is not None and spent > kill_after):
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
        time.sleep(0.0005)
    words = os.read(reading, 8000).decode("utf-8", "replace")
    os.close(reading)
    if os.WIFSIGNALED(status):
        return End(signal=os.WTERMSIG(status), is_hung=is_hung, words=words)
    return End(code=os.WEXITSTATUS(status), is_hung=is_hung, words=words)


def leftovers(folder: Path) -> list[str]:
    """Hidden names that runs should have taken away."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
