"""The encoded corpus on disk: final ids, ends, vocabulary, and corpus.json last."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adagram.corpus.options import Progress
from adagram.corpus.select import Selection
from adagram.corpus.spool import Spool
from adagram.encoded import FORMAT_VERSION, META, VOCAB
from adagram.vocabulary import Vocabulary

NO_WORD = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Written:
    n_tokens: int
    n_sentences: int
    fingerprint: str


def write_tokens(
    folder: Path, spool: Spool, selection: Selection, n_ids: int, progress: Progress | None
) -> Written:
    """Write vocabulary, tokens and ends; the spool's ids are below `n_ids`."""
    vocabulary = selection.vocabulary
    vocabulary.save(folder / VOCAB)
    digest = hashlib.blake2b((folder / VOCAB).read_bytes(), digest_size=16)
    words = np.full(n_ids, NO_WORD, np.uint32)
    words[selection.ids] = np.arange(len(vocabulary), dtype=np.uint32)
    words[0] = NO_WORD
    final, done = Spool(folder), 0
    try:
        for tokens, ends in spool.read():
            done += len(tokens)
            mapped = words[tokens]
            kept = mapped != NO_WORD
            places = np.cumsum(kept)  # after token i, places[i] tokens have been kept
            mapped = mapped[kept]
            digest.update(mapped)
            final.write(mapped, places[ends - 1])
            if progress:
                progress("encoding", done, spool.n_tokens)
    finally:
        final.close()
    return Written(final.n_tokens, final.n_ends, digest.hexdigest())


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
