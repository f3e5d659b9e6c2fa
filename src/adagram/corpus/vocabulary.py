"""The vocabulary: words with their counts, by descending count, then by word; and the words too rare for it.

The new words of a continued model come after the old ones, in the same order. Rare words are kept in unknown.txt and
join a continued model once they are frequent enough.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError, UnknownWordError
from adagram.files.json import read_file, reading

UNKNOWN = "unknown.txt"
MAX_RARE = 500_000  # rare words held
MAX_RARE_OF_TEXT = 100_000  # rare words that one text leaves
FREQUENT = 100_000  # words that a misspelled one is compared with
MAX_SHOWN = 80  # letters of an unknown word in its message


class Vocabulary:
    """`words[i]` occurs `counts[i]` times; the id of a word is its place in this order."""

    def __init__(self, words: list[str], counts: NDArray[np.int64]) -> None:
        self.words = words
        self.counts = np.asarray(counts, dtype=np.int64)  # (n_words,)

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> Vocabulary:
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls([word for word, _ in ordered], np.array([n for _, n in ordered], dtype=np.int64))

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of vocab.txt."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the content of vocab.txt."""
        return "".join(f"{w}\t{n}\n" for w, n in zip(self.words, self.counts.tolist(), strict=True)).encode()

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def id(self, word: str) -> int:
        """Return the id of `word`; an unknown word is an error that offers near spellings."""
        found = self.index.get(word)
        if found is None:
            raise self.unknown(word, word)
        return found

    def unknown(self, word: str, folded: str) -> UnknownWordError:
        """Return the error of an unknown word, with words spelled like its `folded` form."""
        near = self.near(folded)
        hint = f" Near spellings: {', '.join(near)}." if near else ""
        return UnknownWordError(f"{word[:MAX_SHOWN]!r} is not in the vocabulary of {len(self)} words.{hint}")

    def near(self, word: str, among: list[str] | None = None, top: int = 3) -> list[str]:
        """Return known words spelled like `word`: one edit away, the frequent first, then the most similar of `among`.

        >>> Vocabulary.from_counts({"bank": 9, "river": 5}).near("bnak")
        ['bank']
        """
        frequent = self.words[:FREQUENT]
        near = list(islice((other for other in frequent if word and _is_one_edit(word, other)), top))
        if len(near) < top:
            similar = difflib.get_close_matches(word, frequent if among is None else among, n=top, cutoff=0.75)
            near += [other for other in similar if other not in near]
        return near[:top]

    def ids(self, tokens: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of the tokens that are in the vocabulary; the others are dropped."""
        index = self.index
        return np.array([index[t] for t in tokens if t in index], dtype=np.int32)

    def save(self, path: Path) -> None:
        path.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read word<TAB>count lines; the order in the file is kept."""
        with reading(path):
            content = read_file(path)
            words, counts = _read_lines(path, content.decode())
        vocabulary = cls(words, np.array(counts, dtype=np.int64))
        vocabulary.checksum = hashlib.sha256(content).hexdigest()
        if len(set(words)) < len(words):
            raise InputError(f"{path} is damaged: it has {len(words) - len(set(words))} words twice")
        return vocabulary


def _is_one_edit(word: str, other: str) -> bool:
    """Return whether one letter dropped, put in, replaced or exchanged with the next makes one word of the other."""
    if abs(len(word) - len(other)) > 1:
        return False
    same = next(
        (i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(min(word, other, key=len))
    )
    word, other = word[same:], other[same:]
    return other in (word[1:], word[1::-1] + word[2:]) or word == other[1:] or word[1:] == other[1:]


def _read_lines(path: Path, content: str) -> tuple[list[str], list[int]]:
    words: list[str] = []
    counts: list[int] = []
    # Lines end at \n only: str.splitlines would also cut at characters that words may contain.
    lines = content.split("\n")
    if lines.pop():
        raise InputError(f"{path} is damaged: its last line has no end")
    for number, line in enumerate(lines, 1):
        word, _, count = line.rpartition("\t")
        if not word or not (count.isascii() and count.isdigit()) or len(count) > 18:
            raise InputError(f"{path} line {number}: expected word<TAB>count, found {line[:60]!r}")
        words.append(word)
        counts.append(int(count))
    return words, counts


def read_unknown(folder: Path | None) -> dict[str, int]:
    """Read the rare words of a model or an encoded corpus; none if it is in memory."""
    if folder is None or not (folder / UNKNOWN).is_file():
        return {}
    kept = Vocabulary.load(folder / UNKNOWN)
    return dict(zip(kept.words, kept.counts.tolist(), strict=True))


def write_unknown(folder: Path, counts: Mapping[str, int]) -> None:
    """Write unknown.txt, unless there are no words."""
    if counts:
        Vocabulary.from_counts(counts).save(folder / UNKNOWN)


def add_unknown(counts: dict[str, int], more: Mapping[str, int], most: int = MAX_RARE) -> None:
    """Add counts; beyond `most` words forget the rarest until half are left.

    >>> counts = {"web": 3, "net": 1}
    >>> add_unknown(counts, {"net": 1, "blog": 1}, most=2)
    >>> counts
    {'web': 3}
    """
    for word, n in more.items():
        counts[word] = counts.get(word, 0) + n
    if len(counts) > most:
        kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: most // 2]
        counts.clear()
        counts.update(kept)
