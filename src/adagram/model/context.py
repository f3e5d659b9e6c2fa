"""The context of a word in use: which words around it count, and how much. There is no other definition.

A context is the known words of the same line, text or document; unknown words are dropped first, and words are spelled
as the model's corpus was (`Model.tokenize`). Training with `subsample` saw frequent words rarely and therefore reached
further, so here a word counts by the probability with which training kept it, and each side reaches outwards until its
weights add up to the window. The word that crosses the limit counts with what is left of it: a full side always weighs
exactly the window, as in training. Without subsampling these are the nearest `window` words, each with weight one.

The word itself is not part of its context. Its place is known from `Sides`, from a lone _ in its place, or because the
text has the word; of several such places the one nearest to the middle of the text counts, and the others are context.
A text without a place is context as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.languages import make_lemmatizer
from adagram.corpus.tokenize import Tokenizer, TokenizerConfig, make_tokenizer
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.model.arguments import checked_text, listed
from adagram.options import IntRange, OneOf, checked, spelled
from adagram.paper.schedule import keep_probability
from adagram.types import I32, Floats

CONTEXT_WEIGHTS = ("kept", "none")
WINDOW = IntRange(1, 10**9)
MARK = "_"  # stands for the word in a text around it
_LONE_MARK = re.compile(rf"(?<!\S){MARK}(?!\S)")
_TEXT = "a text (str) or a list of words"
_WHAT = "a text (str), a list of words, or Sides"


class Weighted(NamedTuple):
    """The words of one context, with how much each of them counts."""

    ids: I32
    weights: Floats


@dataclass(frozen=True)
class Sides:
    """The text on either side of a word, each as a text (str) or a list of words."""

    left: str | Iterable[str]
    right: str | Iterable[str]


OneContext = str | Iterable[str] | Sides  # a text, words, or both sides of a place


def read_context(context: Any, name: str = "context") -> str | list[str] | Sides:
    """Return one context in one of its three forms; a generator is read. Anything else is refused.

    >>> read_context(word for word in ("new", "iphone"))
    ['new', 'iphone']
    """
    if isinstance(context, str):
        return context
    if isinstance(context, Sides):
        left, right = (read_context(side, f"a side of {name}") for side in (context.left, context.right))
        if isinstance(left, Sides) or isinstance(right, Sides):
            raise InputError(f"{name} has Sides inside Sides; a side is a text (str) or a list of words")
        return Sides(left, right)
    words = listed(context, name, _WHAT)
    for word in words:
        if not isinstance(word, str):
            raise InputError(
                f"{name} has an item of type {type(word).__name__} in it; a context is {_WHAT}, and "
                "disambiguate_batch takes a list of contexts"
            )
    return words


class Words:
    """The vocabulary of a model, and its tokenizer."""

    def __init__(self, vocabulary: Vocabulary, config: TokenizerConfig) -> None:
        self.vocabulary, self._config = vocabulary, config

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return make_tokenizer(self._config, self.vocabulary.index)

    def tokenize(self, text: str | Iterable[str]) -> list[str]:
        """Cut a text into words; a list of words stays as it is, but for lemmas, see `Model.tokenize`."""
        if isinstance(text, str):
            return self._tokenizer(text)
        words, index = listed(text, "text", _TEXT), self.vocabulary.index
        for word in words:
            if not isinstance(word, str) or (word not in index and len(word.split()) > 1):
                checked_text(word, "a word of the text", _TEXT)
                raise InputError(
                    f"{spelled(word)} has white space in it and stands in a list of words; a list of str is the words "
                    "of one text: give a text as a str, and many of them one by one or to disambiguate_batch"
                )
        if not self._config.lemmas:
            return words
        lemma = make_lemmatizer(self._config.lemmas, bool(self._config.fold_case))
        return [word if word in index else lemma(word) for word in words]

    def find(self, word: str) -> str | None:
        """Return a word as the vocabulary spells it, None if it is not there."""
        if word in self.vocabulary:
            return word
        tokens = self.tokenize(word)
        return tokens[0] if len(tokens) == 1 and tokens[0] in self.vocabulary else None

    def known(self, word: str) -> str:
        """Return the same; an unknown word is an UnknownWordError with near spellings."""
        found = self.find(checked_text(word, "word"))
        if found is None:
            tokens = self.tokenize(word)
            raise self.vocabulary.unknown(word, tokens[0] if len(tokens) == 1 else word)
        return found


class Context:
    """From words and places to weighted contexts, for one model.

    context_weights: "kept", each word by its probability of being kept in training, or "none", the paper's: each counts
        one.
    window: the weight of a full side; the model's own if it is None.
    """

    def __init__(
        self, words: Words, config: TrainConfig, context_weights: str = "kept", window: int | None = None
    ) -> None:
        context_weights = checked(context_weights, "context_weights", OneOf(CONTEXT_WEIGHTS))
        window = None if window is None else checked(window, "window", WINDOW)
        self._vocabulary, self._tokenize = words.vocabulary, words.tokenize
        self._subsample = config.subsample if context_weights == "kept" else 0.0
        self.context_weights, self.window = context_weights, window or config.window

    @cached_property
    def weights(self) -> Floats:
        """How much each word of the vocabulary counts, (n_words,)."""
        return keep_probability(self._vocabulary.counts, self._subsample)

    def of(self, context: OneContext, word: str = "", name: str = "context") -> Weighted:
        """Return the known words of a context of `word`, as the vocabulary spells it, with their weights.

        All words of a context without a place, else those on each side that the window takes. Messages call it `name`.
        """
        context = read_context(context, name)
        if isinstance(context, Sides):
            return self.sides(self.ids(context.left), self.ids(context.right))
        tokens = self._tokens(context)
        place = self._place(tokens, word)
        find = self._vocabulary.ids
        return self.bag(find(tokens)) if place is None else self.sides(find(tokens[:place]), find(tokens[place + 1 :]))

    def _tokens(self, context: str | list[str]) -> list[str]:
        """Return the words of a context, with marks of places."""
        if not isinstance(context, str) or MARK in self._vocabulary:
            return self._tokenize(context)
        first, *rest = _LONE_MARK.split(context)
        return self._tokenize(first) + [token for part in rest for token in (MARK, *self._tokenize(part))]

    def _place(self, tokens: list[str], word: str) -> int | None:
        """Return the place of a word in a text: the one nearest to the middle, the first of two equally near."""
        own = MARK if MARK in tokens and MARK not in self._vocabulary else word
        if own not in tokens:
            return None
        places = [i for i, token in enumerate(tokens) if token == own]
        return min(places, key=lambda i: abs(2 * i - (len(tokens) - 1)))

    def ids(self, text: str | Iterable[str]) -> I32:
        """Return the ids of the known words of a text or of a list of words."""
        return self._vocabulary.ids(self._tokenize(text))

    def bag(self, ids: I32) -> Weighted:
        """Return all of these words, for a context given without a place."""
        return Weighted(ids, self.weights[ids])

    def sides(self, left: I32, right: I32) -> Weighted:
        """Return the context of a place between two stretches of text."""
        before, after = self._outwards(left[::-1]), self._outwards(right)
        ids = np.concatenate([before.ids[::-1], after.ids])
        return Weighted(ids, np.concatenate([before.weights[::-1], after.weights]))

    def _outwards(self, ids: I32) -> Weighted:
        """Return one side, nearest word first, as far as its weights fit into the window."""
        weights = self.weights[ids]
        room = self.window - (weights.cumsum() - weights)  # (n,) what the nearer words have left
        n = int((room > 0).sum())
        return Weighted(ids[:n], np.minimum(weights[:n], room[:n]))
