"""The encoded corpus on disk: final ids, ends, vocabulary, and corpus.json last."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.ahead import map_ahead
from adagram.corpus.select import Selection
from adagram.corpus.spool import Piece, Spool
from adagram.corpus.state import Reading
from adagram.encoded import FORMAT_VERSION, META, VOCAB
from adagram.vocabulary import Vocabulary

NO_WORD = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Written:
    n_tokens: int
    n_sentences: int
    fingerprint: str


def write_tokens(folder: Path, spool: Spool, selection: Selection, n_ids: int, reading: Reading) -> Written:
    """Write vocabulary, tokens and ends; the spool's ids are below `n_ids`."""
    selection.vocabulary.save(folder / VOCAB)
    digest = hashlib.blake2b((folder / VOCAB).read_bytes(), digest_size=16)
    words = np.full(n_ids, NO_WORD, np.uint32)
    words[selection.ids] = np.arange(len(selection.vocabulary), dtype=np.uint32)
    words[0] = NO_WORD
    threads = reading.options.n_threads
    final, done = Spool(folder), 0
    try:
        with ThreadPoolExecutor(threads) as pool:
            for n_read, tokens, ends in map_ahead(pool, partial(_keep, words), spool.read(), 2 * threads):
                digest.update(tokens.data)
                final.write(tokens, ends)
                done += n_read
                if reading.progress:
                    reading.progress("encoding", done, spool.n_tokens)
    finally:
        final.close()
    return Written(final.n_tokens, final.n_ends, digest.hexdigest())


def _keep(words: NDArray[np.uint32], piece: Piece) -> tuple[int, NDArray[np.uint32], NDArray[np.int64]]:
    """(tokens read, those kept as words of the vocabulary, ends counted in them)"""
    tokens, ends = piece
    mapped = words[tokens]
    kept = mapped != NO_WORD
    places = np.cumsum(kept)  # after token i, places[i] tokens have been kept
    return len(tokens), mapped[kept], places[ends - 1]


def write_meta(folder: Path, written: Written, vocabulary: Vocabulary, more: dict[str, Any]) -> None:
    """corpus.json, whose presence says that the rest is complete."""
    meta = {
        "format": FORMAT_VERSION,
        "n_tokens": written.n_tokens,
        "n_sentences": written.n_sentences,
        "n_words": len(vocabulary),
        "fingerprint": written.fingerprint,
        **more,
    }
    (folder / META).write_text(json.dumps(meta, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
