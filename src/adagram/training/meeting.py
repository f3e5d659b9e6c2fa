"""A place where threads meet."""

from __future__ import annotations

import time

import numpy as np

from adagram.arrays import I64
from adagram.kernels.arrays import LINE

LOOKS = 300_000  # about as long as two pieces differ in time
PAUSE = 2e-5  # seconds of sleep between two looks of a thread that has waited for long


class MeetingCancelled(Exception):
    """Another thread has failed and will not come."""


class Meeting:
    """Each of n threads waits until all have come.

    On several processors looking is cheaper than sleep, which takes longer than the threads differ.
    """

    def __init__(self, n: int) -> None:
        # Each number has a cache line of its own, so that looking does not slow down writing.
        self._arrived: I64 = np.zeros(LINE * n, np.int64)
        self._is_cancelled = False

    def wait(self, thread: int) -> None:
        from adagram.kernels.meeting import arrive, is_complete

        arrive(self._arrived, thread)
        looks = LOOKS
        while not is_complete(self._arrived, thread, looks):
            if self._is_cancelled:
                raise MeetingCancelled
            looks = 1
            time.sleep(PAUSE)

    def cancel(self) -> None:
        """Let all that wait go."""
        self._is_cancelled = True
