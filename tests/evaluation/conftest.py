"""A sense model small enough to foresee its answers, and the folder of real data sets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from adagram.model import Sides


@dataclass(frozen=True)
class FakeSense:
    name: str


class FakeModel:
    """A sense is a set of clues: its posterior ∝ 1 + 9 · (context words among the clues)."""

    def __init__(self, clues: dict[str, list[set[str]]], words: Sequence[str] = ()) -> None:
        self._clues = {**{w: [set()] for w in words}, **clues}
        known = dict.fromkeys(self._clues)
        known |= {w: None for senses in clues.values() for sense in senses for w in sorted(sense)}
        self.vocabulary = dict.fromkeys(known)
        self.window = 5
        self.seen: list[list[str]] = []  # the contexts it was asked about

    def tokenize(self, text: str) -> list[str]:
        return text.lower().replace(",", " ").replace(".", " ").split()

    def senses(self, word: str, top: int = 0) -> list[FakeSense]:
        return [FakeSense(f"{word}#{k}") for k in range(len(self._clues.get(word, [set()])))]

    def disambiguate(self, word: str, context: Sequence[str]) -> NDArray[np.float64]:
        senses = self._clues.get(word, [set()])
        scores = np.array([1.0 + 9.0 * sum(w in clue for w in context) for clue in senses])
        return scores / scores.sum()

    def using(self, context_weights: str = "kept", window: int | None = None) -> FakeModel:
        self.window = window or self.window
        return self

    def disambiguate_batch(
        self, words: Sequence[str], contexts: Sequence[Sequence[str] | Sides]
    ) -> list[NDArray[np.float64]]:
        nearest = [self._nearest(context) for context in contexts]
        self.seen += nearest
        return [self.disambiguate(w, c) for w, c in zip(words, nearest, strict=True)]

    def _nearest(self, context: Sequence[str] | Sides) -> list[str]:
        if not isinstance(context, Sides):
            return list(context)
        return [*context.left[-self.window :], *context.right[: self.window]]


@pytest.fixture
def bank_model() -> FakeModel:
    return FakeModel({"bank": [{"money", "loan"}, {"river", "water"}]}, words=["the", "near"])


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets named by ADAGRAM_DATA; tests that need it are skipped without it."""
    folder = os.environ.get("ADAGRAM_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("ADAGRAM_DATA names no folder with data sets")
    return Path(folder)
