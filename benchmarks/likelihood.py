"""Held-out log-likelihood of AdaGram and Skip-gram: 10 M training words, dim 100, 500 k held-out words.

Three seeds with one thread and with two. The gain of a seed is AdaGram's figure less Skip-gram's.
"""

from __future__ import annotations

import statistics
import sys
from typing import NamedTuple

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, held_out_ids, write_result

SEEDS, THREADS = (1, 2, 3), (1, 2)
SYSTEMS = ("skipgram", "adagram")


class Found(NamedTuple):
    per_word: float
    per_context: float
    senses: float  # per word


def main() -> None:
    corpus = encoded_prefix(10_000_000)
    ids = held_out_ids(corpus, 500_000)
    lines = [
        f"{len(corpus.tokens)} training words, vocabulary {len(corpus.vocabulary)}, {len(ids)} held-out words",
        f"log-likelihood per context word of seeds {' '.join(map(str, SEEDS))}; means of them",
        "",
        f"  {'':<22}" + "".join(f"{f'seed {seed}':>10}" for seed in SEEDS) + _row("mean", "context", "senses"),
    ]
    for threads in THREADS:
        found = {name: [trained(corpus, ids, name, threads, seed) for seed in SEEDS] for name in SYSTEMS}
        label = f"{threads} thread{'s' if threads > 1 else ''}"
        lines += [_line(f"{name}, {label}", of_seeds) for name, of_seeds in found.items()]
        gains = [
            Found(*(of_adagram - of_skipgram for of_adagram, of_skipgram in zip(*pair, strict=True)))
            for pair in zip(found["adagram"], found["skipgram"], strict=True)
        ]
        lines.append(_line(f"gain, {label}", gains))
    write_result("likelihood", "\n".join(lines))


def trained(corpus: EncodedCorpus, ids: np.ndarray, algorithm: str, threads: int, seed: int) -> Found:
    config = TrainConfig.from_preset("paper", dim=100, alpha=0.1, algorithm=algorithm, threads=threads, seed=seed)
    model = train_encoded(corpus, config, Saving(), lambda progress: None)
    likelihood = model.predictor.likelihood(ids)
    found = Found(likelihood.per_word, likelihood.per_context, model.n_senses / len(corpus.vocabulary))
    print(f"  {algorithm}, {threads} threads, seed {seed}: {found}", file=sys.stderr, flush=True)
    return found


def _line(label: str, found: list[Found]) -> str:
    means = [statistics.mean(values) for values in zip(*found, strict=True)]
    seeds = "".join(f"{one.per_word:>10.4f}" for one in found)
    return f"  {label:<22}{seeds}" + _row(f"{means[0]:.4f}", f"{means[1]:.3f}", f"{means[2]:.3f}")


def _row(*cells: str) -> str:
    return "".join(f"{cell:>10}" for cell in cells)


if __name__ == "__main__":
    main()
