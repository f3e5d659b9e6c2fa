"""What the second thread gives, beside what the machine has to give: two processes at once that share nothing.

    python benchmarks/scaling.py --repeats 7

One thread, two threads, and two processes with one thread each are timed in turn on the same text. The sum of the two
processes is the most that two threads could do on this machine: its cores share caches, memory and clock.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from adagram.config import TrainConfig
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, median, write_result

N_WORDS = 2_000_000
DIMS = (100, 300)


def speed(dim: int, threads: int, n_words: int = N_WORDS) -> float:
    """Thousand words per second by the clock; reading is not timed."""
    corpus = encoded_prefix(n_words)
    began = time.perf_counter()
    train_encoded(corpus, TrainConfig(dim=dim, threads=threads), Saving(), lambda progress: None)
    return len(corpus.tokens) / (time.perf_counter() - began) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    encoded_prefix(N_WORDS)
    lines = [f"the first {N_WORDS} words, {repeats} rounds, load {os.getloadavg()[0]:.1f} at the start"]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:

        def apart(dim: int, n_words: int = N_WORDS) -> float:
            return sum(pool.map(speed, [dim] * 2, [1] * 2, [n_words] * 2))

        for dim in DIMS:
            for threads in (1, 2):
                speed(dim, threads, 20_000)  # compiled
            apart(dim, 20_000)
            rounds = [(speed(dim, 1), speed(dim, 2), apart(dim)) for _ in range(repeats)]
            lines.append(f"dim {dim}")
            for i, name in enumerate(("one thread", "two threads", "two processes")):
                each = ", ".join(f"{figures[i]:.0f}" for figures in rounds)
                lines.append(
                    f"  {name:<14}{median([figures[i] for figures in rounds]):5.0f} k words/s  [{each}]"
                )
            for i, name in ((1, "two threads"), (2, "two processes")):
                ratios = sorted(figures[i] / figures[0] for figures in rounds)
                lines.append(
                    f"  {name} / one thread, round by round: {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
                )
    write_result("scaling", "\n".join(lines))


if __name__ == "__main__":
    main()
