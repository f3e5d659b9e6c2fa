"""The cost model of training on a cluster: its constants measured here, checked against measured runs, and used.

    python benchmarks/scale.py ENCODED benchmarks/results/cluster.json WORK --output benchmarks/results/scale.md

WORK is the folder of benchmarks/cluster.py, which must have run before.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from adagram.cluster.division import divide_words, loads
from adagram.cluster.merge import Merger, curvature_of, in_axes
from adagram.cluster.share import PIECE, Share
from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.paper.schedule import keep_probability
from adagram.paper.softmax import huffman
from adagram.systems.base import node_visits, steps_of
from adagram.training.workers import pieces
from scale_model import Costs, Floats, Run, Text, round_words, simulate

CORES = 2  # of this machine
NETWORK = 1.25e9  # bytes per second between machines: 10 Gb/s
BIG = {"words": 10e9, "vocabulary": 1_000_000, "dim": 300, "live": 3.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("measured", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    corpus = EncodedCorpus.open(arguments.encoded)
    measured = json.loads(arguments.measured.read_text())
    fixed, per_sense = training_cost(arguments.work / "1-worker" / "training.jsonl")
    costs = measure(corpus, fixed + per_sense)
    lines = ["# The cost of training on a cluster", "", *constants(costs, fixed, per_sense), ""]
    lines += check(corpus, costs, (fixed, per_sense), measured)
    per_float = costs.train / 100
    big = replace(costs, train=300 * per_float * (fixed + BIG["live"] * per_sense) / (fixed + per_sense))
    lines += ["", *predict(replace(big, send=1 / NETWORK))]
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def training_cost(log: Path) -> tuple[float, float]:
    """Seconds per word as a + b · live senses per token, by least squares over the reports of a run."""
    entries = [json.loads(line) for line in log.read_text().splitlines()][1:-1]
    live = [entry["live_senses"] for entry in entries]
    b, a = np.polyfit(live, [1 / entry["words_per_second"] for entry in entries], 1)
    return float(a), float(b)


def measure(corpus: EncodedCorpus, train: float) -> Costs:
    """All other constants, in this process and with two actors on a local cluster."""
    shares = [Share(corpus, TrainConfig.from_preset("paper", dim=100), number, 2) for number in range(2)]
    shares[0].train(0, PIECE)  # compiles
    seconds: list[list[float]] = []
    handled = merged = scanned = 0.0
    n_bytes = 0
    for number in range(6):
        start, stop = number * round_words(2), (number + 1) * round_words(2)
        begin = time.perf_counter()
        for piece in pieces(len(corpus.tokens), start, stop, PIECE):
            shares[0]._spans.make(piece)
        scanned += time.perf_counter() - begin
        times = []
        for share in shares:
            begin = time.perf_counter()
            share.train(start, stop)
            times.append(time.perf_counter() - begin)
        seconds.append(times)
        for share in shares:
            share._told_curvature = number > 0  # its cost is measured apart
        begin = time.perf_counter()
        given = [share.changed(only_hot=False) for share in shares]
        handled += time.perf_counter() - begin
        without_steps = [[each._replace(steps=0 * each.steps) for each in of_worker] for of_worker in given]
        begin = time.perf_counter()
        results = [
            merger.merge([each[merger.number] for each in without_steps]) for merger in mergers(shares)
        ]
        merged += time.perf_counter() - begin
        begin = time.perf_counter()
        for share in shares:
            share.take(results)
        handled += time.perf_counter() - begin
        n_bytes += sum(each.rows.nbytes for of_worker in given for each in of_worker)
    spread = np.array(seconds)[1:]
    jitter = float(np.mean(np.std(np.diff(np.log(spread), axis=1))))
    send, call = ray_costs()
    scan = scanned / (6 * round_words(2))
    turn, axes = curvature_costs()
    return Costs(
        train - scan, scan, handled / (2 * n_bytes), merged / n_bytes, turn, axes, send, call, jitter
    )


def curvature_costs(width: int = 304, n: int = 8192) -> tuple[float, float]:
    """Seconds to turn a row into other axes and back, by squared dimension, and to find them, by cubed dimension."""
    draw = np.random.default_rng(0)
    rows, usage = draw.normal(size=(n, width)).astype(np.float32), np.ones(n)
    curvature = curvature_of(rows, usage)
    turning, finding = [], []
    for _ in range(7):
        begin = time.perf_counter()
        _ = ((rows @ curvature.axes) * curvature.values) @ curvature.axes.T
        turning.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        in_axes(curvature.matrix)
        finding.append(time.perf_counter() - begin)
    return float(np.median(turning)) / (n * width**2), float(np.median(finding)) / width**3


def mergers(shares: list[Share]) -> Iterator[Merger]:
    return (share.merger for share in shares if share.merger is not None)


def ray_costs() -> tuple[float, float]:
    """Seconds per byte from one process to another, and seconds of a round in which nothing is done."""
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)

    @ray.remote(num_cpus=1)
    class Peer:
        def give(self, n: int) -> np.ndarray:
            return np.ones(n, np.float32)

        def take(self, *given: np.ndarray) -> float:
            return float(sum(array[-1] for array in given))

    peers = [Peer.remote() for _ in range(2)]

    def exchange(n: int) -> float:
        begin = time.perf_counter()
        given = [peer.give.remote(n) for peer in peers]
        merged = [peer.take.remote(*given) for peer in peers]
        ray.get([peer.take.remote() for peer in peers])
        ray.get(merged)
        return time.perf_counter() - begin

    exchange(10)
    call = float(np.median([exchange(10) for _ in range(30)]))
    n = 5_000_000
    exchange(n)
    full = float(np.median([exchange(n) for _ in range(7)]))
    ray.shutdown()
    return max(0.0, full - call) / (2 * 4 * n), call


def constants(costs: Costs, fixed: float, per_sense: float) -> list[str]:
    rows = [
        ("train, per word of the corpus", f"{1e6 * fixed:.2f} + {1e6 * per_sense:.2f} · live senses µs"),
        ("scan, per word of the corpus", f"{1e9 * costs.scan:.1f} ns"),
        ("take rows out or put them in place", f"{1e9 * costs.handle:.2f} ns per byte"),
        ("merge rows", f"{1e9 * costs.merge:.2f} ns per byte"),
        ("turn a row into other axes and back, D floats", f"{1e12 * costs.turn:.0f} ps · D²"),
        ("find the axes of a curvature", f"{1e9 * costs.axes:.2f} ns · D³"),
        ("send rows through the object store of one machine", f"{1e9 * costs.send:.2f} ns per byte"),
        ("calls of a short round", f"{1e3 * costs.call:.1f} ms"),
        ("jitter of a worker's time for a round", f"{100 * costs.jitter:.1f} %"),
    ]
    return ["| constant (one core, dim 100) | value |", "|---|---:|", *(f"| {a} | {b} |" for a, b in rows)]


def text_of(vocabulary: Vocabulary, dim: int, keep: Floats, window: int = 5) -> Text:
    tree = steps_of(huffman(vocabulary.counts))
    kept = Vocabulary(vocabulary.words, np.maximum(1, vocabulary.counts * keep).astype(np.int64))
    share = float(np.sum(vocabulary.counts * keep) / vocabulary.counts.sum())
    shares = node_visits(tree, kept, window) / (2 * window) * share
    return Text(shares, window, 4 * (-(-dim // 8) * 8) + 4)


def work_shares(vocabulary: Vocabulary, config: TrainConfig, n: int) -> Floats:
    totals = vocabulary.counts * keep_probability(vocabulary.counts, config.subsample)
    load = loads(totals, config)
    return np.array([load[words].sum() for words in divide_words(load, n)]) / load.sum()


def check(
    corpus: EncodedCorpus, costs: Costs, training: tuple[float, float], measured: dict[str, dict[str, float]]
) -> list[str]:
    """Simulated beside measured, on the cores of this machine."""
    text = text_of(corpus.vocabulary, 100, np.ones(len(corpus.vocabulary)))
    lines = [
        "| workers | k words/s simulated | measured | MB per M words simulated | measured |",
        "|" + "---:|" * 5,
    ]
    for n in (1, 2, 4):
        found = measured["1 worker" if n == 1 else f"{n} workers"]
        train = training[0] + training[1] * found["live"] - costs.scan
        shares = work_shares(corpus.vocabulary, TrainConfig.from_preset("paper"), n)
        run = simulate(replace(costs, train=train), text, shares, n_rounds=30, n_cores=CORES)
        sent = found["training"].get("sent_mb_per_million_words", 0.0)
        cells = [str(n), f"{run.words_per_second / 1e3:.0f}", f"{found['speed'] / 1e3:.0f}"]
        lines.append(f"| {' | '.join([*cells, f'{run.bytes_per_word:.0f}', f'{sent:.0f}'])} |")
    return lines


def zipf(n_words: int) -> Vocabulary:
    """A large vocabulary with the frequencies of text: Zipf's law with Mandelbrot's shift."""
    counts = 1.0 / (np.arange(1, n_words + 1) + 2.7)
    return Vocabulary([""] * n_words, np.maximum(20, counts / counts.sum() * BIG["words"]).astype(np.int64))


def predict(costs: Costs) -> list[str]:
    """10 G words, 1 M words of vocabulary, dim 300: a machine for each worker."""
    vocabulary = zipf(int(BIG["vocabulary"]))
    lines = [
        "| workers | subsample | heaviest share / even share | k words/s | hours | "
        "GB sent per round and worker | s per round | not training | GB of a worker |",
        "|" + "---:|" * 9,
    ]
    for subsample in (0.0, 1e-4):
        keep = keep_probability(vocabulary.counts, subsample)
        share = float(np.sum(vocabulary.counts * keep) / vocabulary.counts.sum())
        text = text_of(vocabulary, int(BIG["dim"]), keep)
        thinned = replace(costs, train=costs.train * share)
        for n in (4, 16, 64):
            shares = work_shares(vocabulary, TrainConfig.from_preset("paper", subsample=subsample), n)
            run = simulate(thinned, text, shares, n_rounds=20)
            lines.append(f"| {' | '.join(cells_of(n, subsample, shares, run))} |")
    return lines


def cells_of(n: int, subsample: float, shares: Floats, run: Run) -> list[str]:
    row = 4 * 304
    senses = 1.5 * BIG["vocabulary"] / n
    memory = (senses + BIG["vocabulary"] * (1 + 1 / min(n, 16))) * row
    per_worker = run.bytes_per_word * round_words(n) / n
    return [
        *(str(n), f"{subsample:g}", f"{shares.max() * n:.2f}", f"{run.words_per_second / 1e3:,.0f}"),
        *(f"{BIG['words'] / run.words_per_second / 3600:.1f}", f"{per_worker / 1e9:.2f}"),
        *(f"{run.round_seconds:.2f}", f"{100 * run.waiting:.0f} %", f"{memory / 1e9:.1f}"),
    ]


if __name__ == "__main__":
    main()
