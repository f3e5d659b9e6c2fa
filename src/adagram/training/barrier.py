"""A barrier for threads that spend their time in kernels."""

from __future__ import annotations

import time

import numpy as np

from adagram.kernels.arrays import LINE
from adagram.types import I64

SPINS = 300_000  # about a millisecond
PAUSE = 2e-5  # seconds of sleep between two looks after that


class BarrierCancelled(Exception):
    """Another thread has failed and will not arrive."""


class Barrier:
    """Block each of n threads until all have called `wait`."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._arrived: I64 = np.zeros(LINE * n, np.int64)  # a cache line for each thread
        self._is_cancelled = False

    def wait(self, thread: int) -> None:
        if self._n == 1:
            return
        from adagram.kernels.barrier import arrive, is_complete

        arrive(self._arrived, thread)
        spins = SPINS
        while not is_complete(self._arrived, thread, spins):
            if self._is_cancelled:
                raise BarrierCancelled
            spins = 1
            time.sleep(PAUSE)

    def cancel(self) -> None:
        """Release all threads that wait, with BarrierCancelled."""
        self._is_cancelled = True
