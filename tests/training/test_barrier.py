"""Threads that wait for each other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from adagram.training.workers import Barrier, BarrierCancelled

N = 3


def test_nobody_goes_on_before_all_have_come():
    barrier, seen = Barrier(N), [[0] * N for _ in range(N)]
    steps = [0] * N

    def walk(thread: int) -> None:
        for step in range(1, 201):
            steps[thread] = step
            barrier.wait(thread)
            seen[thread] = [min(*pair) for pair in zip(steps, [step] * N, strict=True)]
            assert seen[thread] == [step] * N
            barrier.wait(thread)

    with ThreadPoolExecutor(N) as pool:
        list(pool.map(walk, range(N)))
    assert seen == [[200] * N] * N


def test_who_waits_for_nobody_is_let_go():
    barrier = Barrier(2)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(barrier.wait, 0)
        barrier.cancel()
        with pytest.raises(BarrierCancelled):
            waiting.result()
