"""Ctrl-C as a wish to stop, taken at the next safe point."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Ctrl-C, `kill`, and a terminal that is closed; not every system has the last.
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Interrupted(KeyboardInterrupt):
    """The user stopped the run at a safe point."""


class Stop:
    """True once the user asked to stop."""

    def __init__(self) -> None:
        self.asked = False

    def __bool__(self) -> bool:
        return self.asked


@contextmanager
def interruptible() -> Iterator[Stop]:
    """While active, the first of SIGNALS only sets the flag; a second Ctrl-C interrupts at once."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.asked = True

    old = {number: signal.signal(number, ask) for number in SIGNALS if not _is_ignored(number)}
    try:
        yield stop
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _is_ignored(number: signal.Signals) -> bool:
    """Under nohup a closed terminal must not stop the run."""
    return number != signal.SIGINT and signal.getsignal(number) == signal.SIG_IGN
