"""Files of text to sense-tagged text, streaming."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from adagram.config import DocumentOptions
from adagram.corpus.documents import Document
from adagram.corpus.parallel import take_in_order
from adagram.corpus.readers import read_as_trained
from adagram.model import Model
from adagram.tagging.tagger import Tagger, Tally

Tagged = tuple[bytes, Tally]


def tag_files(
    model: Model,
    files: Iterable[str | Path],
    write: Callable[[bytes], object],
    min_probability: float = 0.0,
    threads: int | None = None,
    **reading: Any,
) -> Tally:
    """Tag files of any format that `adagram.train` reads, read as the model's text was (`-` is stdin).

    One output line per line of text; `write` gets the output in pieces. `reading` are options such as encoding, see
    `adagram.config.DocumentOptions`.
    """
    options = DocumentOptions(**reading)
    documents, _ = read_as_trained([Path(file) for file in files], model.info, options, is_live=True)
    return tag_documents(model, documents, write, min_probability, threads)


def tag_documents(
    model: Model,
    documents: Iterable[Document],
    write: Callable[[bytes], object],
    min_probability: float = 0.0,
    threads: int | None = None,
) -> Tally:
    """Tag documents in order; one output line per line of text. `write` gets the output in pieces."""
    tagger = Tagger(model, min_probability)
    tagger.tag("")  # compiles once, before the threads ask for it
    return tag_each(
        documents, lambda document: tag_document(tagger, document), write, threads or os.cpu_count() or 1
    )


def tag_document(tagger: Tagger, document: Document) -> Tagged:
    """The tagged lines of a document, ready to be written; a part of a very long line does not end it."""
    lines, tally = tagger.tag_lines(document.lines, document.kind)
    goes_on = not document.data.endswith(b"\n")
    end = (" " if lines[-1] else "") if goes_on else "\n"
    return ("\n".join(lines) + end).encode("utf-8"), tally


def tag_each(
    documents: Iterable[Document],
    work: Callable[[Document], Tagged],
    write: Callable[[bytes], object],
    threads: int,
) -> Tally:
    """Write work(document) for every document in order, `threads` at a time; returns what became of all words."""
    total = Tally()

    def take(result: Tagged) -> None:
        nonlocal total
        write(result[0])
        total += result[1]

    pool = ThreadPoolExecutor(threads)
    try:
        take_in_order(pool, work, documents, 2 * threads, take)
    finally:
        pool.shutdown(cancel_futures=True)
    return total
