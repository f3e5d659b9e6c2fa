"""An encoded corpus: token ids and sentence ends in flat files, memory-mapped for training."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError
from adagram.files.folders import CORPUS
from adagram.files.json import check_shape, read_json
from adagram.text.tokenizer import TokenizerConfig
from adagram.unknown import read_unknown
from adagram.vocabulary import Vocabulary

FORMAT_VERSION = 1
BATCH = 1 << 22  # values checked at a time
MOST = 1 << 60  # of anything that is counted
_COUNT = range(MOST)
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
TOKENS, ENDS, VOCAB, META = "tokens.bin", "ends.bin", "vocab.txt", "corpus.json"


@dataclass(frozen=True)
class EncodedCorpus:
    """`tokens` are vocabulary ids; `ends` are the positions after the last token of each sentence or document."""

    tokens: NDArray[np.uint32]  # (n_tokens,)
    ends: NDArray[np.uint64]  # (n_sentences,)
    vocabulary: Vocabulary
    fingerprint: str
    meta: dict[str, Any] = field(default_factory=dict)  # corpus.json: counts, tokenizer, report
    folder: Path | None = None  # where it stands, if it was opened from there

    @classmethod
    def open(cls, folder: Path) -> EncodedCorpus:
        """Map a folder written by `adagram encode`; sizes are checked before anything is read."""
        meta = read_meta(folder)
        vocabulary = Vocabulary.load(folder / VOCAB)
        tokens = _map(folder / TOKENS, np.dtype("<u4"), int(meta["n_tokens"]))
        ends = _map(folder / ENDS, np.dtype("<u8"), int(meta["n_sentences"]))
        if len(vocabulary) != meta["n_words"]:
            raise InputError(f"{folder / VOCAB} has {len(vocabulary)} words, {META} says {meta['n_words']}")
        return cls(tokens, ends, vocabulary, meta["fingerprint"], meta, folder)

    def check(self) -> None:
        """Refuse tokens and ends that kernels could not index by; `open` reads neither."""
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
        """Words that were too rare for its vocabulary, with their counts in this text and those before it."""
        return read_unknown(self.folder)


def is_encoded(path: Path) -> bool:
    return os.path.isfile(path / META)


def read_meta(folder: Path) -> dict[str, Any]:
    """Return corpus.json, of which every part that is used later has been checked."""
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
        raise InputError(
            f"{path} has {size} bytes, expected {length * dtype.itemsize}: it was cut or changed"
        )
    if length == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", shape=(length,))
