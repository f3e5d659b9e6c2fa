"""Proof that a change of the code changed no model: hashes of what every algorithm learns with one thread.

    python benchmarks/same_models.py --write before.json      # on the old commit
    python benchmarks/same_models.py --compare before.json    # on the new one; exit code 1 where a model differs

The text is made here: topics with words of their own, common words with Zipf's frequencies, and words that are planted
in several topics. Compiled kernels round as the processor and the compiler do, so hashes are compared on one machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import adagram
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from common import machine

N_TOKENS = 300_000
SENTENCE, TOPICS, TOPIC_WORDS, COMMON_WORDS, PLANTED = 12, 12, 150, 1200, 40
BASE = {"dim": 20, "window": 4, "alpha": 1.0, "threads": 1, "seed": 3}
RUNS: dict[str, dict[str, Any]] = {
    "adagram": {},
    "adagram, the default alpha": {"alpha": 0.1},
    "adagram, two epochs": {"epochs": 2},
    "adagram, subsampled": {"subsample": 1e-3},
    "adagram, shrinking windows": {"shrink_windows": True},
    "adagram, windows inside sentences": {"respect_boundaries": True},
    "adagram, all of these": {"subsample": 1e-3, "shrink_windows": True, "respect_boundaries": True},
    "skipgram": {"algorithm": "skipgram"},
    "skipgram, shrinking windows": {"algorithm": "skipgram", "shrink_windows": True},
    "skipgram-ns": {"algorithm": "skipgram-ns", "subsample": 1e-3},
    "skipgram-ns, all words": {"algorithm": "skipgram-ns"},
    "mpsg": {"algorithm": "mpsg"},
    "mssg": {"algorithm": "mssg", "multi_sense_words": 500},
    "np-mssg": {"algorithm": "np-mssg", "multi_sense_words": 500, "new_sense_below": 0.1},
}
RAY_RUNS: dict[str, dict[str, Any]] = {
    "adagram, one Ray worker": {"ray": True, "workers": 1},
    "adagram, two Ray workers": {"ray": True, "workers": 2, "epochs": 2},
    "np-mssg, two Ray workers": {"ray": True, "workers": 2} | RUNS["np-mssg"],
}


def text(seed: int = 0) -> Iterator[list[str]]:
    """Sentences of one topic each; a third of the words are common ones."""
    draw = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, COMMON_WORDS + 1)
    own = 1.0 / np.arange(1, TOPIC_WORDS + 1)
    for _ in range(N_TOKENS // SENTENCE):
        topic = int(draw.integers(TOPICS))
        words = [f"t{topic}w{i}" for i in draw.choice(TOPIC_WORDS, SENTENCE, p=own / own.sum())]
        for place in np.flatnonzero(draw.random(SENTENCE) < 1 / 3):
            words[place] = f"c{draw.choice(COMMON_WORDS, p=common / common.sum())}"
        planted = int(draw.integers(PLANTED))
        if topic % 3 == planted % 3:  # each planted word has a third of the topics
            words[int(draw.integers(SENTENCE))] = f"planted{planted}"
        yield words


def digest(model: adagram.Model) -> str:
    """Of all arrays with their names, types and shapes."""
    found = hashlib.sha256()
    for name in sorted(model.arrays):
        array = np.ascontiguousarray(model.arrays[name])
        found.update(f"{name} {array.dtype} {array.shape}\n".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def hashes(runs: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="adagram-same-") as folder:
        corpus = Path(folder) / "encoded"
        encode(text(), corpus, EncodeOptions(min_count=1))
        for number, (name, options) in enumerate(runs.items()):
            output = Path(folder) / str(number)
            base = {name: value for name, value in BASE.items() if name != "alpha" or "algorithm" not in options}
            adagram.train(corpus, output, **base | options)
            model = adagram.load(output)
            yield name, digest(model)
            print(f"{name}: {model.n_senses} senses", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="write the hashes to this file")
    parser.add_argument("--compare", type=Path, help="compare with the hashes of this file")
    parser.add_argument("--ray", action="store_true", help="train with Ray workers as well")
    arguments = parser.parse_args()
    before = json.loads(arguments.compare.read_text())["models"] if arguments.compare else {}
    found, differs = {}, False
    for name, value in hashes(RUNS | RAY_RUNS if arguments.ray else RUNS):
        found[name] = value
        same = "" if not before else "same" if before.get(name) == value else "DIFFERS"
        differs = differs or same == "DIFFERS"
        print(f"{value}  {name}  {same}".rstrip(), flush=True)
    if arguments.write:
        arguments.write.write_text(json.dumps({"made": machine(), "models": found}, indent=1) + "\n")
    sys.exit(int(differs))


if __name__ == "__main__":
    main()
