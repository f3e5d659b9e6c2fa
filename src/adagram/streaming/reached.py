"""How far a run over a stream is after a whole block."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from adagram.corpus.vocabulary import Vocabulary, add_unknown
from adagram.streaming.blocks import WordBlock
from adagram.training.start import Start, Text


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)


@dataclass
class Reached:
    """A block that fails or is left out changes nothing: it works on a `copy`."""

    start: Start  # the model as it is, from which the next block goes on
    unknown: dict[str, int]  # words that it does not know
    n_read: int = 0  # words of the stream
    n_tokens: int = 0  # without those that were too long
    n_known: int = 0
    has_forgotten: bool = False  # rare ones of the unknown words
    digest: hashlib.blake2b = field(default_factory=_new_digest)  # of the words

    def copy(self) -> Reached:
        return replace(self, unknown=dict(self.unknown), digest=self.digest.copy())

    def read(self, block: WordBlock) -> None:
        block.update(self.digest)
        self.n_read += block.n_read
        self.n_tokens += len(block.tokens)

    def count(self, block: WordBlock, known: Vocabulary) -> None:
        """Its words, those that are not known by name; some that were not may be now."""
        counts = dict(zip(block.words[1:], block.counts[1:].tolist(), strict=True))
        unknown = {word: n for word, n in counts.items() if word not in known}
        for word in counts.keys() - unknown.keys():
            self.unknown.pop(word, None)
        self.has_forgotten |= add_unknown(self.unknown, unknown)
        self.n_known += len(block.tokens) - sum(unknown.values())

    @property
    def text(self) -> Text:
        digest = self.digest.hexdigest()
        return Text(self.n_known, digest, digest)
