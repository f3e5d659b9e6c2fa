"""What training on a cluster costs: a model of one round, and a simulator that plays all rounds of a run.

A worker scans every word, trains those that it owns, gives away the output rows that it changed, merges its share of
them and takes the merged ones. A round ends when the slowest worker has done so. In a round there are several short
ones, after which only the hot rows are merged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adagram.cluster.merge import FEW_STEPS, MOST_USED
from adagram.cluster.pace import ClusterPace
from adagram.cluster.share import LONGEST_REACH, MERGERS
from adagram.systems.base import HOT_ROWS
from adagram.types import Floats

RATE = 0.0125  # learning rate, on average
PULL = (
    0.15  # largest eigenvalue of a worker's curvature: 0.15 times that of its sense vectors, which is about 1
)


@dataclass(frozen=True)
class Costs:
    """Seconds of one core."""

    train: float  # per word of the corpus, all of its work
    scan: float  # per word of the corpus, also if another worker trains it
    handle: float  # per byte of output rows, to take them out or to put them in place
    merge: float  # per byte of output rows given to a merger
    turn: float  # per float and dimension of a row that is turned into the axes of a curvature and back
    axes: float  # per cubed dimension, to find the axes of a curvature
    send: float  # per byte from one worker to another
    call: float  # per short round: calls, waiting, the driver
    jitter: float  # standard deviation of a worker's time for a round, as a share of it


@dataclass(frozen=True)
class Text:
    """What a corpus and its vocabulary mean for the cost."""

    node_shares: Floats  # (n_rows,) how many of a word's path pass each output row, per word of the corpus
    window: int
    row_bytes: int

    @property
    def width(self) -> int:
        return self.row_bytes // 4


@dataclass(frozen=True)
class Run:
    words_per_second: float
    bytes_per_word: float  # sent by all workers together
    round_seconds: float
    waiting: float  # share of the time in which the average worker does not train


def touched(text: Text, n_words: Floats | float) -> Floats:
    """Expected number of output rows that so many words of text pass."""
    n = np.atleast_1d(np.asarray(n_words, dtype=np.float64))
    return np.array([float(np.sum(-np.expm1(-k * text.node_shares))) for k in n])


def round_bytes(text: Text, shares: Floats, n_words: int) -> tuple[Floats, Floats]:
    """For each worker the bytes of rows it gives and takes in a round of n_words words."""
    covered = 1.0 - (1.0 - np.minimum(shares, 1.0)) ** (2 * text.window)  # words near an owned one
    sizes, places = np.unique(np.round(n_words * covered), return_inverse=True)
    given = touched(text, sizes)[places] * text.row_bytes
    taken = np.full(len(shares), touched(text, float(n_words))[0] * text.row_bytes)
    return given, taken


def round_words(n_workers: int) -> int:
    """Words of the corpus in a round, where the corpus is large."""
    return ClusterPace().round_of(10**12, n_workers)


def turned(text: Text, n: int) -> float:
    """Rows of a round in which so many steps are taken that their changes are turned before they are added."""
    steps = RATE * min(n, LONGEST_REACH) * round_words(n) / n * 2 * text.window * text.node_shares
    return float(np.sum(steps * PULL > FEW_STEPS))


def simulate(
    costs: Costs, text: Text, shares: Floats, n_rounds: int, n_cores: int | None = None, seed: int = 0
) -> Run:
    """Play `n_rounds` rounds; `shares` (n_workers,) are the workers' shares of the work, by division of the words.

    Without `n_cores` every worker has a core of its own; else the workers share so many.
    """
    draw = np.random.default_rng(seed)
    n = len(shares)
    n_words = round_words(n)
    given, taken = round_bytes(text, shares, n_words)
    n_short = len(list(ClusterPace().short_rounds(0, n_words, n)))
    hot = (n_short - 1) * min(HOT_ROWS, len(text.node_shares))
    given, taken = given + hot * text.row_bytes, taken + hot * text.row_bytes
    curving = costs.turn * MOST_USED * text.width**2 + 2 * costs.axes * text.width**3
    turning = (n + 1) * (hot + turned(text, n)) * costs.turn * text.width**2
    if n == 1:
        given, taken, n_short, curving = np.zeros(1), np.zeros(1), 1, 0.0
    n_mergers = min(n, MERGERS)
    is_merger = np.arange(n) < n_mergers
    merging = np.where(is_merger, costs.merge * given.sum() + (turning if n > 1 else 0.0), 0.0) / n_mergers
    elsewhere = 1.0 - is_merger / n_mergers  # share of the rows that other workers merge
    sent = float(np.sum(given * elsewhere) + np.sum(taken * elsewhere))
    rows = costs.handle * (given + taken) + merging + curving
    network = costs.send * (given + taken) * elsewhere
    seconds, trained = 0.0, 0.0
    for _ in range(n_rounds):
        slow = np.maximum(0.2, 1.0 + costs.jitter * draw.standard_normal(n))
        work = n_words * (costs.scan + costs.train * shares) * slow
        seconds += _wall(work, n_cores) + _wall(rows + network, n_cores) + n_short * costs.call
        trained += float(np.mean(n_words * costs.train * shares))
    per_round = seconds / n_rounds
    cores = n if n_cores is None else min(n, n_cores)
    busy = trained * n / cores / seconds
    return Run(n_words / per_round, sent / n_words, per_round, 1.0 - busy)


def _wall(work: Floats, n_cores: int | None) -> float:
    """When the last worker is done: each has a core, or `n_cores` are shared among them."""
    slowest = float(work.max())
    return slowest if n_cores is None else max(slowest, float(work.sum()) / n_cores)
