"""What a training run asks of a system, and the output rows that all systems share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from adagram.config import TrainConfig
from adagram.kernels.arrays import CONTEXTS, TALLY, Block, Hot, Span, Work, aligned, padded
from adagram.maths.schedule import (
    PAST_OUTPUT,
    PAST_SENSES,
    Limits,
    count_rate,
    most_rate,
    new_share,
)
from adagram.maths.subsampling import keep_probability
from adagram.systems.checks import check_state
from adagram.systems.initial import OUTPUT, SENSES, random_vectors
from adagram.systems.past import Past
from adagram.types import F32, I64, ArrayMap, Arrays, Floats
from adagram.vocabulary import Vocabulary

# How far one update of rate 1 moves a row towards its optimum: at most σ' ≤ 1/4 times the second moment of the sense
# vectors along a direction. With this value lanes learn as many senses as one sequence does (docs/parallel.md).
CURVATURE = 0.5
HOT_ROWS = 512  # output rows that most windows change; each lane has its own copy of them


class Scratch:
    """Scratch arrays of one thread, with its tally."""

    def __init__(self, work: Work | Block) -> None:
        self.work = work

    @property
    def n_contexts(self) -> float:
        """Context words met since the tally was taken."""
        return float(self.work.tally[CONTEXTS])

    def take_tally(self) -> dict[str, float]:
        """Sums since it was taken last, by the names of TALLY."""
        taken = dict(zip(TALLY, self.work.tally.tolist(), strict=True))
        self.work.tally[:] = 0.0
        return taken


class OutputRows:
    """Output vectors: `n_rows` shared ones, then each lane's copy of the hot ones, then a padding row.

    Nearly every window changes the hot rows. If several threads shared them, their cache lines would bounce between the
    cores and updates would be lost. A lane works on its copy; `merge` makes all copies equal again. One lane has none.
    """

    def __init__(self, n_rows: int, config: TrainConfig, visits: Floats) -> None:
        self.n_rows = n_rows
        self._n_lanes = config.lanes or 1
        self.n_hot = min(HOT_ROWS, n_rows) if self._n_lanes > 1 else 0
        self.rows = aligned((n_rows + self._n_lanes * self.n_hot + 1, padded(config.dim)))
        self.visits = visits  # (n_rows,) how often a token's window updates a row

    def hot(self, lane: int) -> Hot:
        return Hot(self.n_hot, self.n_rows + lane * self.n_hot if self.n_hot else 0)

    def set(self, shared: F32) -> None:
        self.rows[: self.n_rows] = shared
        self.spread()

    def spread(self) -> None:
        """Copy the hot rows to every lane."""
        for lane in range(self._n_lanes if self.n_hot else 0):
            start = self.hot(lane).shift
            self.rows[start : start + self.n_hot] = self.rows[: self.n_hot]

    def get(self) -> F32:
        return self.rows[: self.n_rows]

    def state(self) -> Arrays:
        """The rows, and the lanes' copies of the hot ones, which differ between two turns."""
        copies = {"copies": self.rows[self.n_rows : -1]} if self.n_hot else {}
        return {"output": self.get(), **copies}

    def restore(self, state: ArrayMap) -> None:
        self.rows[: self.n_rows] = state["output"]
        if self.n_hot:
            self.rows[self.n_rows : -1] = state["copies"]

    def merge(self, n_trained: int, steps: float, part: int, n_parts: int) -> None:
        """Merge one of n_parts shares of the hot rows, of which n_trained lanes have changed their copies.

        `steps` is tokens times learning rate of a lane.
        """
        if self.n_hot:
            from adagram.kernels.merge import merge_hot_rows

            first, last = (self.n_hot * number // n_parts for number in (part, part + 1))
            moved = CURVATURE * steps * self.visits[: self.n_hot]
            copies = (self.n_rows, self.n_hot, self._n_lanes)
            merge_hot_rows(self.rows, copies, n_trained, moved, first, last)


class System(ABC):
    """A way of learning sense vectors. A run cuts the corpus into spans and calls `train` from its threads.

    A system has the senses of the words it owns: of all, or of a share where several machines train together.
    """

    name: ClassVar[str]
    output: OutputRows

    def __init__(
        self,
        config: TrainConfig,
        vocabulary: Vocabulary,
        totals: Floats,  # (n_words,) n_w: occurrences that training will see in an epoch
        owned: I64 | None = None,  # ids of the words it owns, rising; None: all
        past: Past | None = None,  # of the model it goes on from
    ) -> None:
        self.config = config
        self.past = past
        self.vocabulary = vocabulary
        self.owned = np.arange(len(vocabulary)) if owned is None else owned
        self.totals = totals[self.owned]

    @abstractmethod
    def start(self) -> None:
        """Set the state to its initial values, or to those of the past."""

    def start_output(self) -> None:
        """Random output rows; where there is a past, its own, and zeros for what is new."""
        if self.past is None:
            random_vectors(np.arange(self.output.n_rows), self.config, OUTPUT, self.output.get())
            self.output.spread()
        else:
            self.output.set(self.past.output_of(self.output.n_rows))

    def start_vectors(self) -> F32:
        """A random vector for each owned word; where there is a past, its own for the words that it had."""
        vectors = random_vectors(self.owned, self.config, SENSES)
        if self.past is not None:
            known = self.past.sticks_of(self.owned)
            vectors[known.words] = known.vectors  # of the one sense that they have
        return vectors

    def limits(self) -> Limits | None:
        """Of the rates of all words, where there is a past."""
        if self.past is None:
            return None
        old, new = self._uses(self.past)
        keep = keep_probability(self.vocabulary.counts, self.config.subsample)
        passes = self.config.epochs
        return Limits(most_rate(passes * keep * (old + new)), count_rate(keep * old, keep * new, passes))

    def _uses(self, past: Past) -> tuple[I64, I64]:
        """Of each word of the vocabulary in the past's text and in the new one."""
        counts = np.asarray(self.vocabulary.counts)
        old = np.append(past.counts, np.zeros(len(counts) - past.n_words, np.int64))
        return old, counts - old

    @abstractmethod
    def state(self) -> Arrays:
        """All arrays that a checkpoint must hold; `restore` takes them back."""

    def restore(self, arrays: ArrayMap) -> None:
        """Go on from a state; one that cannot be of this system is refused before anything is changed."""
        check_state(arrays, self.state(), self.most_senses)
        self.take_state(arrays)

    @property
    def most_senses(self) -> int:
        """Senses that a word can have."""
        return self.config.max_senses

    @abstractmethod
    def take_state(self, arrays: ArrayMap) -> None:
        """The arrays of `state`, checked."""

    @abstractmethod
    def scratch(self) -> Scratch: ...

    @abstractmethod
    def train(self, span: Span, scratch: Scratch, lane: int = 0) -> int:
        """Train a lane on the span's tokens; return span.last, or the token before which it needs room."""

    def output_rows_of(self, present: NDArray[np.bool_]) -> I64:
        """The output rows that contexts of the words `present` (n_words,) can have changed, rising."""
        return np.arange(self.output.n_rows)

    def usage(self) -> Floats:
        """How many of the tokens fall to each row of the state's `vectors`."""
        return self.totals

    def make_room(self, scratch: Scratch) -> bool:
        """Called by a thread that stopped early; False when all threads must stop for `grow`."""
        raise AssertionError(f"{self.name} never needs room")

    def grow(self) -> None:  # noqa: B027 (most systems have a fixed size)
        """Called while no thread is training: make room for more senses."""

    def model_arrays(self) -> Arrays:
        """The learned model: see `adagram.model.storage` for the names and shapes.

        Where there is a past, its rows are joined with those of this run, by the uses that each has learned from.
        """
        arrays, past = self.trained_arrays(), self.past
        if past is None:
            return arrays
        old, new = self._uses(past)
        shares = new_share(old, new, PAST_SENSES)
        output_shares = new_share(self.output_uses(old), self.output_uses(new), PAST_OUTPUT)
        return past.joined(arrays, self.owned, shares, output_shares)

    @abstractmethod
    def trained_arrays(self) -> Arrays:
        """The arrays of `model_arrays` as this run has left them."""

    def output_uses(self, counts: I64) -> Floats:
        """How often each output row is changed by contexts that have each word so many times."""
        return np.asarray(counts, np.float64)

    def rest_arrays(self) -> Arrays:
        """What else must be kept to go on from the model: see `adagram.model.rest`; nothing for most systems."""
        return {}
