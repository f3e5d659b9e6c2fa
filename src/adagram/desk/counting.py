"""How often each sense occurs in each epoch, in one pass and in memory that does not grow with the corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adagram.desk.epochs import Dating, Epoch
from adagram.desk.uses import Uses, each_use
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.kept import KeptTrends, rows_of_learned
from adagram.text.documents import Document
from adagram.types import Floats

LARGEST = 1 << 26  # counts held: 512 MB
SOURCE_CELLS = 1 << 24  # counts held per moment of the sources: with two moments 128 MB


@dataclass(frozen=True)
class Sources:
    """First two moments over time of each sense in each source; sources beyond the room share a place."""

    names: list[str]  # of each place; several joined where they share it
    counts: NDArray[np.float32]  # Σ f, (n_places, n_senses)
    moments: NDArray[np.float32]  # Σ f · t, t in years since `origin`
    words: Floats  # Σ N, (n_places,)
    word_moments: Floats  # Σ N · t
    origin: float


@dataclass(frozen=True)
class Frequencies:
    """Counts of senses in epochs."""

    epochs: list[Epoch]
    counts: Floats  # (n_senses, n_epochs)
    words: Floats  # (n_epochs,) running words, unknown ones too
    documents: int
    sources: Sources | None = None

    @property
    def times(self) -> Floats:
        return np.array([epoch.time for epoch in self.epochs])

    def to_keep(self, model: Model) -> KeptTrends:
        """What figures and the explorer need of it."""
        names = model.names(slice(0, model.n_senses))
        epochs = [epoch.name for epoch in self.epochs]
        return KeptTrends(names, epochs, self.times, self.counts, self.words, rows_of_learned(model))


def count_senses(
    model: Model,
    documents: Iterable[Document],
    dating: Dating,
    hard: bool = False,
    weights: dict[tuple[str, str], float] | None = None,
    threads: int | None = None,
) -> Frequencies:
    """Sense frequencies per epoch; `weights` of (epoch, source) let sources count equally, whatever they wrote."""
    counter = _Counter(model, dating, hard, weights)
    for uses in each_use(model, documents, threads):
        counter.add(uses)
    return counter.result()


def equal_weights(documents: Iterable[Document], dating: Dating) -> dict[tuple[str, str], float]:
    """Weights of (epoch, source) with which all sources of an epoch weigh the same and the epoch as much as before."""
    if dating.source is None:
        raise InputError("sources can weigh the same only where --source names them")
    lengths: dict[str, dict[str, int]] = {}
    for document in documents:
        epoch, source = dating.epoch(document), dating.source_of(document)
        if epoch is not None and source is not None:
            of_epoch = lengths.setdefault(epoch.name, {})
            of_epoch[source] = of_epoch.get(source, 0) + len(document.data)
    dating.bad.clear()  # the second reading counts them again
    return {
        (epoch, source): sum(of_epoch.values()) / len(of_epoch) / max(length, 1)
        for epoch, of_epoch in lengths.items()
        for source, length in of_epoch.items()
    }


class _Counter:
    def __init__(
        self, model: Model, dating: Dating, hard: bool, weights: dict[tuple[str, str], float] | None
    ) -> None:
        self._model, self._dating, self._hard, self._weights = model, dating, hard, weights
        self._slots: dict[Epoch, int] = {}
        self._counts = np.zeros((8, model.n_senses))
        self._words = np.zeros(8)
        self._documents = 0
        self._sources = _SourceCounter(model.n_senses) if dating.source else None

    def add(self, uses: Uses) -> None:
        from adagram.kernels.tally import tally

        n = len(uses.documents)
        slots, weights, places = np.full(n, -1), np.ones(n), np.full(n, -1)
        for d, document in enumerate(uses.documents):
            epoch = self._dating.epoch(document)
            source = self._dating.source_of(document)
            if epoch is None or source is None:
                continue
            slots[d] = self._slot(epoch)
            if self._weights:
                weights[d] = self._weights.get((epoch.name, source), 0.0)
            self._words[slots[d]] += weights[d] * uses.n_words[d]
            self._documents += 1
            if self._sources:
                places[d] = self._sources.place(source, epoch.time, float(uses.n_words[d]))
        found = (uses.ids, uses.ends, self._model.offsets, uses.posteriors.places, uses.posteriors.values)
        tally(found, weights, slots, self._counts, self._hard)
        if self._sources:
            self._sources.add(found, places, self._hard)

    def _slot(self, epoch: Epoch) -> int:
        slot = self._slots.setdefault(epoch, len(self._slots))
        if slot == len(self._counts):
            n = len(self._counts)
            if (slot + 1) * self._counts.shape[1] > LARGEST:
                raise InputError(
                    f"{slot + 1} epochs of {self._counts.shape[1]:,} senses do not fit into memory; "
                    "take a longer --epoch"
                )
            grown = min(2 * n, max(n + 1, LARGEST // self._counts.shape[1]))
            self._counts.resize((grown, self._counts.shape[1]), refcheck=False)
            self._words.resize(grown, refcheck=False)
        return slot

    def result(self) -> Frequencies:
        if not self._slots:
            raise self._dating.nothing_left()
        epochs = sorted(self._slots)
        order = [self._slots[epoch] for epoch in epochs]
        sources = self._sources.result() if self._sources else None
        counts = np.ascontiguousarray(self._counts[order].T)
        return Frequencies(epochs, counts, self._words[order], self._documents, sources)


class _SourceCounter:
    """Σ f and Σ f · t per source and sense; both are sums, so a pass over the documents in any order gives them."""

    def __init__(self, n_senses: int) -> None:
        self._n_places = max(8, SOURCE_CELLS // n_senses)
        self._names: dict[str, int] = {}
        self._counts = np.zeros((8, n_senses), np.float32)
        self._moments = np.zeros((8, n_senses), np.float32)
        self._words, self._word_moments = np.zeros(self._n_places), np.zeros(self._n_places)
        self._origin: float | None = None
        self._times: list[float] = []

    def place(self, source: str, time: float, words: float) -> int:
        if self._origin is None:
            self._origin = time
        place = self._names.setdefault(source, len(self._names) % self._n_places)
        if place >= len(self._counts):
            for array in (self._counts, self._moments):
                array.resize((min(2 * len(array), self._n_places), array.shape[1]), refcheck=False)
        self._words[place] += words
        self._word_moments[place] += words * (time - self._origin)
        self._times.append(time - self._origin)
        return place

    def add(self, found: tuple[NDArray[np.generic], ...], places: NDArray[np.int64], hard: bool) -> None:
        from adagram.kernels.tally import tally

        times = np.zeros(len(places))
        times[places >= 0] = self._times
        self._times.clear()
        tally(found, np.ones(len(places)), places, self._counts, hard)
        tally(found, times, places, self._moments, hard)

    def result(self) -> Sources:
        n = min(len(self._names), self._n_places)
        names = [""] * n
        for name, place in self._names.items():
            names[place] = f"{names[place]}+{name}" if names[place] else name
        return Sources(
            names,
            self._counts[:n],
            self._moments[:n],
            self._words[:n],
            self._word_moments[:n],
            self._origin or 0.0,
        )
