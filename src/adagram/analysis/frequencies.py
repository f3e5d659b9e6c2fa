"""Count the senses per epoch and source, in one pass and in memory that does not grow with the corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.epochs import Dating, Epoch
from adagram.analysis.uses import each_use
from adagram.corpus.documents import Document, make_tokenizers
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.trends import KeptTrends, rows_of_learned
from adagram.types import Floats

MAX_CELLS = 1 << 26  # counts held: 512 MB
MAX_CONTEXT_CELLS = 1 << 25  # context words held: 128 MB
MAX_CONTEXTS = 64  # of a sense
MAX_NEIGHBOURS = 8 * MAX_CONTEXTS  # uses of which only the direct neighbours are held: half as much
MAX_SOURCE_CELLS = 1 << 24  # counts of senses in sources held: 64 MB
MIN_CAPITAL = 0.5  # of the uses of a name
MAX_CAPITALS = 0.25  # of all words; above it capitals do not mark names, as in German and in headlines
# A word after a word or a comma, perhaps in brackets, so not the first of its sentence.
_INSIDE = re.compile(r"(?<=[\w,;] )\(?([^\W\d_](?:[\w'’-]*\w)?)")


@dataclass(frozen=True)
class Contexts:
    """A random sample of the uses of each sense."""

    words: NDArray[np.int32]  # (n_senses, n_kept, 2 * window), -1 beyond the ends of a line
    epochs: NDArray[np.int32]  # (n_senses, n_kept), -1 if there are fewer uses

    @classmethod
    def empty(cls, n_senses: int, window: int, n_kept: int, max_cells: int) -> Contexts:
        n_kept = max(1, min(n_kept, max_cells // (2 * window * n_senses)))
        words = np.full((n_senses, n_kept, 2 * window), -1, np.int32)
        return cls(words, np.full((n_senses, n_kept), -1, np.int32))


@dataclass(frozen=True)
class Frequencies:
    """Counts of senses in epochs."""

    epochs: list[Epoch]
    counts: Floats  # (n_senses, n_epochs)
    words: Floats  # (n_epochs,) running words, unknown ones too
    documents: int
    sources: NDArray[np.int64] | None = None  # (n_senses,) in how many each occurs
    contexts: Contexts | None = None
    neighbours: Contexts | None = None  # the same with the two words directly beside, of more uses
    names: NDArray[np.bool_] | None = None  # (n_words,) which words are names; None if the text does not tell

    @property
    def times(self) -> Floats:
        return np.array([epoch.time for epoch in self.epochs])

    def to_keep(self, model: Model, ranked: Iterable[str] = ()) -> KeptTrends:
        """The part that figures and the explorer need, and the senses that change, in the order of their ranking."""
        return KeptTrends(
            model.names(slice(0, model.n_senses)),
            [epoch.name for epoch in self.epochs],
            self.times,
            self.counts,
            self.words,
            rows_of_learned(model),
            np.array([model.row(sense) for sense in ranked], np.int64),
            np.empty(0, np.bool_) if self.names is None else self.names,
        )


def count_senses(
    model: Model, documents: Iterable[Document], dating: Dating, hard: bool = False, threads: int | None = None
) -> Frequencies:
    """Count senses per epoch: posteriors, or with `hard` the likeliest senses."""
    from adagram.analysis._counting import sample_contexts, tally

    n_senses = model.n_senses
    epochs, sources = _Rows(n_senses, MAX_CELLS, np.float64), _Rows(n_senses, MAX_SOURCE_CELLS, np.float32)
    samples = (
        Contexts.empty(n_senses, model.config.window, MAX_CONTEXTS, MAX_CONTEXT_CELLS),
        Contexts.empty(n_senses, 1, MAX_NEIGHBOURS, MAX_CONTEXT_CELLS // 2),
    )
    n_sampled = np.zeros((2, n_senses), np.int64)
    words, n_documents = Counter[Epoch](), 0
    capitals = Capitals(model)
    for batch, uses in enumerate(each_use(model, documents, threads)):
        n = len(uses.documents)
        slots, source_rows = np.full(n, -1), np.full(n, -1)
        for d, document in enumerate(uses.documents):
            epoch, source = dating.epoch_of(document), dating.source_of(document)
            if epoch is not None and source is not None:
                slots[d], source_rows[d] = epochs.row(epoch), sources.row(source)
                words[epoch] += int(uses.n_words[d])
                n_documents += 1
        if (n_epochs := len(epochs.of)) > epochs.most:
            raise InputError(f"{n_epochs} epochs of {n_senses:,} senses do not fit into memory; take a longer --epoch")
        tally(uses.by_document, slots, epochs.counts, hard)
        if dating.source:
            tally(uses.by_document, source_rows, sources.counts, hard)
        for seen, kept in zip(n_sampled, samples, strict=True):
            sample_contexts(uses.by_document, uses.line_ends, slots, seen, kept.words, kept.epochs)
        if batch < 64 or batch % 8 == 0:  # some of a long text will do
            capitals.add(uses.documents)
    if not epochs.of:
        raise dating.nothing_left()
    found = sorted(epochs.of)
    order = [epochs.of[epoch] for epoch in found]
    place = np.append(np.argsort(order), -1).astype(np.int32)  # of a slot in time; the last is for -1
    contexts, neighbours = (Contexts(kept.words, place[kept.epochs]) for kept in samples)
    return Frequencies(
        found,
        np.ascontiguousarray(epochs.counts[order].T),
        np.array([words[epoch] for epoch in found], dtype=np.float64),
        n_documents,
        np.asarray((sources.counts > 0.5).sum(axis=0)) if dating.source else None,
        contexts,
        neighbours,
        capitals.names(),
    )


class _Rows:
    """Counts of all senses in a row for each key; keys beyond `most` share rows."""

    def __init__(self, n_senses: int, max_cells: int, dtype: type[np.floating[Any]]) -> None:
        self.most = max(8, max_cells // n_senses)
        self.of: dict[Any, int] = {}
        self.counts = np.zeros((8, n_senses), dtype)

    def row(self, key: Epoch | str) -> int:
        row = self.of.setdefault(key, len(self.of) % self.most)
        if row == len(self.counts):
            self.counts.resize((2 * row, self.counts.shape[1]), refcheck=False)
        return row


class Capitals:
    """Count how often each word of a model is written with a capital inside a sentence."""

    def __init__(self, model: Model) -> None:
        self._find = model.vocabulary.index.get
        self._tokenizers = make_tokenizers(model.info, model.vocabulary.index)
        self._seen = np.zeros((2, len(model.vocabulary.words)), np.int64)  # in small letters, with a capital
        self._all = np.zeros(2, np.int64)

    def add(self, documents: Sequence[Document]) -> None:
        found = Counter((d.kind, token) for d in documents for token in _INSIDE.findall(d.text))
        for (kind, token), n in found.items():
            is_capital = int(token[0].isupper())
            self._all[is_capital] += n
            words = self._tokenizers[kind](token)
            if len(words) == 1 and (w := self._find(words[0], -1)) >= 0:
                self._seen[is_capital, w] += n

    def names(self) -> NDArray[np.bool_] | None:
        """Return which words of the model are names, (n_words,); None if there are no capitals, or on every noun."""
        if not 0 < self._all[1] <= MAX_CAPITALS * self._all.sum():
            return None
        return np.asarray(self._seen[1] > MIN_CAPITAL * self._seen.sum(axis=0))
