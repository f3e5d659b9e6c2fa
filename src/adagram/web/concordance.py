"""Example lines of each sense of a word: the occurrences in an encoded corpus about which the model is surest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.context import Weighted

EXAMPLE_SAMPLE = 2_000  # occurrences of a word that are disambiguated to find the clearest

_CHUNK = 1 << 20  # tokens searched at a time
_SHOWN = 12  # words shown on each side


@dataclass(frozen=True)
class Line:
    left: str
    match: str
    right: str
    probability: float


class Concordance:
    """Finds a word in the corpus and sorts its occurrences by sense."""

    def __init__(self, model: Model, corpus: EncodedCorpus) -> None:
        self.model, self.corpus = model, corpus
        index = model.vocabulary.index
        # Model ids of the corpus's words, -1 for those that the model does not know.
        self.model_ids = np.array([index.get(w, -1) for w in corpus.vocabulary.words], dtype=np.int64)

    def examples(self, word: str, top: int) -> list[list[Line]]:
        """For each sense up to `top` lines, the surest first."""
        model = self.model
        w = model.vocabulary.id(word)
        lines: list[list[Line]] = [[] for _ in range(int(model.offsets[w + 1] - model.offsets[w]))]
        places = self._occurrences(word)
        bounds = [self._bounds(int(place)) for place in places]
        contexts = [self._context(int(p), *bound) for p, bound in zip(places, bounds, strict=True)]
        posteriors = model.predictor.posteriors(np.full(len(places), w), contexts)
        surest = sorted(
            range(len(places)), key=lambda i: (-posteriors[i].max(), -len(contexts[i].ids), int(places[i]))
        )
        seen: set[tuple[str, str]] = set()
        for i in surest:
            sense = int(posteriors[i].argmax())
            if len(lines[sense]) >= top:
                continue
            line = self._line(int(places[i]), *bounds[i], float(posteriors[i][sense]))
            if (line.left, line.right) not in seen:
                seen.add((line.left, line.right))
                lines[sense].append(line)
        return lines

    def _occurrences(self, word: str) -> NDArray[np.int64]:
        """Places of the word: all of a rare word, of a frequent one those in chunks taken from all over the corpus."""
        wanted = self.corpus.vocabulary.index.get(word)
        tokens = self.corpus.tokens
        if wanted is None:
            return np.empty(0, np.int64)
        starts = np.arange(0, len(tokens), _CHUNK)
        found: list[NDArray[np.int64]] = []
        n = 0
        for start in np.random.default_rng(0).permutation(starts).tolist():
            found.append(np.flatnonzero(tokens[start : start + _CHUNK] == np.uint32(wanted)) + start)
            n += len(found[-1])
            if n >= EXAMPLE_SAMPLE:
                break
        places = np.sort(np.concatenate([*found, np.empty(0, np.int64)]))
        if n > EXAMPLE_SAMPLE:
            places = places[np.linspace(0, n - 1, EXAMPLE_SAMPLE).astype(np.int64)]
        return places

    def _bounds(self, place: int) -> tuple[int, int]:
        """Start and stop of the sentence or document around a place."""
        ends = self.corpus.ends
        # searchsorted converts a Python integer to float64 beside uint64 ends, copying them all.
        i = int(np.searchsorted(ends, np.uint64(place), side="right"))
        start = int(ends[i - 1]) if i > 0 else 0
        stop = int(ends[i]) if i < len(ends) else len(self.corpus.tokens)
        if not start <= place < stop <= len(self.corpus.tokens):
            raise InputError(f"the encoded corpus is damaged: a sentence goes from {start} to {stop}")
        return start, stop

    def _tokens(self, start: int, stop: int) -> NDArray[np.uint32]:
        """Word ids of a stretch; kernels are not in between, so numbers beyond the vocabulary must be seen here."""
        tokens = self.corpus.tokens[start:stop]
        if len(tokens) and int(tokens.max()) >= len(self.model_ids):
            raise InputError(f"the encoded corpus is damaged: it has no word {int(tokens.max())}")
        return tokens

    def _context(self, place: int, start: int, stop: int) -> Weighted:
        return self.model.context.around(place, start, stop, lambda a, b: self.model_ids[self._tokens(a, b)])

    def _line(self, place: int, start: int, stop: int, probability: float) -> Line:
        def text(a: int, b: int) -> str:
            return " ".join(words[t] for t in self._tokens(a, b).tolist())

        words = self.corpus.vocabulary.words
        left = text(max(start, place - _SHOWN), place)
        right = text(place + 1, min(stop, place + 1 + _SHOWN))
        return Line(left, words[int(self.corpus.tokens[place])], right, probability)
