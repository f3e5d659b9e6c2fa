"""A stream in blocks of words: which words are in a block depends on the text alone, not on how its bytes arrive."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from adagram.config import EncodeOptions
from adagram.corpus.encoder import EARLY, Scanners, refuse_runs
from adagram.corpus.reading import read_blocks
from adagram.corpus.scanner import Scan
from adagram.corpus.sources import Sources
from adagram.corpus.state import ReadState
from adagram.corpus.words import DROPPED, Candidates, WordTable, add_words
from adagram.corpus.writer import NO_WORD, keep_words
from adagram.encoded import EncodedCorpus
from adagram.errors import InputError
from adagram.types import I64
from adagram.vocabulary import Vocabulary

_UNLIMITED = 1 << 30  # words of a table: no block has so many


@dataclass(frozen=True)
class WordBlock:
    """`tokens` are places in `words`, which are in the order of their first use; the word at 0 is none."""

    words: list[str]
    tokens: NDArray[np.uint32]
    ends: I64  # of sentences
    n_read: int  # its words, and those that were too long

    @cached_property
    def counts(self) -> I64:
        return np.bincount(self.tokens, minlength=len(self.words))

    def has_known(self, known: Vocabulary) -> bool:
        return any(word in known for word in self.words)

    def update(self, digest: hashlib.blake2b) -> None:
        """With its text."""
        digest.update("\n".join(self.words).encode())
        digest.update(self.tokens.data)


def word_blocks(sources: Sources, state: ReadState, size: int) -> Iterator[WordBlock]:
    """Blocks of `size` words each, but for the last; after an end that the user chose nothing is damaged."""
    scanners, filling, n_tokens = Scanners(state.options), _Filling(size), 0
    try:
        for text in read_blocks(sources, state):
            scan, at = scanners.scan(text), 0
            state.report.uncut_runs += scan.n_runs
            n_tokens += len(scan.tokens)
            if n_tokens > EARLY:
                refuse_runs(state.report.uncut_runs, n_tokens)
            while at < len(scan.tokens):
                at = filling.take(scan, at)
                if filling.is_full:
                    yield filling.block(state)
                    filling = _Filling(size)
    except InputError:
        if not (state.is_over and state.is_over()):
            raise
    refuse_runs(state.report.uncut_runs, n_tokens)
    if filling.n_read:
        yield filling.block(state)


class _Filling:
    """A block that is not full yet."""

    def __init__(self, size: int) -> None:
        self._size, self.n_read = size, 0
        self._table = WordTable(_UNLIMITED)
        self._tokens: list[NDArray[np.uint32]] = []
        self._ends: list[I64] = []

    @property
    def is_full(self) -> bool:
        return self.n_read == self._size

    def take(self, scan: Scan, start: int) -> int:
        """Tokens of the scan from `start` on, as many as there is room for; returns where the others begin."""
        stop = min(len(scan.tokens), start + self._size - self.n_read)
        self._tokens.append(self._table.add(scan.words)[scan.tokens[start:stop]].astype(np.uint32))
        ends = scan.ends[(scan.ends > start) & (scan.ends <= stop)]
        self._ends.append(ends - start + self.n_read)
        self.n_read += stop - start
        return stop

    def block(self, state: ReadState) -> WordBlock:
        """Words are numbered anew: those of the table depend on how the text was cut."""
        if self._table.n_too_long:
            state.skip("words that are too long", self._table.n_too_long)
        tokens, ends = np.concatenate(self._tokens), np.concatenate(self._ends)
        ids, firsts = np.unique(tokens, return_index=True)
        ids = ids[np.argsort(firsts)]
        ids = ids[ids != DROPPED]
        places = np.full(self._table.next_id, NO_WORD, np.uint32)
        places[ids] = np.arange(1, len(ids) + 1, dtype=np.uint32)
        _, tokens, ends = keep_words(places, (tokens, ends))
        ends = ends[ends > 0]
        word = self._table.candidates().word
        return WordBlock(["", *map(word, ids.tolist())], tokens, ends, self.n_read)


def encode_block(
    block: WordBlock, known: Vocabulary, options: EncodeOptions, met: Mapping[str, int]
) -> EncodedCorpus:
    """In the ids of the known words and of those after them that join now: of the words `met` before, not of others."""
    counts = block.counts.copy()
    for i, word in enumerate(block.words):
        if word not in known and word not in met:
            counts[i] = 0
    selection = add_words(Candidates(counts, block.words.__getitem__), options, known, met)
    ids = np.full(len(block.words), NO_WORD, np.uint32)
    ids[selection.ids] = np.arange(len(selection.vocabulary), dtype=np.uint32)
    ids[0] = NO_WORD  # where known words are that the block has not
    _, tokens, ends = keep_words(ids, (block.tokens, block.ends))
    tokens, last = tokens.astype("<u4"), np.unique(ends[ends > 0]).astype("<u8")
    tokens.flags.writeable = last.flags.writeable = (
        False  # as mapped files are, for which the kernels are compiled
    )
    return EncodedCorpus(tokens, last, selection.vocabulary, fingerprint="")
