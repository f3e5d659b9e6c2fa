"""Held-out likelihood of models that were trained with different windows, asked with the same one.

    python benchmarks/heldout.py TEXT MODEL [MODEL…]

The text is thinned as in training (1e-4), by a fixed seed and by each model's own vocabulary: compare models of one
vocabulary. Contexts are the five nearest words on each side that are left.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from adagram import load
from adagram.model import Model
from adagram.paper.schedule import keep_probability
from common import write_result

WINDOW, SUBSAMPLE = 5, 1e-4


def thinned(model: Model, text: Path) -> np.ndarray:
    """The known words of a text, without most of the frequent ones."""
    with text.open(encoding="utf-8") as lines:
        ids = np.concatenate([model.vocabulary.ids(model.tokenize(line)) for line in lines]).astype(np.int32)
    keep = keep_probability(model.vocabulary.counts, SUBSAMPLE)
    return np.asarray(ids[np.random.default_rng(0).random(len(ids)) < keep[ids]])


def line(name: str, text: Path) -> str:
    model = load(name)
    config = {**model.config.to_dict(), "window": WINDOW}
    asked = Model(model.arrays, model.vocabulary, {**model.info, "config": config})
    words = thinned(model, text)
    per_word = asked.predictor.likelihood(words).per_word
    return f"  {Path(name).name:<36}{model.config.window:>8}{len(words):>12}{per_word:>12.4f}"


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    head = f"nats per context word, windows of {WINDOW}\n  {'model':<36}{'trained':>8}{'words':>12}{'likelihood':>12}"
    write_result("heldout", "\n".join([head, *(line(name, Path(sys.argv[1])) for name in sys.argv[2:])]))


if __name__ == "__main__":
    main()
