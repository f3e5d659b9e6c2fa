"""MediaWiki XML dumps: articles as prose, stripped on several cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from adagram.corpus.state import ReadState
from adagram.errors import InputError
from adagram.processes import map_in_processes
from adagram.text.documents import Document, make_document
from adagram.text.mediawiki import iter_pages
from adagram.text.mediawiki_markup import strip_markup

BATCH_CHARS = 1 << 20


def read_mediawiki(stream: BinaryIO, name: str, state: ReadState) -> Iterator[Document]:
    """Articles (namespace 0, no redirects) without markup."""
    batches = _batches(stream, name, state)
    threads = state.options.n_threads
    prose = map(_strip, batches) if threads == 1 else map_in_processes(_make_strip, batches, threads)
    return (make_document(name, text) for text in prose)


def _strip(pages: list[str]) -> str:
    return "\n".join(map(strip_markup, pages))


def _make_strip() -> Callable[[list[str]], str]:
    return _strip


def _batches(stream: BinaryIO, name: str, state: ReadState) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    try:
        for page in iter_pages(stream, name):
            if page.namespace != 0:
                state.skip("pages outside the article namespace")
            elif page.redirect is not None:
                state.skip("redirects")
            else:
                batch.append(page.text)
                length += len(page.text)
            if length >= BATCH_CHARS:
                yield batch
                batch, length = [], 0
    except InputError:
        yield batch  # the pages before the damage
        raise
    yield batch
