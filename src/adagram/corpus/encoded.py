"""The encoded corpus: token ids and sentence ends in flat files, memory-mapped for training."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.tokenize import TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary, read_unknown
from adagram.errors import InputError
from adagram.files.folders import CORPUS
from adagram.files.json import check_shape, read_json

FORMAT_VERSION = 1
BATCH = 1 << 22  # values checked at a time
BATCH_TOKENS = 1 << 20  # read or written at a time
_COUNT = range(1 << 60)
_SHAPE = {
    "format": int,
    "n_tokens": _COUNT,
    "n_sentences": _COUNT,
    "n_words": _COUNT,
    "fingerprint": str,
    "text?": (str, None),
    "tokenizer?": (dict, None),
    "report?": ({"tokens?": _COUNT}, None),
    "temporary_for?": (str, None),
}  # of corpus.json
TokenBatch = tuple[NDArray[np.uint32], NDArray[np.int64]]  # tokens, and ends counted from the first of them
TOKENS, ENDS, VOCAB, META = "tokens.bin", "ends.bin", "vocab.txt", "corpus.json"


@dataclass(frozen=True)
class EncodedCorpus:
    """`tokens` are vocabulary ids; `ends` are the positions after the last token of each sentence or document."""

    tokens: NDArray[np.uint32]  # (n_tokens,)
    ends: NDArray[np.uint64]  # (n_sentences,)
    vocabulary: Vocabulary
    fingerprint: str
    meta: dict[str, Any] = field(default_factory=dict)  # corpus.json: counts, tokenizer, report
    folder: Path | None = None  # None if it is in memory

    @classmethod
    def open(cls, folder: Path) -> EncodedCorpus:
        """Map a folder written by `adagram encode`; sizes are checked before anything is read."""
        meta, vocabulary = read_meta(folder), Vocabulary.load(folder / VOCAB)
        if len(vocabulary) != meta["n_words"]:
            raise InputError(f"{folder / VOCAB} has {len(vocabulary)} words, {META} says {meta['n_words']}")
        return cls.mapped(folder, vocabulary, meta)

    @classmethod
    def mapped(cls, folder: Path, vocabulary: Vocabulary, meta: dict[str, Any]) -> EncodedCorpus:
        """Map the tokens and ends of a folder whose other files are known."""
        tokens = _map(folder / TOKENS, np.dtype("<u4"), meta["n_tokens"])
        ends = _map(folder / ENDS, np.dtype("<u8"), meta["n_sentences"])
        return cls(tokens, ends, vocabulary, meta["fingerprint"], meta, folder)

    def check(self) -> None:
        """Refuse tokens and ends that are out of range; `open` reads neither."""
        where, n_words, n_tokens = self.folder or "the encoded corpus", len(self.vocabulary), len(self.tokens)
        for start in range(0, n_tokens, BATCH):
            top = int(self.tokens[start : start + BATCH].max())
            if top >= n_words:
                raise InputError(
                    f"{where} is damaged: {TOKENS} has a word {top}, its vocabulary {n_words} words; encode it again"
                )
        last = 0
        for start in range(0, len(self.ends), BATCH):
            ends = self.ends[start : start + BATCH]
            if int(ends[0]) < last or int(ends[-1]) > n_tokens or bool((ends[1:] < ends[:-1]).any()):
                raise InputError(
                    f"{where} is damaged: sentence ends in {ENDS} fall, or go beyond its {n_tokens} words; "
                    "encode it again"
                )
            last = int(ends[-1])

    @cached_property
    def unknown(self) -> dict[str, int]:
        """Words too rare for the vocabulary, with their counts in this text and those before it."""
        return read_unknown(self.folder)


def is_encoded(path: Path) -> bool:
    return os.path.isfile(path / META)


def read_meta(folder: Path) -> dict[str, Any]:
    """Return corpus.json with every part that is used later checked."""
    path = folder / META
    meta = read_json(path, {"format": int}, CORPUS.article)
    if meta["format"] != FORMAT_VERSION:
        raise InputError(f"{path} has format {meta['format']}; this version reads format {FORMAT_VERSION}")
    try:
        check_shape(meta, _SHAPE)
        TokenizerConfig.from_dict(meta.get("tokenizer") or {})
    except (ValueError, InputError) as error:
        raise InputError(f"{path} is damaged: {error}") from None
    return meta


def _map(path: Path, dtype: np.dtype[Any], length: int) -> NDArray[Any]:
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise InputError(f"{path} is missing from the encoded corpus") from None
    if size != length * dtype.itemsize:
        raise InputError(f"{path} has {size} bytes, expected {length * dtype.itemsize}: it was cut or changed")
    if length == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", shape=(length,))


class Spool:
    """Tokens and ends of sentences on disk, written in order, then read back in batches."""

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
        """Yield what was written in batches."""
        tokens = _map(self.tokens_path, np.dtype("<u4"), self.n_tokens)
        return token_batches(tokens, _map(self.ends_path, np.dtype("<u8"), self.n_ends))


def token_batches(tokens: NDArray[np.uint32], ends: NDArray[np.uint64]) -> Iterator[TokenBatch]:
    """Yield tokens and ends in batches."""
    for start in range(0, len(tokens), BATCH_TOKENS):
        stop = min(len(tokens), start + BATCH_TOKENS)
        first, last = np.searchsorted(ends, np.array((start, stop), ends.dtype), side="right")
        yield np.asarray(tokens[start:stop]), ends[first:last].astype(np.int64) - start
