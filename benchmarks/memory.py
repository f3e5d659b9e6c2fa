"""Peak memory of training: 100,000 words, dim 300, up to 30 senses; a dense table would be 3.6 GB."""

from __future__ import annotations

import resource

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.training.checkpoint import Saving
from adagram.training.progress import Progress
from adagram.training.run import train_encoded
from common import write_result

N_WORDS, N_TOKENS = 100_000, 3_000_000


def zipf() -> EncodedCorpus:
    draw = np.random.default_rng(0)
    chances = 1.0 / np.arange(1, N_WORDS + 1)
    ids = draw.choice(N_WORDS, size=N_TOKENS, p=chances / chances.sum())
    counts = np.maximum(np.bincount(ids, minlength=N_WORDS), 1)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(N_WORDS, np.int64)
    rank[order] = np.arange(N_WORDS)
    vocabulary = Vocabulary([f"w{i}" for i in range(N_WORDS)], counts[order])
    return EncodedCorpus(rank[ids].astype(np.uint32), np.array([N_TOKENS], np.uint64), vocabulary, "zipf")


def main() -> None:
    corpus = zipf()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peaks: list[float] = []  # while it trains

    def note(progress: Progress) -> None:
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)

    train_encoded(corpus, TrainConfig.from_preset("paper", dim=300, max_senses=30, threads=2), Saving(), note)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    write_result(
        "memory",
        f"{N_WORDS} words, dim 300, max_senses 30, two threads, {N_TOKENS} tokens; peak resident memory in MB\n"
        f"  interpreter, libraries and corpus   {before:6.0f}\n"
        f"  training                            {peaks[-1]:6.0f}\n"
        f"  with the finished model             {peak:6.0f}",
    )


if __name__ == "__main__":
    main()
