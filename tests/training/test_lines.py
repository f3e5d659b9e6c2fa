"""Windows stay inside lines, unless the paper's way is asked for or the text is one line."""

from __future__ import annotations

import numpy as np
import pytest

import adagram
from adagram.config import read_options

ALGORITHMS = ("adagram", "skipgram", "skipgram-ns", "mpsg", "mssg", "np-mssg")


def train(lines: list[list[str]], **options: object) -> adagram.Model:
    given = {"dim": 16, "min_count": 1, "threads": 1, "epochs": 5, "window": 10, "subsample": 0, "seed": 3}
    return adagram.train(lines, **{"algorithm": "skipgram", **given, **options})


def shuffled_lines() -> list[list[str]]:
    """Five words of one of twenty topics in each line, the lines in random order."""
    draw = np.random.default_rng(0)
    return [[f"t{topic}x{i}" for i in draw.integers(0, 6, size=5)] for topic in draw.integers(0, 20, size=3000)]


def share_of_own_topic(model: adagram.Model) -> float:
    """Of the five nearest words of each word, how many are of its topic."""
    own = [
        near.name.partition("x")[0] == word.partition("x")[0]
        for word in model.vocabulary.words
        for near in model.neighbours(f"{word}#0", 5)
    ]
    return sum(own) / len(own)


def test_other_lines_are_not_context_by_default() -> None:
    lines = shuffled_lines()
    inside, across = train(lines), train(lines, respect_boundaries=False)
    assert inside.log_likelihood("t3x1 t3x2 t3x3 t3x4 t3x5") > across.log_likelihood("t3x1 t3x2 t3x3 t3x4 t3x5")
    assert share_of_own_topic(inside) > 0.95
    assert share_of_own_topic(inside) >= share_of_own_topic(across)


def test_one_endless_line_is_read_as_in_the_paper() -> None:
    line = [[word for line in shuffled_lines()[:300] for word in line]]
    inside, across = train(line), train(line, respect_boundaries=False)
    assert np.array_equal(inside.vectors, across.vectors)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_default_is_the_same_for_every_algorithm_and_the_paper_has_its_own(algorithm: str) -> None:
    assert read_options({"algorithm": algorithm})[0].respect_boundaries
    assert not read_options({"preset": "paper", "algorithm": algorithm})[0].respect_boundaries
