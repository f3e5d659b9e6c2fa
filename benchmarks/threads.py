"""What more threads than cores cost: processor time, likelihood and births with 1, 2, 4 and 8, interleaved."""

from __future__ import annotations

import argparse
import os

from deterministic import HEADING, N_HELD_OUT, N_WORDS, Side

from adagram.config import TrainConfig
from common import encoded_prefix, write_result

N_THREADS = (1, 2, 4, 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dim", type=int, default=100)
    options = parser.parse_args()
    repeats, dim = options.repeats, options.dim
    corpus = encoded_prefix(N_WORDS)
    sides = {
        name: {n: Side(corpus, TrainConfig(dim=dim, threads=n, deterministic=is_so)) for n in N_THREADS}
        for name, is_so in (("as they come", False), ("deterministic", True))
    }
    for _ in range(repeats):
        for each in sides.values():
            for side in each.values():
                side.run(N_HELD_OUT)
    lines = [side.line(f"{name}, {n}") for name, each in sides.items() for n, side in each.items()]
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    about = (
        f"{len(corpus.tokens)} words, dim {dim}, threads as named, {repeats} runs each, interleaved; {busy}"
    )
    write_result(f"threads-{dim}" if dim != 100 else "threads", "\n".join([about, HEADING, *lines]))


if __name__ == "__main__":
    main()
