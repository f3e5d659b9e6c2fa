"""Example sentences of all senses at once: clear, of a readable length, from all over the corpus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from adagram.desk.uses import Uses
from adagram.model import Model
from adagram.model.sheet import Example, different_bags

CANDIDATES = 8  # sentences held per sense
SHORT, GOOD_FROM, GOOD_TO, LONG = 4, 8, 28, 60  # words of a sentence
_END = re.compile(r"[.!?…。！？][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-z])")

_SHORTENED = re.compile(r"(?:^|[\s(\"'“‘.])(?:[A-Z]|Messrs|Mrs|Mr|Ms|Dr|St|Prof|Gen|Col|Sen|No|Nos|vs)$")

# text, document, date, known words
_Sentence = tuple[str, str, str, NDArray[np.int32]]


def split_sentences(line: str) -> list[str]:
    """Cut after . ! ? where a capital follows, but not after titles and initials.

    >>> split_sentences('He met Mr. J. Doe in St. Paul. "Why?" Nobody knew, e.g. at 3.14 p.m. today.')
    ['He met Mr. J. Doe in St. Paul.', '"Why?"', 'Nobody knew, e.g. at 3.14 p.m. today.']
    """
    bounds = sentence_bounds(line)
    return [line[a:b].rstrip() for a, b in pairwise(bounds)]


def sentence_bounds(line: str) -> list[int]:
    """Where sentences begin, and the end of the line."""
    cuts = (match.end() for match in _END.finditer(line) if not _is_shortened(line, match.start()))
    return [0, *cuts, len(line)]


def _is_shortened(line: str, stop: int) -> bool:
    """Whether the mark at this place ends a title or an initial, and no sentence."""
    return line[stop] == "." and _SHORTENED.search(line, max(0, stop - 8), stop) is not None


def quality(
    lengths: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """1 for sentences of a good length, less for shorter and longer ones, 0 for those that are no example."""
    return np.interp(lengths, [SHORT, GOOD_FROM, GOOD_TO, LONG], [0.0, 1.0, 1.0, 0.0])


class Examples:
    """Holds the best sentences of every sense; what no sense needs any more is dropped now and then."""

    def __init__(self, model: Model, n: int = CANDIDATES) -> None:
        shape = (model.n_senses, n)
        self._model = model
        self._scores = np.zeros(shape, np.float32)
        self._sentences = np.full(shape, -1, np.int64)
        self._posteriors = np.zeros(shape, np.float32)
        self._held: dict[int, _Sentence] = {}
        self._next, self._sweep_at = 0, 1 << 18

    def add(self, uses: Uses, dates: Sequence[str]) -> None:
        """Offer the sentences of some documents, which have these dates."""
        from adagram.kernels.counting import offer_sentences

        n = len(uses.sentences)
        found = (uses.ids, self._model.offsets, uses.posteriors.places, uses.posteriors.values)
        lengths = np.diff(uses.sentence_ends, prepend=0)
        is_taken = np.zeros(n, bool)
        best = (self._scores, self._sentences, self._posteriors)
        offer_sentences(found, uses.sentence_ends, quality(lengths), self._next, best, is_taken)
        taken = np.flatnonzero(is_taken)
        owners = np.searchsorted(uses.ends, uses.sentence_ends[taken] - 1, side="right")
        ends = uses.sentence_ends[taken]
        begins = ends - lengths[taken]
        places = zip(taken.tolist(), owners.tolist(), begins.tolist(), ends.tolist(), strict=True)
        for s, d, begin, end in places:
            words = uses.ids[begin:end].copy()  # of a part, which would keep the whole
            self._held[self._next + s] = (uses.sentences[s], uses.documents[d].name, dates[d], words)
        self._next += n
        if len(self._held) > self._sweep_at:
            self._sweep()

    def _sweep(self) -> None:
        needed = np.unique(self._sentences[self._sentences >= 0]).tolist()
        self._held = {number: self._held[number] for number in needed}
        self._sweep_at = max(self._sweep_at, 2 * len(self._held))

    def of_sense(self, row: int, n: int, typical: Sequence[int] = ()) -> list[Example]:
        """Up to n examples, no two of them alike: those with one or two `typical` words first, then the best."""
        held, wanted = self._held, set(typical)
        best = zip(
            self._scores[row].tolist(),
            self._sentences[row].tolist(),
            self._posteriors[row].tolist(),
            strict=True,
        )
        candidates = []
        for score, number, posterior in best:
            if number >= 0:
                bag = set(held[number][3].tolist())
                candidates.append((-min(2, len(wanted & bag)), -score, number, posterior, bag))
        candidates.sort(key=lambda candidate: candidate[:3])
        return different_bags((self._example(*candidate[2:]) for candidate in candidates), n)

    def _example(self, number: int, posterior: float, bag: set[int]) -> tuple[Example, set[int]]:
        text, document, date, _ = self._held[number]
        return Example(" ".join(text.split()), document, date, round(posterior, 4)), bag
