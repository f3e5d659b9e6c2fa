"""Which words each of several workers owns: senses have one owner, so nobody disagrees on what a sense means."""

from __future__ import annotations

import heapq

import numpy as np

from adagram.config import TrainConfig
from adagram.types import I64, Floats


def loads(totals: Floats, config: TrainConfig) -> Floats:
    """Expected work for each word, (n_words,): its occurrences times its expected live senses.

    A Dirichlet process with n observations has about 1 + α log(1 + n/α) sticks in use. Frequent words have more, by a
    factor of about 2: with α = 0.1 and 80 M words 3.3 senses at 10,000 occurrences, 5 at 3 million.
    """
    senses = np.ones(len(totals))
    if config.uses("alpha"):
        senses += 2.0 * config.alpha * np.log1p(totals / config.alpha)
        senses = np.minimum(senses, config.max_senses)
    return totals * senses


def divide_words(load: Floats, n_workers: int) -> list[I64]:
    """The words of each worker, rising; every word goes, heaviest first, to the worker with the least load so far."""
    owner = np.empty(len(load), dtype=np.int64)
    workers = [(0.0, number) for number in range(n_workers)]
    for word in np.argsort(-load, kind="stable").tolist():
        total, number = workers[0]
        owner[word] = number
        heapq.heapreplace(workers, (total + float(load[word]), number))
    return [np.flatnonzero(owner == number) for number in range(n_workers)]
