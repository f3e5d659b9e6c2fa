"""What `--deterministic` costs on two threads: processor time, likelihood and births, with runs interleaved."""

from __future__ import annotations

import argparse
import hashlib
import os
import time
from dataclasses import replace

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, held_out_ids, median, write_result

N_WORDS, N_HELD_OUT = 2_000_000, 100_000
HEADING = (
    f"  {'':<28}{'k words per cpu s':>18}{'k words per s':>14}{'held-out likelihood':>24}"
    f"{'senses':>10}{'models':>10}"
)


class Side:
    """Runs with one setting."""

    def __init__(self, corpus: EncodedCorpus, config: TrainConfig) -> None:
        self.corpus, self.config = corpus, config
        self.speeds: list[float] = []  # thousand words per second of processor time
        self.walls: list[float] = []  # and of time
        self.likelihoods: list[float] = []
        self.senses: list[float] = []
        self.digests: set[str] = set()
        short = replace(corpus, tokens=corpus.tokens[:20_000])
        train_encoded(short, config, Saving(), lambda progress: None)  # compiled now

    def run(self, n_held_out: int) -> None:
        start, began = time.process_time(), time.perf_counter()
        model = train_encoded(self.corpus, self.config, Saving(), lambda progress: None)
        self.speeds.append(len(self.corpus.tokens) / 1000 / (time.process_time() - start))
        self.walls.append(len(self.corpus.tokens) / 1000 / (time.perf_counter() - began))
        self.senses.append(model.n_senses - len(self.corpus.vocabulary))
        self.likelihoods.append(model.likelihood(held_out_ids(self.corpus, n_held_out)).per_word)
        arrays = (model.arrays[name].tobytes() for name in sorted(model.arrays))
        self.digests.add(hashlib.sha256(b"".join(arrays)).hexdigest())

    def line(self, name: str) -> str:
        low, high = min(self.likelihoods), max(self.likelihoods)
        return (
            f"  {name:<28}{median(self.speeds):>18.0f}{median(self.walls):>14.0f}{f'{low:.4f} to {high:.4f}':>24}"
            f"{median(self.senses):>10.0f}{len(self.digests):>10}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    corpus, lines = encoded_prefix(N_WORDS), []
    for dim in (100, 300):
        config = TrainConfig(dim=dim, threads=2)
        sides = {
            name: Side(corpus, replace(config, deterministic=name != "as they come"))
            for name in ("as they come", "deterministic")
        }
        for _ in range(repeats):
            for side in sides.values():
                side.run(N_HELD_OUT)
        lines += [f"dim {dim}", *(side.line(name) for name, side in sides.items())]
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    about = f"{len(corpus.tokens)} words, two threads, {repeats} runs each, interleaved; {busy}"
    write_result("deterministic", "\n".join([about, HEADING, *lines]))


if __name__ == "__main__":
    main()
