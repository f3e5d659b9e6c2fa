"""What a person waits for: help, opening a model, neighbours, a stream of contexts."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import adagram
from adagram.config import TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.arrays import padded
from adagram.model import Model
from adagram.paper.softmax import huffman
from adagram.systems.base import model_of_senses
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, median, write_result

N_WORDS, N_SENSES, DIM = 100_000, 150_000, 300


def random_model() -> Model:
    draw = np.random.default_rng(0)
    vectors = np.zeros((N_SENSES, padded(DIM)), np.float32)
    vectors[:, :DIM] = draw.normal(size=(N_SENSES, DIM))
    counts = np.sort(draw.zipf(1.3, N_WORDS).clip(20, 10**6))[::-1]
    vocabulary = Vocabulary([f"w{i}" for i in range(N_WORDS)], counts)
    sizes = np.ones(N_WORDS, np.int64)
    sizes[: N_SENSES - N_WORDS] += 1
    offsets = np.append(0, sizes.cumsum())
    priors = 1.0 / np.repeat(sizes, sizes)
    arrays = model_of_senses(vectors, offsets, np.full(N_SENSES, 50.0), priors, np.ones(N_SENSES, bool))
    tree = huffman(vocabulary.counts)
    output = draw.normal(size=(N_WORDS, padded(DIM))).astype(np.float32)
    arrays |= {"output": output, "steps": tree.steps, "paths": tree.offsets}
    return Model(arrays, vocabulary, {"format": 1, "config": TrainConfig.from_preset("paper", dim=DIM).to_dict()})


def timed(run: Callable[[], object], repeats: int = 9) -> list[float]:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return seconds


def contexts_per_second() -> float:
    corpus = encoded_prefix(1_000_000)
    model = train_encoded(
        corpus, TrainConfig.from_preset("paper", dim=100, subsample=1e-4, epochs=2), Saving(), lambda progress: None
    )
    words, several = model.vocabulary.words, np.diff(model.offsets) > 1
    places = np.flatnonzero(several[corpus.tokens])[:50_000]
    lines = []
    for i in places.tolist():
        around = [*corpus.tokens[max(0, i - 5) : i], *corpus.tokens[i + 1 : i + 6]]
        lines.append(f"{words[corpus.tokens[i]]}\t{' '.join(words[t] for t in around)}\n")
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        command = [sys.executable, "-m", "adagram", "disambiguate", str(Path(folder) / "model"), "-"]
        small = min(
            timed(lambda: subprocess.run(command, input="".join(lines[:10]), text=True, capture_output=True), 3)
        )
        whole = min(timed(lambda: subprocess.run(command, input="".join(lines), text=True, capture_output=True), 3))
    return len(lines) / (whole - small)


def main() -> None:
    lines = ["seconds, median of nine (warm disk cache)"]
    helped = timed(lambda: subprocess.run([sys.executable, "-m", "adagram", "--help"], capture_output=True))
    lines.append(f"  adagram --help                                     {median(helped):.3f}")
    with tempfile.TemporaryDirectory() as folder:
        random_model().save(folder + "/model")
        size = (Path(folder) / "model" / "model.safetensors").stat().st_size / 1e6
        opened = timed(lambda: adagram.load(folder + "/model"))
        lines.append(f"  load, {size:.0f} MB, {N_WORDS} words                       {median(opened):.3f}")
        model = adagram.load(folder + "/model")
        model.neighbours("w5#0")
        near = timed(lambda: model.neighbours("w7#0"))
        lines.append(f"  neighbours among {N_SENSES} senses of dim {DIM}           {median(near):.4f}")
    lines.append("")
    lines.append(f"disambiguate - (stream, dim 100, words with several senses): {contexts_per_second():.0f} contexts/s")
    write_result("latency", "\n".join(lines))


if __name__ == "__main__":
    main()
