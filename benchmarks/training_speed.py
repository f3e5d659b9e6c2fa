"""Words per second of training, by the clock and per second of processor time, beside programs with one sense per word.

The first 3 M words of the corpus (`--words 0`: all of it), min_count 5, window 5, no subsampling; gensim and word2vec.c
are Skip-gram with hierarchical softmax. Reading is not timed, but word2vec.c has no way to leave it out: so beside it
our time with reading is given too. All programs take whole windows; word2vec.c has to be built for it (`b = 0;` in
place of `b = next_random % window;`). Ours has the options of the paper, but for the default number of lanes; "one
lane" has the paper's one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gensim.models import Word2Vec

from adagram.config import LANES, TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, held_out_ids, median, write_result

SENTENCE = 10_000  # gensim's longest
ALL = 10**12  # words: more than any corpus has


class Speed(NamedTuple):
    """Thousand words per second."""

    wall: float
    processor: float


class Stopwatch:
    """Wall and processor time of what is done in a `with`, with that of child processes."""

    def __enter__(self) -> Stopwatch:
        self._start, self._times = time.perf_counter(), os.times()
        return self

    def __exit__(self, *error: object) -> None:
        self.wall = time.perf_counter() - self._start
        self.processor = sum(os.times()[:4]) - sum(self._times[:4])

    def speed(self, n_words: int) -> Speed:
        return Speed(n_words / self.wall / 1000, n_words / self.processor / 1000)


class Sides:
    """The programs, all on the same text."""

    def __init__(self, corpus: EncodedCorpus, text: Path, dim: int) -> None:
        self.corpus, self.text, self.dim = corpus, text, dim
        self.likelihoods: dict[str, float] = {}
        words = [corpus.vocabulary.words[t] for t in corpus.tokens] if len(corpus.tokens) < ALL // 10**5 else []
        self.sentences = [words[i : i + SENTENCE] for i in range(0, len(words), SENTENCE)]

    def ours(self, name: str, reads: bool = False, **options: object) -> Speed:
        with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
            if reads:
                encode(self.text, Path(folder) / "corpus", EncodeOptions(min_count=1, threads=1))
            config = TrainConfig.from_preset("paper", **(options | {"dim": self.dim}))
            model = train_encoded(self.corpus, config, Saving(), lambda progress: None)
        if name not in self.likelihoods:
            self.likelihoods[name] = model.predictor.likelihood(held_out_ids(self.corpus, 200_000)).per_word
        return watch.speed(len(self.corpus.tokens))

    def gensims(self, workers: int) -> Speed:
        model = Word2Vec(
            vector_size=self.dim, window=5, min_count=1, sg=1, hs=1, negative=0, sample=0,
            shrink_windows=False, workers=workers, epochs=1, seed=1,
        )  # fmt: skip
        model.build_vocab(self.sentences)
        with Stopwatch() as watch:
            model.train(self.sentences, total_examples=len(self.sentences), epochs=1)
        return watch.speed(len(self.corpus.tokens))

    def word2vecs(self, program: Path, threads: int) -> Speed:
        options = {"size": self.dim, "window": 5, "cbow": 0, "hs": 1, "negative": 0, "sample": 0, "iter": 1}
        arguments = [str(part) for name, value in options.items() for part in (f"-{name}", value)]
        arguments += ["-threads", str(threads)]
        files = ["-train", str(self.text), "-output", os.devnull, "-min-count", "1", "-binary", "1"]
        with Stopwatch() as watch:
            subprocess.run([program.resolve(), *files, *arguments], check=True, stdout=subprocess.DEVNULL)
        return watch.speed(len(self.corpus.tokens))


def sides_of(sides: Sides, word2vec: Path | None) -> dict[str, Callable[[], Speed]]:
    """What is measured, by name."""

    def ours(name: str, **options: object) -> tuple[str, Callable[[], Speed]]:
        return name, partial(sides.ours, name, **options)

    programs = dict([ours("adagram one lane, 1", threads=1)])
    programs |= dict([ours(f"adagram 30 senses, {n}", threads=n, lanes=LANES) for n in (1, 2)])
    if sides.sentences:
        programs |= {f"gensim, {n}": partial(sides.gensims, n) for n in (1, 2)}
    if word2vec:
        programs |= {f"word2vec.c, {n}": partial(sides.word2vecs, word2vec, n) for n in (1, 2)}
        programs |= dict([ours("adagram with reading, 1", threads=1, reads=True)])
    programs |= dict([ours("skipgram, 1", threads=1, algorithm="skipgram")])
    return programs | dict([ours("adagram 5 senses, 1", threads=1, max_senses=5)])


RATIOS = [
    ("adagram 30 senses, 1", "gensim, 1"),
    ("adagram 30 senses, 2", "gensim, 2"),
    ("adagram with reading, 1", "word2vec.c, 1"),
    ("adagram 30 senses, 2", "word2vec.c, 2"),
    ("skipgram, 1", "gensim, 1"),
    ("adagram 30 senses, 2", "adagram 30 senses, 1"),
    ("adagram 30 senses, 1", "adagram one lane, 1"),
    ("adagram 5 senses, 1", "adagram one lane, 1"),
]


def measure(sides: Sides, word2vec: Path | None, repeats: int) -> list[str]:
    """All programs, round after round; the lines of the table."""
    programs = sides_of(sides, word2vec)
    speeds: dict[str, list[Speed]] = {name: [] for name in programs}
    for _ in range(repeats):
        for name, run in programs.items():
            speeds[name].append(run())
            print(sides.dim, name, *(f"{figure:.0f}" for figure in speeds[name][-1]), file=sys.stderr, flush=True)
    lines = [f"dim {sides.dim}"]
    for name, found in speeds.items():
        each = ", ".join(f"{speed.wall:.0f} ({speed.processor:.0f})" for speed in found)
        quality = f"   held-out log-likelihood {sides.likelihoods[name]:.4f}" if name in sides.likelihoods else ""
        lines.append(f"  {name:<26}{_median(found, 0):6.0f} ({_median(found, 1):.0f})  [{each}]{quality}")
    for name, other in RATIOS:
        if name in speeds and other in speeds:
            wall, processor = (_median(speeds[name], i) / _median(speeds[other], i) for i in (0, 1))
            lines.append(f"  {name + ' / ' + other:<48}{wall:6.2f} ({processor:.2f})")
    return [*lines, ""]


def _median(speeds: list[Speed], which: int) -> float:
    return median([speed[which] for speed in speeds])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=3_000_000, help="of the corpus; 0: all, without gensim")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--word2vec", type=Path, metavar="PATH", help="word2vec.c's program, for its column")
    arguments = parser.parse_args()
    corpus = encoded_prefix(arguments.words or ALL)
    for algorithm in ("adagram", "skipgram"):  # compile
        Sides(encoded_prefix(20_000), Path(), 8).ours("compile", algorithm=algorithm)
    lines = [
        f"{len(corpus.tokens)} words, vocabulary {len(corpus.vocabulary)}, window 5, no subsampling; after",
        "the name the number of threads; thousand words/s, in brackets per second of processor time;",
        f"median of {arguments.repeats}",
        "",
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as text:
        for start in range(0, len(corpus.tokens), SENTENCE):
            words = (corpus.vocabulary.words[t] for t in corpus.tokens[start : start + SENTENCE])
            print(*words, file=text, flush=True)
        for dim in arguments.dims:
            lines += measure(Sides(corpus, Path(text.name), dim), arguments.word2vec, arguments.repeats)
    write_result("training_speed" if arguments.words else "training_speed_all", "\n".join(lines))


if __name__ == "__main__":
    main()
