"""MediaWiki XML dumps: articles as prose, stripped on several cores."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO

from adagram.corpus.blocks import join_blocks
from adagram.corpus.state import ReadState
from adagram.errors import InputError
from adagram.ordered import in_order
from adagram.text.mediawiki import iter_pages
from adagram.text.strippers import Strippers, strip_batch

BATCH_CHARS = 1 << 20


def read_mediawiki(stream: BinaryIO, name: str, state: ReadState) -> Iterator[bytes]:
    """Articles (namespace 0, no redirects) without markup."""
    batches = _batches(stream, name, state)
    threads = state.options.n_threads
    if threads == 1:
        yield from join_blocks(map(strip_batch, batches))
        return
    with Strippers(threads) as strippers, ThreadPoolExecutor(threads) as pool:
        yield from join_blocks(in_order(pool, strippers.strip, batches, 2 * threads))


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
