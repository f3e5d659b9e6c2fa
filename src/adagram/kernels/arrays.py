"""The arrays that kernels work on, grouped by what they describe."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adagram.kernels.simd import WIDTH
from adagram.types import F32, I32, I64, Floats

CACHE_LINE = 64


class Span(NamedTuple):
    """A piece of text ready for training: token i has the context left[i]:right[i] without i itself."""

    tokens: I32
    left: I32
    right: I32
    rates: F32  # ρ of each token
    count_rates: F32  # λ of each token; the same array in a first run
    first: int
    last: int
    positions: I64  # of each token in the run; random numbers are keyed by it, so a resumed run is exact
    shifts: I32  # of each token: how far its lane's copies of the hot output rows are from these


class Senses(NamedTuple):
    """The senses of all words. Row w is the first sense of word w; next_row links to the next stick, or is -1."""

    vectors: F32  # (capacity, padded dim)
    counts: Floats  # (capacity,) n_wk
    next_row: I32  # (capacity,)
    pending: Floats  # (n_words,) the count of all unborn sticks, which have no vector
    totals: Floats  # (n_words,) n_w


class Nodes(NamedTuple):
    """The distinct output rows of a window, or of all windows of a block: nodes of the tree, or words."""

    slots: I32  # (n_nodes,) place of a node in `rows`
    rows: I64  # (max nodes,)
    visit_marks: I64  # (max nodes,) visits by the contexts of all centres, 16 bits each
    left_marks: I64  # (max nodes,) those that turn left
    visits: F32  # (BLOCK, max nodes) how many paths of each centre's window pass the node
    lefts: F32  # (BLOCK, max nodes) how many of them turn left there
    scales: F32  # (max nodes,) see `row_scales`
    row_scales: F32  # (n_output_rows,) a row is kept divided by its scale; see `systems.base.OutputRows`
    ends: I64  # (BLOCK,) each centre's nodes are among the first so many
    lengths: I64  # (BLOCK,) steps on the paths of each context


class Moves(NamedTuple):
    """The active senses of a block: those that their window updates."""

    vectors: F32  # (slots, padded dim) as before the block
    steps: F32  # (slots, max nodes) g: the factor of the sense vector in the update of each node
    grads: F32  # (slots, padded dim)
    rows: I64  # (slots,) sense rows
    ends: I64  # (slots,) `ends` of its centre
    begins: I64  # (BLOCK + 1,) the first of each centre's


class Work(NamedTuple):
    """Scratch space of one thread, which trains on single tokens or on blocks (`adagram.kernels.block`)."""

    centres: I64  # (BLOCK,) the tokens of the block
    begins: I64  # (BLOCK + 1,) the first of each centre's live senses
    nodes: Nodes
    moves: Moves
    vectors: F32  # (slots, padded dim) of all live senses
    live_rows: I64  # (slots,) their sense rows
    dots: F32  # (slots, max nodes)
    slopes: F32  # (max senses, max nodes) of one centre, as what follows
    sense_rows: I64  # (max senses,)
    sense_counts: Floats  # (max senses,)
    sense_rates: F32  # (max senses,)
    after: Floats  # (max senses + 1,) counts of a sense and all after it
    posterior: Floats  # (max senses + 1,)
    shares: Floats  # (max senses,) of each stick among the unborn ones
    spare: I64  # (2,) the next free sense row, and the end of this thread's range
    dim: int
    tally: Floats  # (5,) sums in the order of TALLY


BLOCK = 4  # tokens that are trained at a time; eight were not faster
MAX_BIRTHS = 64  # new senses of a block; its first token may have more
BLOCK_SPAN = 256  # positions of a run; no block crosses a multiple of it
# Sums over the trained tokens: the bound, context words, tokens, live senses, new senses.
TALLY = ("bound", "contexts", "tokens", "live", "births")
BOUND, CONTEXTS, TOKENS, LIVE, BIRTHS = range(len(TALLY))


def padded(dim: int) -> int:
    return -(-dim // WIDTH) * WIDTH


def aligned(shape: tuple[int, int]) -> F32:
    """Return zeros that start at a cache line."""
    size = 4 * shape[0] * shape[1]
    raw = np.zeros(size + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + size].view(np.float32).reshape(shape)


def make_work(n_words: int, dim: int, max_senses: int, max_nodes: int, row_scales: F32) -> Work:
    wide, n_slots = padded(max_nodes) + WIDTH, BLOCK * max_senses
    nodes = Nodes(
        slots=np.zeros(n_words, np.int32),
        rows=np.zeros(wide, np.int64),
        visit_marks=np.zeros(wide, np.int64),
        left_marks=np.zeros(wide, np.int64),
        visits=aligned((BLOCK, wide)),
        lefts=aligned((BLOCK, wide)),
        scales=np.ones(wide, np.float32),
        row_scales=row_scales,
        ends=np.zeros(BLOCK, np.int64),
        lengths=np.zeros(BLOCK, np.int64),
    )
    moves = Moves(
        vectors=aligned((n_slots, padded(dim))),
        steps=aligned((n_slots, wide)),
        grads=aligned((n_slots, padded(dim))),
        rows=np.zeros(n_slots, np.int64),
        ends=np.zeros(n_slots, np.int64),
        begins=np.zeros(BLOCK + 1, np.int64),
    )
    return Work(
        centres=np.zeros(BLOCK, np.int64),
        begins=np.zeros(BLOCK + 1, np.int64),
        nodes=nodes,
        moves=moves,
        vectors=aligned((n_slots, padded(dim))),
        live_rows=np.zeros(n_slots, np.int64),
        dots=aligned((n_slots, wide)),
        slopes=aligned((max_senses, wide)),
        sense_rows=np.zeros(max_senses, np.int64),
        sense_counts=np.zeros(max_senses, np.float64),
        sense_rates=np.zeros(max_senses, np.float32),
        after=np.zeros(max_senses + 1, np.float64),
        posterior=np.zeros(max_senses + 1, np.float64),
        shares=np.ones(max_senses, np.float64),
        spare=np.zeros(2, np.int64),
        dim=dim,
        tally=np.zeros(len(TALLY), np.float64),
    )
