"""Documents as words in use: which words the model knows, and the posteriors of their senses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.documents import Document, make_document, make_tokenizers
from adagram.corpus.parallel import batched, map_in_threads
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.predict import Posteriors

BATCH_BYTES = 1 << 18
MIN_KNOWN = 0.3  # share of known words below which the corpus is not of the model's language

Ends = NDArray[np.int64]
Split = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Uses:
    """The known words of a batch of documents, with the posteriors of their senses."""

    documents: Sequence[Document]
    n_words: NDArray[np.int64]  # of each document, unknown ones too
    ids: NDArray[np.int32]
    ends: Ends  # of each document among the known words
    line_ends: Ends
    sentences: list[str]
    sentence_ends: Ends
    posteriors: Posteriors
    offsets: Ends  # of the model: first sense of each word

    @property
    def senses(self) -> tuple[NDArray[Any], ...]:
        """What the kernels read: word ids, offsets of senses, and the posteriors."""
        return self.ids, self.offsets, self.posteriors.places, self.posteriors.values

    @property
    def by_document(self) -> tuple[NDArray[Any], ...]:
        """The same with the ends of documents, for `kernels.tally`."""
        return self.ids, self.ends, *self.senses[1:]


def whole_line(line: str) -> Sequence[str]:
    return (line,)


def uses_of(model: Model, documents: Sequence[Document], split: Split = whole_line) -> Uses:
    """Find the words of documents in the model; `split` cuts a line into sentences."""
    find = model.vocabulary.index.get
    tokenizers = make_tokenizers(model.info, model.vocabulary.index)
    found, ends, line_ends, sentence_ends = (list[int]() for _ in range(4))
    sentences: list[str] = []
    for document in documents:
        tokenize = tokenizers[document.kind]
        for line in document.lines:
            for sentence in split(line):
                found += [find(word, -1) for word in tokenize(sentence)]
                sentences.append(sentence)
                sentence_ends.append(len(found))
            line_ends.append(len(found))
        ends.append(len(found))
    ids = np.array(found, dtype=np.int32)
    known = ids >= 0
    before = np.append(0, known.cumsum())  # number of known words before each position
    ids, lines = ids[known], before[line_ends]
    posteriors = model.predictor.in_text(ids, lines)
    n_words = np.diff(ends, prepend=0)
    sentence_bounds = before[sentence_ends]
    return Uses(documents, n_words, ids, before[ends], lines, sentences, sentence_bounds, posteriors, model.offsets)


def each_use(
    model: Model, documents: Iterable[Document], threads: int | None = None, split: Split = whole_line
) -> Iterator[Uses]:
    """The uses of all documents in order, computed by several threads; refuse a corpus of another language."""
    uses_of(model, [make_document("", "")])  # compile once, before the threads need it
    known = words = 0
    batches = batched(documents, lambda document: len(document.data), BATCH_BYTES)
    for uses in map_in_threads(lambda batch: uses_of(model, batch, split), batches, threads):
        known += len(uses.ids)
        words += int(uses.n_words.sum())
        yield uses
    if words == 0:
        raise InputError("the corpus has no words")
    if known < MIN_KNOWN * words:
        raise InputError(
            f"the model knows {known:,} of the {words:,} words of this corpus ({known / words:.0%}); "
            "is it of another language, or tokenized in another way?"
        )
