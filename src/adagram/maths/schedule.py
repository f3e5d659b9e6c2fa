"""How the learning rate falls over a run."""

from __future__ import annotations

from typing import overload

import numpy as np

from adagram.arrays import I64, Floats

WEIGHT = 3.0  # of a use where training goes on


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


def continued_rate(lr: float, new: int, total: int) -> float:
    """The rate at which a run on `new` tokens begins, where they are the last of `total`: lr new/total.

    From there it falls to zero as any, and so is at every token what it would be in one run over all of them.

    >>> continued_rate(0.5, 25, 100) == learning_rate(0.5, 75, 100)
    True
    """
    return lr * new / total


def most_rate(totals: Floats) -> Floats:
    """The highest rate for a word with n_w uses in all text, where training goes on: WEIGHT/n_w.

    What n_w uses have taught, one more may change by WEIGHT/n_w at most; with 1 it would be the running mean of online
    variational Bayes. In a first run nothing has been taught, and no such limit holds.
    """
    return np.asarray(WEIGHT / np.maximum(totals, 1.0))
