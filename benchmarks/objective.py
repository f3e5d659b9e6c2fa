"""The objective of a run beside the likelihood of fixed text: the same lines in the order of the text, and shuffled.

    python benchmarks/objective.py [WORDS]

Lines have 20 words, and windows stay inside them, so the two runs see the same windows. Writes results/objective.tsv.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.paper.schedule import keep_probability
from adagram.training.checkpoint import Saving
from adagram.training.progress import Progress, Stop
from adagram.training.run import Run, Sample
from adagram.training.workers import Chunks, Threads
from common import RESULTS, encoded_prefix, held_out_ids, machine

LINE, POINTS = 20, 20


def cut(corpus: EncodedCorpus, is_shuffled: bool) -> EncodedCorpus:
    """Return the corpus in lines of LINE words."""
    n = len(corpus.tokens) // LINE * LINE
    lines = np.asarray(corpus.tokens[:n]).reshape(-1, LINE)
    if is_shuffled:
        lines = np.random.default_rng(0).permutation(lines)
    ends = (np.arange(1, len(lines) + 1) * LINE).astype(np.uint64)
    return replace(corpus, tokens=lines.reshape(-1), ends=ends, folder=None)


def rows(corpus: EncodedCorpus, order: str) -> Iterator[str]:
    config = TrainConfig(epochs=4, threads=1, merge_senses=False).resolve(len(corpus.tokens))
    run = Run(corpus, config, Threads(corpus, config, Chunks()), Saving(None), report_seconds=0.0)
    Sample.MAX_SHARE = np.inf  # always
    sample = Sample(corpus, config, lambda: run.model(*run.workers.system.arrays()))
    keep = keep_probability(corpus.vocabulary.counts, config.subsample)
    held = held_out_ids(corpus, 60_000).astype(np.int32)
    held = held[np.random.default_rng(0).random(len(held)) < keep[held]]
    found: list[str] = []
    objectives: list[float] = []

    def report(progress: Progress) -> None:
        objectives.append(progress.objective)
        if progress.words >= progress.total * (len(found) + 1) / POINTS:
            likelihood = run.model(*run.workers.system.arrays()).predictor.likelihood(held).per_word
            figures = (progress.rate, np.mean(objectives), sample.measure(is_last=True), likelihood)
            found.append("\t".join([order, str(progress.words), *(f"{figure:.4f}" for figure in figures)]))
            objectives.clear()

    run.begin()
    run.train(report, Stop())
    yield from found


def main() -> None:
    corpus = encoded_prefix(int(sys.argv[1]) if len(sys.argv) > 1 else 700_000)
    lines = [f"# {machine()}", "order\twords\trate\tobjective\tlikelihood of the sample\theld-out likelihood"]
    for order in ("text", "shuffled"):
        lines += rows(cut(corpus, order == "shuffled"), order)
    (RESULTS / "objective.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
