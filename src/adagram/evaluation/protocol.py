"""The evaluation protocol: the posterior over the senses of a target, from the known words on each side of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.evaluation.wsi_data import Instance, Key
from adagram.model import Model, Sides

Posterior = NDArray[np.floating[Any]]
_PART_OF_SPEECH = re.compile(r"[.-][a-z]$")


@dataclass(frozen=True)
class ContextRule:
    """What of a data set's text is context: stop words are dropped first; the rest is as in `Model.using`.

    ContextRule(5, context_weights="none") is the paper's: the nearest five words on each side, each with weight one.
    """

    window: int | None = None
    stop_words: frozenset[str] = frozenset()
    context_weights: str = "kept"

    def __post_init__(self) -> None:
        if self.window is not None and self.window < 1:
            raise InputError(f"--window {self.window}: at least one word each side is needed")

    def posteriors(
        self, model: Model, words: Sequence[str], contexts: Sequence[Sequence[str] | Sides]
    ) -> Sequence[Posterior]:
        """Posterior over the senses of each word in its context, all in one batch."""
        if not words:
            return []
        return model.using(self.context_weights, self.window).disambiguate_batch(words, contexts)

    def sides(self, model: Model, left: str, right: str) -> Sides:
        """The usable words on both sides of a target; the model decides how far a context reaches."""
        usable = [list(self.usable(model, model.tokenize(side))) for side in (left, right)]
        return Sides(*usable)

    def usable(self, model: Model, tokens: Iterable[str]) -> Iterator[str]:
        """The tokens that the model knows, as they are or in lower case, without the stop words."""
        vocabulary = model.vocabulary
        for token in tokens:
            word = token if token in vocabulary else token.lower()
            if word in vocabulary and word not in self.stop_words:
                yield word


def find_word(model: Model, target: str) -> str | None:
    """The vocabulary word of a target: `access.n`, `access-n` and `access` all look up `access`.

    A target that is itself in the vocabulary is never cut; None if the model does not know the word.
    """
    for form in (target, _PART_OF_SPEECH.sub("", target)):
        tokens = model.tokenize(form)
        for word in (*tokens, form.lower()) if len(tokens) == 1 else ():
            if word in model.vocabulary:
                return word
    return None


@dataclass(frozen=True)
class Disambiguated:
    """Posteriors of the instances whose target the model knows, and the targets it does not know."""

    instances: list[Instance]
    words: list[str]
    posteriors: Sequence[Posterior]
    unknown: list[str]


def disambiguate(model: Model, instances: Iterable[Instance], rule: ContextRule) -> Disambiguated:
    """Posterior over the senses of every instance's target, in one batch."""
    known: list[Instance] = []
    words: list[str] = []
    found: dict[str, str | None] = {}
    for instance in instances:
        if instance.target not in found:
            found[instance.target] = find_word(model, instance.target)
        word = found[instance.target]
        if word is not None:
            known.append(instance)
            words.append(word)
    contexts = [rule.sides(model, instance.left, instance.right) for instance in known]
    posteriors = rule.posteriors(model, words, contexts)
    unknown = [target for target, word in found.items() if word is None]
    return Disambiguated(known, words, posteriors, unknown)


def hard_answers(model: Model, result: Disambiguated) -> Key:
    """Every instance with its most probable sense."""
    return graded_answers(model, result, share=1.0)


def graded_answers(model: Model, result: Disambiguated, share: float = 0.1) -> Key:
    """Every instance with the senses whose posterior is at least `share` of the best one's; with 1 only the best."""
    names = {word: [sense.name for sense in model.senses(word, top=0)] for word in set(result.words)}
    key: Key = {}
    for instance, word, posterior in zip(result.instances, result.words, result.posteriors, strict=True):
        best = int(np.argmax(posterior))
        kept = [best] if share >= 1.0 else np.flatnonzero(posterior >= share * posterior[best]).tolist()
        labels = {names[word][k]: float(posterior[k] / posterior[best]) for k in kept}
        key.setdefault(instance.target, {})[instance.id] = labels
    return key
