"""How fast would many cores train? Measure the constants of a turn on this machine, and reckon with them.

    python benchmarks/many_cores.py ENCODED --dim 100

A piece with L lanes of m words on n threads takes:

    max(L / n · m · word + calls · call, n · calls · call) + merge · L · rows + barriers

`word` is the time of a kernel for a word, `call` that of Python for one call of it, which holds the GIL, `calls` the
calls of a thread, `merge` that of merging one copy of a row, `barriers` that of two barriers. There are as many lanes
as by default, or as threads if these are more. One thread merges. Memory traffic and cache lines that move between far
cores are left out: it is a bound from above.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np

from adagram.config import LANES, TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.systems.base import HOT_ROWS
from adagram.training.progress import Stop
from adagram.training.workers import SHARES, Chunks, Lanes, visits
from adagram.training.workers import Threads as Workers

BARRIER_FAR = 2e-6  # seconds of a barrier between far cores: five cache lines that move, 0.3 µs each, rounded up


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("--dim", type=int, default=100)
    options = parser.parse_args()
    corpus = EncodedCorpus.open(options.encoded)
    config = TrainConfig(dim=options.dim, lanes=LANES, threads=1, epochs=1).resolve(len(corpus.tokens))
    workers = Workers(corpus, config, Chunks())
    workers.start()
    workers.round(0, workers.round_tokens * 20, Stop())  # compile, and learn a little
    word, call = _word_and_call(workers, corpus, config)
    merge = _merge(workers)
    print(f"word {1e6 * word:.2f} µs, call {1e6 * call:.1f} µs, merge of a row {1e9 * merge:.0f} ns")
    print("threads\tlanes\tk words/s\tshare of linear")
    part = Chunks().lane_tokens
    one = None
    for n in (1, 2, 4, 8, 16, 32, 64):
        lanes = max(LANES, n)
        calls = 1 if n == 1 else min(SHARES, lanes // n)
        training = max(lanes / n * part * word + calls * call, n * calls * call)
        seconds = training + merge * lanes * HOT_ROWS + (2 * BARRIER_FAR * math.log2(n) if n > 1 else 0)
        speed = lanes * part / seconds
        one = one or speed
        print(f"{n}\t{lanes}\t{speed / 1e3:.0f}\t{speed / (n * one):.2f}")


def _word_and_call(workers: Workers, corpus: EncodedCorpus, config: TrainConfig) -> tuple[float, float]:
    """Fit the time of parts of 64 and of 1,024 words of prepared spans, words of the corpus."""
    seconds = {}
    pieces = list(visits(len(corpus.tokens), config, 400_000, 1_400_000, 2048))
    for n_parts in (2, 32):
        best = math.inf
        for _ in range(3):
            spent = 0.0
            for piece in pieces[:200]:
                span = workers.makers[0].make(piece)
                began = time.perf_counter()
                for part in Lanes(span, np.zeros(n_parts, np.int32), n_parts).shares:
                    while (reached := workers.system.train(part, workers.scratches[0])) < part.last:
                        part = part._replace(first=reached)
                        if not workers.system.make_room(workers.scratches[0]):
                            workers.system.grow()
                spent += time.perf_counter() - began
            best = min(best, spent / 200)
        seconds[n_parts] = best
    call = (seconds[32] - seconds[2]) / 30
    return (seconds[2] - 2 * call) / 2048, max(call, 0.0)


def _merge(workers: Workers) -> float:
    """Return the time of merging one copy of a hot row."""
    times = []
    for _ in range(200):
        began = time.perf_counter()
        workers.system.output.merge(LANES)
        times.append(time.perf_counter() - began)
    return float(np.median(times)) / (LANES * workers.system.output.n_hot)


if __name__ == "__main__":
    main()
