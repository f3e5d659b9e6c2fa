"""The context of a word in use: which words around it count, and how much. There is no other definition.

A context is the known words of the same line, text or document; unknown words are dropped first, and words are spelled
as the model's corpus was (`Model.tokenize`). Training with `subsample` saw frequent words rarely and therefore reached
further, so here a word counts by the probability with which training kept it, and each side reaches outwards until its
weights add up to the window. The word that crosses the limit counts with what is left of it: a full side always weighs
exactly the window, as in training. Without subsampling these are the nearest `window` words, each with weight one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from adagram.arrays import I32, Floats
from adagram.config import TrainConfig
from adagram.errors import InputError
from adagram.maths.subsampling import keep_probability
from adagram.vocabulary import Vocabulary

CONTEXT_WEIGHTS = ("kept", "none")


PLACE = re.compile(r"(?<!\S)_(?!\S)")  # of the word in a text around it


class Weighted(NamedTuple):
    """The words of one context, with how much each of them counts."""

    ids: I32
    weights: Floats


@dataclass(frozen=True)
class Sides:
    """The text on either side of a word, as words or as running text: its place is known, so contexts are bounded."""

    left: str | Sequence[str]
    right: str | Sequence[str]


OneContext = str | Sequence[str] | Sides  # a text, words, or both sides of a place


def is_one_context(context: OneContext | Sequence[OneContext]) -> TypeGuard[OneContext]:
    """Words have no white space, so a list of strings in which some have is a list of texts.

    >>> is_one_context(["new", "iphone"]), is_one_context(["new iphone", "apple pie"])
    (True, False)
    """
    if isinstance(context, str | Sides):
        return True
    return all(isinstance(item, str) and not re.search(r"\s", item) for item in context)


class Context:
    """From words and places to weighted contexts, for one model.

    context_weights: "kept", each word by its probability of being kept in training, or "none", the paper's: each counts
        one.
    window: the weight of a full side; the model's own if it is None.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        config: TrainConfig,
        tokenize: Callable[[str | Sequence[str]], list[str]],
        context_weights: str = "kept",
        window: int | None = None,
    ) -> None:
        if context_weights not in CONTEXT_WEIGHTS:
            known = " or ".join(CONTEXT_WEIGHTS)
            raise InputError(f"context_weights is {context_weights!r}; it must be {known}")
        if window is not None and window < 1:
            raise InputError(f"window is {window}; at least one word on each side is needed")
        self._vocabulary, self._tokenize = vocabulary, tokenize
        self._subsample = config.subsample if context_weights == "kept" else 0.0
        self.context_weights, self.window = context_weights, window or config.window

    @cached_property
    def weights(self) -> Floats:
        """How much each word of the vocabulary counts, (n_words,)."""
        return keep_probability(self._vocabulary.counts, self._subsample)

    def of(self, context: OneContext) -> Weighted:
        """A context given as text or words: its known words with their weights, all of them if it has no place."""
        if isinstance(context, str) and "_" not in self._vocabulary:
            parts = PLACE.split(context)
            context = Sides(*parts) if len(parts) == 2 else context
        if isinstance(context, Sides):
            return self.sides(self.ids(context.left), self.ids(context.right))
        return self.bag(self.ids(context))

    def ids(self, text: str | Sequence[str]) -> I32:
        """The known words of a text or of a list of words."""
        return self._vocabulary.ids(self._tokenize(text))

    def bag(self, ids: I32) -> Weighted:
        """All of these words: for a context given without a place."""
        return Weighted(ids, self.weights[ids])

    def sides(self, left: I32, right: I32) -> Weighted:
        """The context of a place between two stretches of text."""
        before, after = self._outwards(left[::-1]), self._outwards(right)
        ids = np.concatenate([before.ids[::-1], after.ids])
        return Weighted(ids, np.concatenate([before.weights[::-1], after.weights]))

    def around(
        self, place: int, start: int, stop: int, ids_of: Callable[[int, int], NDArray[np.integer]]
    ) -> Weighted:
        """The context of a place in a text between start and stop; ids_of(a, b) gives ids, -1 for an unknown word.

        Only as much of the text is read as the context reaches.
        """

        def side(goes_left: bool) -> I32:
            room = place - start if goes_left else stop - place - 1
            reach = min(room, 4 * self.window)
            while True:
                a, b = (place - reach, place) if goes_left else (place + 1, place + 1 + reach)
                ids = np.asarray(ids_of(a, b))
                known = ids[ids >= 0].astype(np.int32)
                if reach == room or self.weights[known].sum() >= self.window:
                    return known
                reach = min(room, 2 * reach)

        return self.sides(side(True), side(False))

    def _outwards(self, ids: I32) -> Weighted:
        """One side, nearest word first, as far as its weights fit into the window."""
        weights = self.weights[ids]
        room = self.window - (weights.cumsum() - weights)  # (n,) what the nearer words have left
        n = int((room > 0).sum())
        return Weighted(ids[:n], np.minimum(weights[:n], room[:n]))
