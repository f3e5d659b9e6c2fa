"""Rewrite a corpus with sense-tagged words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adagram.corpus.decode import STDIN
from adagram.corpus.documents import Document, Kind, make_tokenizers
from adagram.corpus.options import DocumentOptions
from adagram.corpus.parallel import map_in_threads
from adagram.corpus.readers import read_as_trained
from adagram.model import Model
from adagram.model.arguments import PROBABILITY
from adagram.model.predict import assign_words
from adagram.options import checked


@dataclass(frozen=True)
class Tally:
    """Counts of the words of a text."""

    words: int = 0
    tagged: int = 0
    unsure: int = 0  # left bare because no sense was probable enough
    unknown: int = 0  # left bare because the model does not know them

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


class Tagger:
    """Replace each known word by its likeliest sense, if that has a probability of `min_probability` or more.

    The context of a word is in the same line: see `adagram.model.context`. Threads may share a tagger.
    """

    def __init__(self, model: Model, min_probability: float = 0.0) -> None:
        checked(min_probability, "min_probability", PROBABILITY)
        self._min_probability = min_probability
        self._model = model
        self._tokenizers = make_tokenizers(model.info, model.vocabulary.index)
        self._names = model.names(slice(0, model.n_senses))

    def tag(self, line: str) -> str:
        """Tag one line of text; its words are joined by spaces."""
        return self.tag_lines([line])[0][0]

    def tag_lines(self, lines: Iterable[str], kind: Kind = Kind.RAW) -> tuple[list[str], Tally]:
        """Tag many lines at once, and count their words."""
        cut = [self._tokenizers[kind](line) for line in lines]
        rows, probabilities = assign_words(self._model, cut)
        unknown, unsure = rows < 0, (rows >= 0) & (probabilities < self._min_probability)
        tags, names = iter(np.where(unsure, -1, rows).tolist()), self._names
        tagged = [" ".join(names[row] if (row := next(tags)) >= 0 else word for word in words) for words in cut]
        left = int(unsure.sum()), int(unknown.sum())
        return tagged, Tally(len(rows), len(rows) - sum(left), *left)


def tag_files(
    model: Model,
    files: Iterable[str | Path],
    write: Callable[[bytes], object],
    min_probability: float = 0.0,
    threads: int | None = None,
    **reading: Any,
) -> Tally:
    """Tag files of any format that `adagram.train` reads, read as the model's text was (`-` is stdin).

    One output line per line of text; `write` is called with pieces of the output. `reading` are options such as
    encoding, see `adagram.config.DocumentOptions`.
    """
    paths = [Path(file) for file in files]
    documents, _ = read_as_trained(paths, model.info, DocumentOptions(**reading), is_live=True)
    return tag_documents(model, documents, write, min_probability, threads, may_wait(paths))


def tag_documents(
    model: Model,
    documents: Iterable[Document],
    write: Callable[[bytes], object],
    min_probability: float = 0.0,
    threads: int | None = None,
    is_live: bool = False,
) -> Tally:
    """Tag documents in order; one output line per line of text. `write` is called with pieces of the output.

    With `is_live` each piece is written before the next is read.
    """
    tagger = Tagger(model, min_probability)
    tagger.tag("")  # compile once, before the threads need it
    total = Tally()

    def tag(document: Document) -> tuple[bytes, Tally]:
        lines, tally = tagger.tag_lines(document.lines, document.kind)
        # The last line has no end if it is a part of a very long one.
        end = "\n" if document.data.endswith(b"\n") else " " if lines[-1] else ""
        return ("\n".join(lines) + end).encode("utf-8"), tally

    for data, tally in map_in_threads(tag, documents, threads, is_live):
        write(data)
        total += tally
    return total


def may_wait(paths: Iterable[str | Path]) -> bool:
    """Return whether one of these is standard input or a pipe, which may have nothing to read for a while."""
    return any(str(path) == STDIN or Path(path).is_fifo() for path in paths)
