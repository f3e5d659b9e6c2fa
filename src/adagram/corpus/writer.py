"""Token ids on disk: provisional ones while the text is read, final ones in the encoded corpus, corpus.json last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.state import ReadState
from adagram.corpus.words import Selection
from adagram.encoded import ENDS, FORMAT_VERSION, META, TOKENS, VOCAB
from adagram.ordered import in_order
from adagram.vocabulary import Vocabulary

BATCH_TOKENS = 1 << 20
NO_WORD = np.uint32(0xFFFFFFFF)
TokenBatch = tuple[NDArray[np.uint32], NDArray[np.int64]]  # tokens, and ends counted from the first of them


class Spool:
    """Tokens and ends of sentences, written in order, then read back in batches."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        self.tokens_path, self.ends_path = folder / f"{prefix}{TOKENS}", folder / f"{prefix}{ENDS}"
        self.n_tokens, self.n_ends = 0, 0
        self._tokens: IO[bytes] = open(self.tokens_path, "wb")  # noqa: SIM115 (closed by `close`)
        self._ends: IO[bytes] = open(self.ends_path, "wb")  # noqa: SIM115
        self._last_end = 0

    def write(self, tokens: NDArray[np.uint32], ends: NDArray[np.int64]) -> None:
        """Append tokens, and ends counted from the first of them; sentences without tokens leave no end."""
        if len(ends):
            absolute = ends + self.n_tokens
            absolute = absolute[np.diff(absolute, prepend=self._last_end) > 0]
            self._ends.write(absolute.astype("<u8").data)
            self.n_ends += len(absolute)
            self._last_end = int(absolute[-1]) if len(absolute) else self._last_end
        self._tokens.write(np.ascontiguousarray(tokens, "<u4").data)
        self.n_tokens += len(tokens)

    def close(self) -> None:
        self._tokens.close()
        self._ends.close()

    def remove(self) -> None:
        self.close()
        self.tokens_path.unlink(missing_ok=True)
        self.ends_path.unlink(missing_ok=True)

    def read(self) -> Iterator[TokenBatch]:
        """(tokens, ends counted from the first of them), batch by batch."""
        with open(self.tokens_path, "rb") as tokens_file, open(self.ends_path, "rb") as ends_file:
            waiting = np.empty(0, np.int64)
            start = 0
            while data := tokens_file.read(4 * BATCH_TOKENS):
                tokens = np.frombuffer(data, "<u4")
                stop = start + len(tokens)
                # A batch has at most as many ends as tokens.
                more = np.frombuffer(ends_file.read(8 * max(len(tokens) - len(waiting), 0)), "<u8").astype(
                    np.int64
                )
                waiting = np.concatenate([waiting, more])
                n = int(np.searchsorted(waiting, stop, side="right"))
                yield tokens, waiting[:n] - start
                waiting, start = waiting[n:], stop


@dataclass(frozen=True)
class Written:
    n_tokens: int
    n_sentences: int
    fingerprint: str
    text: str  # fingerprint of the tokens alone: the same for the same text in the same words, whatever they count


def write_tokens(folder: Path, spool: Spool, selection: Selection, n_ids: int, state: ReadState) -> Written:
    """Write vocabulary, tokens and ends; the spool's ids are below `n_ids`."""
    selection.vocabulary.save(folder / VOCAB)
    digest = hashlib.blake2b((folder / VOCAB).read_bytes(), digest_size=16)
    words = np.full(n_ids, NO_WORD, np.uint32)
    words[selection.ids] = np.arange(len(selection.vocabulary), dtype=np.uint32)
    words[0] = NO_WORD
    text = hashlib.blake2b(digest_size=16)
    threads = state.options.n_threads
    final, done = Spool(folder), 0
    try:
        with ThreadPoolExecutor(threads) as pool:
            for n_read, tokens, ends in in_order(pool, partial(keep_words, words), spool.read(), 2 * threads):
                digest.update(tokens.data)
                text.update(tokens.data)
                final.write(tokens, ends)
                done += n_read
                if state.progress:
                    state.progress("encoding", done, spool.n_tokens)
    finally:
        final.close()
    return Written(final.n_tokens, final.n_ends, digest.hexdigest(), text.hexdigest())


def keep_words(
    words: NDArray[np.uint32], batch: TokenBatch
) -> tuple[int, NDArray[np.uint32], NDArray[np.int64]]:
    """(tokens read, those that are not NO_WORD among `words`, as what they are there, ends counted in them)"""
    tokens, ends = batch
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
        "text": written.text,
        **more,
    }
    (folder / META).write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
