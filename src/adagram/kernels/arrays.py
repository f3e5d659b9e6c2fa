"""The arrays that kernels work on, grouped by what they describe."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.arrays import F32, I32, I64, Floats
from adagram.kernels.lanes import LANES


class Tree(NamedTuple):
    """Huffman paths; a step is 2·node + 1 where the path turns left, 2·node where it turns right."""

    steps: I32
    offsets: I64  # (n_words + 1,)


class Span(NamedTuple):
    """A stretch of text ready for training: token i has the context left[i]:right[i] without i itself."""

    tokens: I32
    owned: I32  # number of each token's word among those whose senses are here; -1: it is trained elsewhere
    left: I32
    right: I32
    rates: F32  # learning rate of each token, by its place in the whole run
    first: int
    last: int
    places: I64  # place of each token in the whole run: random numbers are keyed by it, so that a resumed run is exact
    # How many times as far output rows are moved: the tokens that each token here stands for.
    reach: np.float32


class Senses(NamedTuple):
    """The senses of the words owned here, which are numbered from 0.

    Row w is the first sense of word w; next_row links to the following stick or is -1.
    """

    vectors: F32  # (capacity, padded dim)
    counts: Floats  # (capacity,) n_wk
    next_row: I32  # (capacity,)
    pending: Floats  # (n_words,) the count of all sticks that have no vector yet
    totals: Floats  # (n_words,) n_w


class Hot(NamedTuple):
    """Output rows below `size` are private to a thread: it finds them `shift` rows further on."""

    size: int
    shift: int


class Work(NamedTuple):
    """Scratch space of one thread."""

    slots: I32  # (n_nodes,) place of a node in `rows`
    rows: I64  # (max nodes,) output rows of the window's distinct nodes
    visits: F32  # (max nodes,) how many paths of the window pass the node
    lefts: F32  # (max nodes,) how many of them turn left there
    dots: F32  # (max senses, max nodes)
    slopes: F32  # (max senses, max nodes)
    grads: F32  # (max senses, padded dim)
    sense_rows: I64  # (max senses,)
    active: I64  # (max senses,) senses that the window moves
    sense_counts: Floats  # (max senses,)
    after: Floats  # (max senses + 1,) counts of a sense and all after it
    posterior: Floats  # (max senses + 1,)
    spare: I64  # (2,) the next free sense row, and the end of this thread's range
    dim: int
    tally: Floats  # (5,) sums in the order of TALLY


# What the kernels sum up over the tokens that they train: the bound, context words, tokens, live senses, births.
TALLY = ("bound", "contexts", "tokens", "live", "births")
BOUND, CONTEXTS, TOKENS, LIVE, BIRTHS = range(len(TALLY))


def padded(dim: int) -> int:
    return -(-dim // LANES) * LANES


def make_work(n_words: int, dim: int, max_senses: int, max_nodes: int) -> Work:
    wide = padded(max_nodes) + LANES
    return Work(
        slots=np.zeros(n_words, np.int32),
        rows=np.zeros(wide, np.int64),
        visits=np.zeros(wide, np.float32),
        lefts=np.zeros(wide, np.float32),
        dots=np.zeros((max_senses, wide), np.float32),
        slopes=np.zeros((max_senses, wide), np.float32),
        grads=np.zeros((max_senses, padded(dim)), np.float32),
        sense_rows=np.zeros(max_senses, np.int64),
        active=np.zeros(max_senses, np.int64),
        sense_counts=np.zeros(max_senses, np.float64),
        after=np.zeros(max_senses + 1, np.float64),
        posterior=np.zeros(max_senses + 1, np.float64),
        spare=np.zeros(2, np.int64),
        dim=dim,
        tally=np.zeros(len(TALLY), np.float64),
    )
