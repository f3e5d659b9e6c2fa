"""What all systems share: the interface to a run, random initial vectors, output rows, the Huffman tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adagram.config import ALGORITHMS, TrainConfig
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.kernels.arrays import BLOCK, TALLY, Senses, Span, Work, aligned, make_work, padded
from adagram.paper.softmax import Huffman, huffman
from adagram.types import F32, I64, ArrayMap, Arrays, Floats

SENSES, OUTPUT, CENTRES = 0, 1, 2  # tables of random vectors
DRAWN = 1024  # rows drawn at a time
_TINY = 1e-12


def random_vectors(n: int, config: TrainConfig, table: int, out: F32 | None = None) -> F32:
    """Section 3.1: return the first n rows of a table of Uniform(-0.5/D, 0.5/D), padded with zeros.

    `out` is zeros to be filled.
    """
    vectors = np.zeros((n, padded(config.dim)), np.float32) if out is None else out
    draw = np.random.Generator(np.random.Philox(key=[config.seed, table]))
    for start in range(0, n, DRAWN):
        block = draw.random((min(DRAWN, n - start), config.dim), dtype=np.float32) - np.float32(0.5)
        vectors[start : start + len(block), : config.dim] = block / np.float32(config.dim)
    return vectors


def model_of_senses(
    vectors: F32,
    offsets: I64,
    counts: Floats,
    priors: Floats,
    keep: NDArray[np.bool_],
    rows: I64 | None = None,  # of each sense in `vectors`, unless they are in order
) -> Arrays:
    """Return the arrays of the senses to keep, with the likeliest of every word; priors sum to one per word."""
    n_words = len(offsets) - 1
    words = np.repeat(np.arange(n_words), np.diff(offsets))
    keep = with_likeliest(offsets, priors, keep)
    sizes = np.bincount(words[keep], minlength=n_words)
    mass = np.bincount(words[keep], priors[keep], minlength=n_words)
    kept = vectors[np.flatnonzero(keep) if rows is None else rows[keep]]
    return {
        "vectors": kept,
        "norms": np.sqrt(np.einsum("ij,ij->i", kept, kept, dtype=np.float64)).astype(np.float32),
        "offsets": np.append(0, sizes.cumsum()).astype(np.int64),
        "counts": counts[keep].astype(np.float64),
        "priors": priors[keep] / mass[words[keep]],
    }


def with_likeliest(offsets: I64, priors: Floats, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `keep` with the likeliest sense of every word."""
    words = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keep = keep.copy()
    keep[np.lexsort((-priors, words))[offsets[:-1]]] = True  # the first of equal ones
    return keep


# Output rows that most windows change; each lane has its own copy of them. The number is odd: with 128 the copies of a
# row are whole pages apart, in the same set of the first cache, and merging them takes four times as long.
HOT_ROWS = 127
MIN_USES = 1e-6  # rows that are used less often are of one kind


def merge_weight(uses: Floats, of_sum: Floats, of_changes: Floats, n: Floats) -> F32:
    """Return the share of the summed changes to apply to each row that n workers have changed from the same state.

        row ← row + Σ Δ_i / (1 + (n-1) ρ),    ρ = Σ_rows (|Σ Δ_i|² - Σ |Δ_i|²) / Σ_rows (n-1) Σ |Δ_i|²

    ρ is the agreement of the changes, over all rows that are used about as often. Changes that have nothing in common,
    as those of rare rows, are added up. Changes that agree, as those of rows that every token changes, are averaged: in
    one sequence the second change would have been small after the first. So rows move as far as in one sequence.
    `of_sum` is |Σ Δ_i|² of each row, `of_changes` Σ |Δ_i|².
    """
    kinds = np.floor(np.log2(np.maximum(uses, MIN_USES))).astype(np.int64)
    kinds -= kinds.min(initial=0)
    common, most = np.bincount(kinds, of_sum - of_changes), np.bincount(kinds, (n - 1) * of_changes)
    agreement = np.clip(np.divide(common, most, out=np.zeros_like(most), where=most > 0), 0.0, 1.0)
    return np.asarray(1.0 / (1.0 + (n - 1) * agreement[kinds]), np.float32)


def take_tally(scratch: Work) -> dict[str, float]:
    """Return the sums of a thread since the last call, by the names of TALLY."""
    taken = dict(zip(TALLY, scratch.tally.tolist(), strict=True))
    scratch.tally[:] = 0.0
    return taken


class OutputRows:
    """Output vectors: `n_rows` shared ones, then each lane's copy of the hot ones, then a padding row.

    Nearly every window changes the hot rows. If several threads shared them, their cache lines would bounce between the
    cores and updates would be lost. A lane works on its copy, until `merge`; a single lane has none.

    A row that is updated v times by a token learns with the rate ρ r, r = min(1, row_limit / v). At one rate for all, a
    hot row would follow the few tokens before the present one, and what surprises it would create senses. Kernels have
    one rate for both sides of a product, so a row is kept as out / √r and its products are multiplied by √r: both
    sides then move as they should.
    """

    def __init__(self, n_rows: int, config: TrainConfig, visits: Floats) -> None:
        """`visits`, (n_rows,), are how often a token updates each row."""
        self.n_rows = n_rows
        self._n_lanes = config.lanes or 1
        self.n_hot = min(HOT_ROWS, n_rows) if self._n_lanes > 1 else 0
        # How far the copies of each lane are from the hot rows.
        self.shifts = (n_rows + self.n_hot * np.arange(self._n_lanes, dtype=np.int32)) * (self.n_hot > 0)
        self.rows = aligned((n_rows + self._n_lanes * self.n_hot + 1, padded(config.dim)))
        limit = config.row_limit if config.uses("row_limit") else 0.0
        rates = np.minimum(1.0, limit / np.maximum(visits, _TINY)) if limit else np.ones(n_rows)
        self.visits = visits * rates
        self._squares = np.zeros((2, self.n_hot))  # |Σ Δ_i|² and Σ |Δ_i|² of the hot rows
        self.scales = np.ones(len(self.rows), np.float32)
        self.scales[:n_rows] = np.sqrt(rates)
        self.scales[n_rows:-1] = np.tile(self.scales[: self.n_hot], self._n_lanes)

    def set(self, learned: F32) -> None:
        self.rows[: self.n_rows] = learned / self.scales[: self.n_rows, None]
        self.spread()

    def learned(self) -> F32:
        """Return the output vectors."""
        return self.get() * self.scales[: self.n_rows, None]

    def spread(self) -> None:
        """Copy the hot rows to every lane."""
        if self.n_hot:
            self.rows[self.n_rows : -1] = np.tile(self.rows[: self.n_hot], (self._n_lanes, 1))

    def get(self) -> F32:
        """Return the rows as they are kept, divided by their scales."""
        return self.rows[: self.n_rows]

    def state(self) -> Arrays:
        return {"output": self.get()}

    def merge(self, n_trained: int) -> None:
        """Merge the hot rows, of which n_trained lanes have changed their copies."""
        from adagram.kernels.rows import measure_changes, merge_hot_rows

        if self.n_hot and n_trained:
            copies = (self.n_rows, self.n_hot, self._n_lanes)
            measure_changes(self.rows, copies, self._squares)
            of_sum, of_changes = self._squares
            n = np.full(self.n_hot, float(n_trained))
            weights = merge_weight(self.visits[: self.n_hot], of_sum, of_changes, n)
            merge_hot_rows(self.rows, copies, weights)


class System(ABC):
    """An algorithm that learns sense vectors. A run cuts the corpus into spans and calls `train` from its threads."""

    name: ClassVar[str]
    output: OutputRows

    def __init__(self, config: TrainConfig, vocabulary: Vocabulary, totals: Floats) -> None:
        """`totals`, (n_words,), are n_w: the occurrences that training will see in an epoch."""
        self.config, self.vocabulary, self.totals = config, vocabulary, totals

    @property
    def n_words(self) -> int:
        return len(self.vocabulary)

    @abstractmethod
    def start(self) -> None:
        """Set the state to its initial values."""

    def start_output(self) -> None:
        """Set the output rows to random values."""
        random_vectors(self.output.n_rows, self.config, OUTPUT, self.output.get())
        self.output.spread()

    @abstractmethod
    def state(self) -> Arrays:
        """Return all arrays that a checkpoint needs, as views: `restore` writes into them."""

    def restore(self, arrays: ArrayMap) -> None:
        """Set the state."""
        self.make_rows(len(arrays.get("counts", ())))
        for name, array in self.state().items():
            array[:] = arrays[name]
        self.output.spread()

    def make_rows(self, n: int) -> None:  # noqa: B027 (most systems have a fixed size)
        """Have n sense rows, before `restore` fills them."""

    @property
    def max_senses(self) -> int:
        """Senses that a word can have."""
        return self.config.max_senses

    @abstractmethod
    def scratch(self) -> Work:
        """Allocate the scratch space of a thread."""

    @abstractmethod
    def train(self, span: Span, scratch: Work) -> int:
        """Train on the span's tokens; return span.last, or the token before which it needs room."""

    def make_room(self, scratch: Work) -> bool:
        """Reserve rows for a thread that stopped early; return False if all threads must stop for `grow`."""
        raise AssertionError(f"{self.name} never needs room")

    def grow(self) -> None:  # noqa: B027 (most systems have a fixed size)
        """Allocate more sense rows, while no thread is training."""

    @property
    def stride(self) -> int:
        """The first sense of word w is row stride · w of `linked_senses`."""
        return 1

    def linked_senses(self) -> Senses:
        """Return the senses as linked lists: `next_row` leads from each sense of a word to the next."""
        raise AssertionError(f"{self.name} cannot be trained by replicas")

    @abstractmethod
    def arrays(self) -> tuple[Arrays, Arrays]:
        """Return the learned model, see `adagram.model.storage`, and what else continuing it needs."""

    def model_arrays(self) -> Arrays:
        """Return the learned model."""
        return self.arrays()[0]

    def output_uses(self, counts: I64) -> Floats:
        """Return how often each output row is updated if each word is a context word counts[w] times."""
        return np.asarray(counts, np.float64)


class TreeSystem(System):
    """A system whose output rows are the nodes of a Huffman tree."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tree = self.make_tree()
        visits = 2.0 * self.config.window * words_below(self.tree, self.totals / self.totals.sum())
        self.output = OutputRows(self.n_words, self.config, visits)

    def make_tree(self) -> Huffman:
        try:
            return huffman(self.vocabulary.counts)
        except ValueError as error:
            raise InputError(f"the vocabulary is damaged: {error}; encode the corpus again") from None

    def output_uses(self, counts: I64) -> Floats:
        return words_below(self.tree, counts)

    def scratch(self) -> Work:
        nodes = 2 * (self.config.window + BLOCK) * int(np.diff(self.tree.offsets).max())
        return make_work(self.n_words, self.config.dim, self.max_senses, nodes, self.output.scales)

    def tree_arrays(self) -> Arrays:
        return {"output": self.output.learned(), "steps": self.tree.steps, "paths": self.tree.offsets}


def words_below(tree: Huffman, counts: I64 | Floats) -> Floats:
    """Return the sum of the counts of the words below each node, (n_words,); the last entry is unused."""
    per_step = np.repeat(counts, np.diff(tree.offsets))
    return np.bincount(tree.steps >> 1, per_step, minlength=len(counts)).astype(np.float64)


def system_class(algorithm: str) -> type[System]:
    """Return the class of an algorithm."""
    module, name = ALGORITHMS[algorithm].system.split(".")
    found: type[System] = getattr(import_module(f"adagram.systems.{module}"), name)
    return found
