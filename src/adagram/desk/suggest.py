"""Senses that an editor may want to merge, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from adagram.model import Model
from adagram.model.neighbours import nearest

LEAST_COSINE = 0.5
NEIGHBOURS = 10


@dataclass(frozen=True)
class Suggestion:
    word: str
    first: str  # numbers of the two senses
    second: str
    cosine: float
    shared: list[str]  # words that are near to both

    @property
    def reason(self) -> str:
        near = f"; both near {', '.join(self.shared)}" if self.shared else ""
        return f"their vectors have a cosine of {self.cosine:.2f}{near}"


def suggest_merges(model: Model, top: int = 20, word: str | None = None) -> list[Suggestion]:
    """Pairs of senses of one word with like vectors and like neighbours, the most alike first."""
    pairs = sorted(_alike(model, word), reverse=True)[: 5 * top]
    suggestions = [_suggestion(model, cosine, a, b) for cosine, a, b in pairs]
    suggestions.sort(key=lambda s: -(s.cosine + len(s.shared) / NEIGHBOURS))
    return suggestions[:top]


def _alike(model: Model, word: str | None) -> list[tuple[float, int, int]]:
    sizes = np.diff(model.offsets)
    words = [model.vocabulary.id(word)] if word is not None else np.flatnonzero(sizes > 1).tolist()
    pairs = []
    for w in words:
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        unit = model.vectors[rows] / np.maximum(model.arrays["norms"][rows], 1e-12)[:, None]
        cosines = unit @ unit.T
        for a, b in combinations(range(rows.stop - rows.start), 2):
            if cosines[a, b] >= LEAST_COSINE:
                pairs.append((float(cosines[a, b]), rows.start + a, rows.start + b))
    return pairs


def _suggestion(model: Model, cosine: float, a: int, b: int) -> Suggestion:
    around = [model.names(rows) for rows, _ in nearest(model, np.array([a, b]), NEIGHBOURS, 1.0)]
    words = [[name.rpartition("#")[0] for name in names] for names in around]
    shared = [word for word in dict.fromkeys(words[0]) if word in words[1]]
    (word, _, first), (_, _, second) = (name.rpartition("#") for name in model.names([a, b]))
    return Suggestion(word, first, second, cosine, shared)
