"""The time of a whole corpus with many live senses: this code and an earlier checkout of it, in turn.

    python benchmarks/many_senses.py ENCODED --before CHECKOUT

ENCODED is a folder of `adagram encode`, CHECKOUT another working tree of this repository. Each side is `adagram train`
on two threads: one pass, window 5, dim 100, subsample 1e-4, senses not merged. Its time is from the start of the
command to its end; kernels are compiled before.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import adagram
from adagram.corpus.encoded import EncodedCorpus
from common import encoded_prefix, held_out_ids, median, write_result

ALPHAS = (0.15, 0.5)
OPTIONS = {"threads": 2, "epochs": 1, "window": 5, "dim": 100, "subsample": 1e-4, "checkpoint-minutes": 0}
HERE = Path(__file__).resolve().parents[1]
N_HELD_OUT = 200_000


class Timed(NamedTuple):
    """A run."""

    wall: float
    processor: float
    live: float  # senses of a token that was trained
    senses: int
    likelihood: float  # of held-out text, per context word


class Side(NamedTuple):
    """A working tree, and options that only it has."""

    name: str
    tree: Path
    own: tuple[str, ...] = ()

    def train(self, corpus: EncodedCorpus, alpha: float) -> Timed:
        options = [f"--{name}={value}" for name, value in (OPTIONS | {"alpha": alpha}).items()]
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "model"
            path = f"import sys; sys.path.insert(0, {str(self.tree / 'src')!r})"
            program = f"{path}; from adagram.cli import main; main()"
            command = [sys.executable, "-c", program, "train", str(corpus.folder), "--output", str(model)]
            began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*command, *options, *self.own], check=True, stderr=subprocess.DEVNULL)
            wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            made = adagram.load(model)
            live = float(made.info["training"]["live_senses"])
            likelihood = made.predictor.likelihood(held_out_ids(corpus, N_HELD_OUT)).per_word
            return Timed(wall, processor, live, made.n_senses, likelihood)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoded", type=Path)
    parser.add_argument("--before", type=Path, required=True, metavar="CHECKOUT")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--alphas", type=float, nargs="+", default=ALPHAS)
    arguments = parser.parse_args()
    corpus = EncodedCorpus.open(arguments.encoded)
    sides = (Side("before", arguments.before.resolve()), Side("now", HERE, ("--no-merge-senses",)))
    commits = {side.name: commit(side.tree) for side in sides}
    for side in sides:
        side.train(encoded_prefix(20_000), ALPHAS[0])  # compiled
    lines = [f"{len(corpus.tokens)} words, before: {commits['before']}, now: {commits['now']}"]
    for alpha in arguments.alphas:
        runs: dict[str, list[Timed]] = {side.name: [] for side in sides}
        for _ in range(arguments.repeats):
            for side in sides:
                runs[side.name].append(side.train(corpus, alpha))
                print(alpha, side.name, runs[side.name][-1], file=sys.stderr, flush=True)
        lines += [f"alpha {alpha}", *(line(name, found) for name, found in runs.items())]
        ratios = (median([run[i] for run in runs["before"]]) / median([run[i] for run in runs["now"]]) for i in (0, 1))
        lines.append("  before / now: {:.2f} by the clock, {:.2f} of processor time".format(*ratios))
    write_result("many_senses", "\n".join(lines))


def commit(tree: Path) -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=tree, check=True, capture_output=True, text=True
    )
    return found.stdout.strip()


def line(name: str, runs: list[Timed]) -> str:
    wall, processor = (median([run[i] for run in runs]) for i in (0, 1))
    last = runs[-1]
    return (
        f"  {name:<8}{wall:6.0f} s by the clock, {processor:6.0f} s of processor time; {last.live:.2f} live senses "
        f"a token, {last.senses} in all, held-out log-likelihood {last.likelihood:.4f}"
    )


if __name__ == "__main__":
    main()
