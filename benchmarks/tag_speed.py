"""Speed of `adagram tag` by dimensions and threads.

    python benchmarks/tag_speed.py MODEL TEXT [--dims 100 300] [--threads 1 2] [--repeat 3]

Each dimension above the model's own is measured with the same vectors, widened by zeros: the senses are the same, the
work is that of a model of this size. Prints a TSV line per measurement: the best of the repetitions, from text on disk
to tagged text on disk, without loading and compiling, which are given apart.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import adagram
from adagram.analysis.tag import Tagger, tag_files
from adagram.kernels.arrays import padded
from adagram.model import Model


def widened(model: Model, dim: int) -> Model:
    arrays = dict(model.arrays)
    for name in ("vectors", "output"):
        wide = np.zeros((len(arrays[name]), padded(dim)), np.float32)
        wide[:, : arrays[name].shape[1]] = arrays[name]
        arrays[name] = wide
    config = replace(model.config, dim=dim).to_dict()
    return Model(arrays, model.vocabulary, model.info | {"config": config})


def measure(model: Model, text: Path, threads: int, repeat: int) -> tuple[int, float, float]:
    """Words, seconds of the fastest run and its processor seconds."""
    best = (0, float("inf"), 0.0)
    for _ in range(repeat):
        with tempfile.TemporaryFile() as file:
            start, cpu = time.perf_counter(), time.process_time()
            tally = tag_files(model, [text], file.write, threads=threads)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        if seconds < best[1]:
            best = tally.words, seconds, cpu
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    start = time.perf_counter()
    model = adagram.load(arguments.model)
    Tagger(model).tag("")
    ready = time.perf_counter() - start
    counts, sizes = model.vocabulary.counts, np.diff(model.offsets)
    print(f"# {platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"# {model.n_senses} senses of {len(sizes)} words, {counts @ sizes / counts.sum():.2f} per token")
    print(f"# loading and compiling (or reading compiled code): {ready:.2f} s")
    print("dim\tthreads\twords\tseconds\twords_per_second\twords_per_processor_second")
    for dim in arguments.dims:
        wide = model if dim == model.config.dim else widened(model, dim)
        for threads in arguments.threads:
            words, seconds, cpu = measure(wide, arguments.text, threads, arguments.repeat)
            print(f"{dim}\t{threads}\t{words}\t{seconds:.2f}\t{words / seconds:.0f}\t{words / cpu:.0f}", flush=True)


if __name__ == "__main__":
    main()
