"""Does the model depend on lanes and threads? Senses, cost, likelihood and induction for each number of both.

    python benchmarks/lanes.py ENCODED DATA --lanes 1 8 --threads 1 2 --seeds 3 --output benchmarks/results/lanes.tsv

ENCODED is a corpus of `adagram encode`. DATA has corpus/heldout.txt.zst, wwsi/train.tsv and semeval2010/contexts.tsv;
of the last the first half of the words, by alphabet, is scored. Options are the defaults, but for --window and
--epochs if they are given. Lines are added to the output, and what it has already is not measured again.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path

import numpy as np

import adagram
from adagram.evaluation.wsi_data import Instance, read_tsv
from adagram.model import Model
from common import first_words
from wsi import measure

COLUMNS = (
    *("corpus", "window", "lanes", "threads", "seed", "extra senses", "live senses a token", "held-out"),
    *("WWSI", "clusters", "SemEval-2010, first half", "seconds", "commit"),
)
N_HELD_OUT = 300_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--lanes", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--window", type=int, default=10)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    files = {"WWSI": "wwsi/train.tsv", "SemEval-2010": "semeval2010/contexts.tsv"}
    sets = {name: read_tsv(options.data / file) for name, file in files.items()}
    held_out = "".join(first_words(options.data / "corpus/heldout.txt.zst", N_HELD_OUT))
    if not options.output.exists():
        options.output.write_text("\t".join(COLUMNS) + "\n", encoding="utf-8")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    for seed in range(1, options.seeds + 1):
        for lanes in options.lanes:
            for threads in options.threads if lanes > 1 else [1]:
                key = [options.encoded.name, *map(str, (options.window, lanes, threads, seed))]
                lines = options.output.read_text(encoding="utf-8").splitlines()
                if key in [line.split("\t")[:5] for line in lines]:
                    continue
                began = time.perf_counter()
                chosen = {"window": options.window, "epochs": options.epochs}
                model = adagram.train(options.encoded, lanes=lanes, threads=threads, seed=seed, **chosen)
                seconds = time.perf_counter() - began
                line = "\t".join([*key, *figures(model, sets, held_out), f"{seconds:.0f}", commit.strip()])
                with options.output.open("a", encoding="utf-8") as out:
                    out.write(line + "\n")
                print(line, flush=True)


def figures(model: Model, sets: dict[str, list[Instance]], held_out: str) -> list[str]:
    scores = {name: found for (name, rule), found in measure(model, sets).items() if rule == "as in use"}
    wwsi, semeval = (np.array(list(scores[name].values())) for name in ("WWSI", "SemEval-2010"))
    return [
        str(model.n_senses - len(model.vocabulary)),
        f"{model.info['training']['live_senses']:.3f}",
        f"{model.log_likelihood(held_out):.4f}",
        f"{wwsi[:, 0].mean():.4f}",
        f"{wwsi[:, 1].mean():.1f}",
        f"{semeval[: len(semeval) // 2, 0].mean():.4f}",
    ]


if __name__ == "__main__":
    main()
