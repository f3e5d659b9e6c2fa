"""Documents as words in use: which words the model knows, and the posteriors of their senses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.model import Model
from adagram.model.predict import Posteriors
from adagram.ordered import in_order
from adagram.text.documents import Document, make_document, make_tokenizers

BATCH_BYTES = 1 << 18
LEAST_KNOWN = 0.3  # of the words; with fewer, the corpus is not of the model's language

Ends = NDArray[np.int64]
Split = Callable[[str], Sequence[str]]
T = TypeVar("T")


@dataclass(frozen=True)
class Uses:
    """The known words of some documents, one after the other, with the posteriors of their senses."""

    documents: Sequence[Document]
    n_words: NDArray[np.int64]  # of each document, unknown ones too
    ids: NDArray[np.int32]
    ends: Ends  # where each document ends among the known words
    line_ends: Ends
    sentences: list[str]
    sentence_ends: Ends
    posteriors: Posteriors


def whole_line(line: str) -> Sequence[str]:
    return (line,)


def uses_of(model: Model, documents: Sequence[Document], split: Split = whole_line) -> Uses:
    """Find the words of documents in the model; `split` cuts a line into sentences."""
    find = model.vocabulary.index.get
    tokenizers = make_tokenizers(model.info, model.vocabulary.index)
    found: list[int] = []
    sentences: list[str] = []
    ends: list[int] = []
    line_ends: list[int] = []
    sentence_ends: list[int] = []
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
    before = np.append(0, known.cumsum())  # known words before each place
    ids, lines = ids[known], before[line_ends]
    return Uses(
        documents,
        np.diff(ends, prepend=0),
        ids,
        before[ends],
        lines,
        sentences,
        before[sentence_ends],
        model.predictor.in_text(ids, lines),
    )


def batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents in lists of a few hundred kilobytes."""
    batch: list[Document] = []
    length = 0
    for document in documents:
        batch.append(document)
        length += len(document.data)
        if length >= BATCH_BYTES:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def each_use(
    model: Model, documents: Iterable[Document], threads: int | None = None, split: Split = whole_line
) -> Iterator[Uses]:
    """The uses of all documents in order, several threads at work; a corpus of another language is refused."""
    n = threads or os.cpu_count() or 1
    uses_of(model, [make_document("", "")])  # compiles once, before the threads ask for it
    known = words = 0
    with ThreadPoolExecutor(n) as pool:
        work = in_order(pool, lambda batch: uses_of(model, batch, split), batches(documents), n)
        for uses in work:
            known += len(uses.ids)
            words += int(uses.n_words.sum())
            yield uses
    if words == 0:
        raise InputError("the corpus has no words")
    if known < LEAST_KNOWN * words:
        raise InputError(
            f"the model knows {known:,} of the {words:,} words of this corpus ({known / words:.0%}); "
            "is it of another language, or tokenized in another way?"
        )
