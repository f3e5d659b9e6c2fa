"""Words per second of training against gensim's Skip-gram with hierarchical softmax, doing the same work.

The first 3 M words of the corpus, min_count 5, window 5, no subsampling; only training is timed, not reading.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

from gensim.models import Word2Vec

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, held_out_ids, interleaved, median, write_result

SENTENCE = 10_000  # gensim's longest


def ours(corpus: EncodedCorpus, likelihoods: dict[str, float], name: str, **options: object) -> float:
    seconds: list[float] = []
    model = train_encoded(
        corpus,
        TrainConfig.from_dict(options),
        Saving(),
        lambda progress: seconds.append(progress.seconds),
    )
    speed = len(corpus.tokens) / seconds[-1] / 1000
    if name not in likelihoods:
        likelihoods[name] = model.likelihood(held_out_ids(corpus, 200_000)).per_word
    return speed


def gensims(corpus: EncodedCorpus, sentences: list[list[str]], dim: int, workers: int) -> float:
    model = Word2Vec(
        vector_size=dim, window=5, min_count=1, sg=1, hs=1, negative=0, sample=0,
        shrink_windows=False, workers=workers, epochs=1, seed=1,
    )  # fmt: skip
    model.build_vocab(sentences)
    start = time.perf_counter()
    model.train(sentences, total_examples=len(sentences), epochs=1)
    return len(corpus.tokens) / (time.perf_counter() - start) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=3_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 300])
    arguments = parser.parse_args()
    corpus = encoded_prefix(arguments.words)
    words = [corpus.vocabulary.words[t] for t in corpus.tokens]
    sentences = [words[i : i + SENTENCE] for i in range(0, len(words), SENTENCE)]
    ours(encoded_prefix(20_000), {}, "compile", dim=8, threads=1)
    ours(encoded_prefix(20_000), {}, "compile", dim=8, threads=2, algorithm="skipgram")
    lines = [
        f"{len(corpus.tokens)} words, vocabulary {len(corpus.vocabulary)}, window 5, no subsampling; "
        f"thousand words/s, median of {arguments.repeats}; all runs in brackets",
        "",
    ]
    for dim in arguments.dims:
        lines += measure(corpus, sentences, dim, arguments.repeats)
    write_result("training_speed", "\n".join(lines))


def measure(corpus: EncodedCorpus, sentences: list[list[str]], dim: int, repeats: int) -> list[str]:
    quality: dict[str, float] = {}

    def run(name: str, **options: object) -> tuple[str, object]:
        return name, partial(ours, corpus, quality, name, dim=dim, **options)

    sides = dict(
        [
            run("adagram 30 senses, 1 thread", threads=1),
            ("gensim, 1 worker", partial(gensims, corpus, sentences, dim, 1)),
            run("adagram 30 senses, 2 threads", threads=2),
            ("gensim, 2 workers", partial(gensims, corpus, sentences, dim, 2)),
            run("skipgram, 1 thread", threads=1, algorithm="skipgram"),
            run("adagram 5 senses, 1 thread", threads=1, max_senses=5),
        ]
    )
    figures = interleaved(sides, repeats)
    speed = {name: median(values) for name, values in figures.items()}
    lines = [f"dim {dim}"]
    for name, values in figures.items():
        all_runs = ", ".join(f"{value:.0f}" for value in values)
        extra = f"   held-out log-likelihood {quality[name]:.4f}" if name in quality else ""
        lines.append(f"  {name:<30} {speed[name]:6.0f}  [{all_runs}]{extra}")
    ratios = [
        ("adagram / gensim, one thread", "adagram 30 senses, 1 thread", "gensim, 1 worker"),
        ("adagram / gensim, two threads", "adagram 30 senses, 2 threads", "gensim, 2 workers"),
        ("skipgram / gensim, one thread", "skipgram, 1 thread", "gensim, 1 worker"),
        ("two threads / one thread", "adagram 30 senses, 2 threads", "adagram 30 senses, 1 thread"),
        ("time with 30 senses / with 5", "adagram 5 senses, 1 thread", "adagram 30 senses, 1 thread"),
    ]
    lines += [f"  {label:<30} {speed[a] / speed[b]:6.2f}" for label, a, b in ratios]
    return [*lines, ""]


if __name__ == "__main__":
    main()
