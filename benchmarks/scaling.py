"""What the second thread gives, beside what the machine has to give: two processes at once that share nothing.

    python benchmarks/scaling.py --repeats 7

One thread, two threads, and two processes with one thread each are timed in turn on the same text. The sum of the two
processes is the most that two threads could do on this machine: its cores share caches, memory and clock.

Threads share rows, so it matters how long one core takes to see what another wrote. On a virtual machine that changes
from minute to minute, as its cores are moved between parts of the chip. It is measured before and after each run of two
threads; a run is `near` where the slower of the two is below NEAR.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

import numba
import numpy as np

from adagram.config import TrainConfig
from adagram.training._workers import LINE, arrive, is_complete
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, median, write_result

N_WORDS = 2_000_000
DIMS = (100, 300)
NEAR = 110.0  # nanoseconds; cores that share a cache have 30 to 90 here, others 150 to 300
MEETINGS = 20_000


class Round(NamedTuple):
    """Thousand words per second by the clock, and the distance of the cores while two threads worked."""

    one: float
    two: float
    apart: float
    distance: float


@numba.njit(nogil=True)
def meet(arrived, thread, n):
    """Wait n times for the other thread."""
    for _ in range(n):
        arrive(arrived, thread)
        while not is_complete(arrived, thread, 1000):
            pass


def distance() -> float:
    """Nanoseconds until one core sees what the other wrote; the least of five, so that a short pause does not count."""
    times = []
    for _ in range(5):
        arrived = np.zeros(2 * LINE, np.int64)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda thread, arrived=arrived: meet(arrived, thread, 100), range(2)))  # both awake
            began = time.perf_counter()
            list(pool.map(lambda thread, arrived=arrived: meet(arrived, thread, MEETINGS), range(2)))
            times.append((time.perf_counter() - began) / MEETINGS * 1e9)
    return min(times)


def speed(dim: int, threads: int, n_words: int = N_WORDS) -> float:
    """Thousand words per second by the clock; reading is not timed."""
    corpus = encoded_prefix(n_words)
    began = time.perf_counter()
    train_encoded(corpus, TrainConfig.from_preset("paper", dim=dim, threads=threads), Saving(), lambda progress: None)
    return len(corpus.tokens) / (time.perf_counter() - began) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--words", type=int, default=N_WORDS)
    arguments = parser.parse_args()
    n_words, repeats = arguments.words, arguments.repeats
    encoded_prefix(n_words)
    lines = [f"the first {n_words} words, {repeats} rounds, load {os.getloadavg()[0]:.1f} at the start"]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:

        def apart(dim: int, n_words: int) -> float:
            return sum(pool.map(speed, [dim] * 2, [1] * 2, [n_words] * 2))

        def timed(dim: int) -> Round:
            one, before = speed(dim, 1, n_words), distance()
            two, after = speed(dim, 2, n_words), distance()
            return Round(one, two, apart(dim, n_words), max(before, after))

        for dim in DIMS:
            for threads in (1, 2):
                speed(dim, threads, 20_000)  # compiled
            apart(dim, 20_000)
            lines += [f"dim {dim}", *report([timed(dim) for _ in range(repeats)])]
    write_result("scaling", "\n".join(lines))


def report(rounds: list[Round]) -> list[str]:
    lines = []
    for name, title in (("one", "one thread"), ("two", "two threads"), ("apart", "two processes")):
        figures = [getattr(each, name) for each in rounds]
        listed = ", ".join(f"{figure:.0f}" for figure in figures)
        lines.append(f"  {title:<14}{median(figures):5.0f} k words/s  [{listed}]")
    lines.append(f"  cores apart, ns  [{', '.join(f'{each.distance:.0f}' for each in rounds)}]")
    near = [each for each in rounds if each.distance < NEAR]
    far = [each for each in rounds if each.distance >= NEAR]
    for title, chosen in (("all rounds", rounds), ("cores near", near), ("cores far", far)):
        if chosen:
            two = spread([each.two / each.one for each in chosen])
            apart = spread([each.apart / each.one for each in chosen])
            lines.append(f"  times one thread, {title} ({len(chosen)}): two threads {two}, two processes {apart}")
    return lines


def spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
