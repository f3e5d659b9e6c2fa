"""A user's program: `make wheel` runs it with the installed wheel and checks it by mypy --strict."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

import adagram
from adagram import AdagramError, Model, Sense, TrainConfig

MONEY, WATER = ["money", "loan", "cash", "credit", "deposit"], ["water", "river", "shore", "fish", "boat"]


def sentences(n: int = 3000) -> list[list[str]]:
    """Return lines about money or about water, each with the word "bank"."""
    draw = random.Random(1)
    return [["bank", *draw.choices(draw.choice((MONEY, WATER)), k=8)] for _ in range(n)]


def largest(model: Model, word: str) -> Sense:
    return max(model.senses(word), key=lambda sense: sense.prior)


def main(folder: Path) -> None:
    config = TrainConfig(dim=16, window=5, alpha=0.5, epochs=5, subsample=0.0, threads=1)
    trained = adagram.train(sentences(), folder / "model", config=config, min_count=1)
    model: Model = adagram.load(folder / "model")
    assert model.n_senses == trained.n_senses
    sense = largest(model, "bank")
    names: list[str] = [near.name for near in sense.neighbours]
    posterior = model.disambiguate("bank", ["money", "loan"])
    best: str = posterior.best
    share: float = float(posterior.max())
    vector = model.vector(best)
    length: float = float(np.linalg.norm(vector))
    likelihood: float = model.log_likelihood("money loan bank cash")
    assert names
    assert 0.5 < share <= 1.0
    assert length > 0
    assert likelihood < 0
    assert model.disambiguate("bank", ["river", "fish"]).best != best, "two senses"
    try:
        model.senses("unknown")
    except AdagramError as error:
        print(error)
