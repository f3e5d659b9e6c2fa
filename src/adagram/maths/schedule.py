"""How the learning rate falls over a run, and what the past weighs where training goes on."""

from __future__ import annotations

import math
from typing import NamedTuple, overload

import numpy as np

from adagram.types import I64, Floats

WEIGHT = 40.0  # of a use where training goes on
# Weight of an old use against a new one, where the old and the new values of a row are joined: senses change less with
# the times than what is said in them.
PAST_SENSES, PAST_OUTPUT = 0.5, 0.16


class Limits(NamedTuple):
    """The highest rates of each word where training goes on, (n_words,)."""

    vectors: Floats
    counts: Floats


@overload
def learning_rate(lr: float, done: float, total: int) -> float: ...
@overload
def learning_rate(lr: float, done: I64, total: int) -> Floats: ...
def learning_rate(lr: float, done: float | I64, total: int) -> float | Floats:
    """Algorithm 1: ρ = λ = lr (1 - i/N), after i of the N tokens of a run (all epochs).

    >>> [learning_rate(0.5, done, 100) for done in (0, 50, 100)]
    [0.5, 0.25, 0.0]
    """
    return lr * (1.0 - done / total)


def most_rate(totals: Floats) -> Floats:
    """The highest rate for a word with n_w uses in all text, where training goes on: WEIGHT/n_w.

    What n_w uses have taught, one more may change by WEIGHT/n_w at most; with 1 it would be the running mean of online
    variational Bayes. In a first run nothing has been taught, and no such limit holds.
    """
    return np.asarray(WEIGHT / np.maximum(totals, 1.0))


def count_rate(old: Floats, new: Floats, passes: int) -> Floats:
    """Return λ of a word for the counts of its senses, if `old` uses have been counted and `new` ones come.

    (1-λ)^(new passes) is the share of the old uses in all. With this λ at every new use, each use has counted once in
    the end: the running mean of online variational Bayes, with one rate for all uses. Without old uses λ is 1.

    Training takes it as it is, whatever the learning rate ρ is; words without old uses have ρ, as in a first run
    (`training.spans`).

    >>> count_rate(np.array([300.0, 0.0]), np.array([100.0, 100.0]), 1).round(5).tolist()
    [0.00287, 1.0]
    """
    old_share = old / np.maximum(old + new, 1.0)
    return np.asarray(1.0 - np.minimum(old_share, 1.0) ** (1.0 / np.maximum(passes * new, 1.0)))


def new_share(old: I64 | Floats, new: I64 | Floats, past: float) -> Floats:
    """The share of a continued run in a row that `old` uses had taught and `new` ones teach: new/(past old + new).

    The natural weights of online variational Bayes are uses; `past` is less than one because the run began where the
    past ended, so that its values speak for the past as well.

    >>> new_share(np.array([1000, 0, 1000]), np.array([200, 100, 0]), past=0.2).tolist()
    [0.5, 1.0, 0.0]
    """
    return np.asarray(new / np.maximum(past * old + new, np.finfo(np.float64).tiny))


def text_growth(past: int, words: int, memory: float = 0) -> float:
    """By how much `words` words make a text of `past` words longer, as a logarithm.

    Where the past counts as `memory` words at most, text that is more than those grows it no longer: then it is the
    number of times that this memory has been filled anew.

    >>> [round(text_growth(1000, words), 2) for words in (0, 284, 1000)], text_growth(1000, 3000, memory=1000)
    ([0.0, 0.25, 0.69], 3.0)
    """
    room = max(memory - past, 0) if memory else words
    anew = (words - room) / memory if words > room else 0.0
    return math.log1p(min(words, room) / past) + anew
