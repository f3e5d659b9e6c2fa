"""Example lines of each sense of a word: the occurrences in an encoded corpus with the highest posteriors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.context import Weighted

Answer = dict[str, Any]

MAX_OCCURRENCES = 2_000  # of a word, disambiguated to find the clearest
CHUNK = 1 << 20  # tokens searched at a time
WORDS_AROUND = 12  # shown on each side


class Concordance:
    """Finds a word in an encoded corpus and sorts its occurrences by sense."""

    def __init__(self, model: Model, corpus: EncodedCorpus) -> None:
        self.model, self.corpus = model, corpus
        index = model.vocabulary.index
        # Model ids of the corpus's words, -1 for those that the model does not know.
        self.model_ids = np.array([index.get(w, -1) for w in corpus.vocabulary.words], dtype=np.int64)

    def examples(self, word: str, top: int) -> list[list[Answer]]:
        """Return up to `top` lines for each sense, highest posterior first."""
        model, w = self.model, self.model.vocabulary.id(word)
        lines: list[list[Answer]] = [[] for _ in range(int(model.offsets[w + 1] - model.offsets[w]))]
        places = self._occurrences(word).tolist()
        bounds = [self._bounds(place) for place in places]
        contexts = [self._context(place, *bound) for place, bound in zip(places, bounds, strict=True)]
        posteriors = model.predictor.posteriors(np.full(len(places), w), contexts)
        seen: set[tuple[str, str]] = set()
        for i in sorted(range(len(places)), key=lambda i: (-posteriors[i].max(), -len(contexts[i].ids), i)):
            sense = int(posteriors[i].argmax())
            if len(lines[sense]) >= top:
                continue
            line = self._line(places[i], *bounds[i], float(posteriors[i][sense]))
            if (line["left"], line["right"]) not in seen:
                seen.add((line["left"], line["right"]))
                lines[sense].append(line)
        return lines

    def _occurrences(self, word: str) -> NDArray[np.int64]:
        """Return all places of a rare word; of a frequent one those in chunks from all over the corpus."""
        if word not in self.corpus.vocabulary:
            return np.empty(0, np.int64)
        found, n, tokens = [], 0, self.corpus.tokens
        wanted = np.uint32(self.corpus.vocabulary.index[word])
        starts = np.arange(0, len(tokens), CHUNK)
        for start in np.random.default_rng(0).permutation(starts).tolist():
            found.append(np.flatnonzero(tokens[start : start + CHUNK] == wanted) + start)
            n += len(found[-1])
            if n >= MAX_OCCURRENCES:
                break
        places = np.sort(np.concatenate(found))
        return (
            places[np.linspace(0, n - 1, MAX_OCCURRENCES).astype(np.int64)] if n > MAX_OCCURRENCES else places
        )

    def _bounds(self, place: int) -> tuple[int, int]:
        """Return start and stop of the sentence or document around a place."""
        ends = self.corpus.ends
        # searchsorted converts a Python integer to float64 beside uint64 ends, copying them all.
        i = int(np.searchsorted(ends, np.uint64(place), side="right"))
        start = int(ends[i - 1]) if i > 0 else 0
        stop = int(ends[i]) if i < len(ends) else len(self.corpus.tokens)
        if not start <= place < stop <= len(self.corpus.tokens):
            raise InputError(f"the encoded corpus is damaged: a sentence goes from {start} to {stop}")
        return start, stop

    def _tokens(self, start: int, stop: int) -> NDArray[np.uint32]:
        """Return word ids; no kernel checks them, so ids beyond the vocabulary are refused here."""
        tokens = self.corpus.tokens[start:stop]
        if len(tokens) and int(tokens.max()) >= len(self.model_ids):
            raise InputError(f"the encoded corpus is damaged: it has no word {int(tokens.max())}")
        return tokens

    def _context(self, place: int, start: int, stop: int) -> Weighted:
        return self.model.context.around(place, start, stop, lambda a, b: self.model_ids[self._tokens(a, b)])

    def _line(self, place: int, start: int, stop: int, probability: float) -> Answer:
        words = self.corpus.vocabulary.words
        begin, end = max(start, place - WORDS_AROUND), min(stop, place + 1 + WORDS_AROUND)
        shown = [words[token] for token in self._tokens(begin, end).tolist()]
        at = place - begin
        left, right = " ".join(shown[:at]), " ".join(shown[at + 1 :])
        return {"left": left, "match": shown[at], "right": right, "probability": probability}
