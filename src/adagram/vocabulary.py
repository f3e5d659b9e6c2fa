"""The words of a corpus with their counts, in one fixed order: by falling count, then by word.

Where training went on with more text, the words that came with it are after the others, in that order.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.errors import InputError, UnknownWordError
from adagram.files.json import read_file

FREQUENT = 100_000  # words that a misspelled one is compared with
LONGEST_MISSPELLED = 40  # letters; longer words have no edits tried
MOST_LETTERS = 200
MOST_SHOWN = 80  # letters of an unknown word in its message


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
        """Of the lines of vocab.txt."""
        digest = hashlib.sha256()
        for line in self._lines():
            digest.update(line.encode())
        return digest.hexdigest()

    def _lines(self) -> Iterator[str]:
        return (f"{w}\t{n}\n" for w, n in zip(self.words, self.counts.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def id(self, word: str) -> int:
        """The id of `word`; an unknown word is an error that offers near spellings."""
        found = self.index.get(word)
        if found is None:
            raise self.unknown(word, word)
        return found

    def unknown(self, word: str, folded: str) -> UnknownWordError:
        """The error of an unknown word, with words that are near to it as the corpus would have spelled it."""
        near = self.near(folded)
        hint = f" Near spellings: {', '.join(near)}." if near else ""
        return UnknownWordError(f"{word[:MOST_SHOWN]!r} is not in the vocabulary of {len(self)} words.{hint}")

    def near(self, word: str, among: list[str] | None = None, top: int = 3) -> list[str]:
        """Known words spelled like `word`: one edit away, the frequent first, then the most similar of `among`.

        >>> Vocabulary.from_counts({"bank": 9, "river": 5}).near("bnak")
        ['bank']
        """
        one_edit = sorted({self.index[edit] for edit in self._edits(word) if edit in self.index})
        near = [self.words[i] for i in one_edit[:top]]
        if len(near) < top:
            pool = self.words[:FREQUENT] if among is None else among
            similar = difflib.get_close_matches(word, pool, n=top, cutoff=0.75)
            near += [other for other in similar if other not in near]
        return near[:top]

    def _edits(self, word: str) -> Iterator[str]:
        """All that one letter dropped, exchanged with the next, replaced or put in makes of a word."""
        if not 0 < len(word) <= LONGEST_MISSPELLED:
            return
        for i in range(len(word) + 1):
            head, tail = word[:i], word[i:]
            if tail:
                yield head + tail[1:]
            if len(tail) > 1:
                yield head + tail[1] + tail[0] + tail[2:]
            for letter in self._letters:
                yield head + letter + tail
                if tail:
                    yield head + letter + tail[1:]

    @cached_property
    def _letters(self) -> list[str]:
        """The letters of the frequent words, at most as many as can be tried in an instant."""
        return list(dict.fromkeys("".join(self.words[:FREQUENT])))[:MOST_LETTERS]

    def ids(self, tokens: Iterable[str]) -> NDArray[np.int32]:
        """Ids of the tokens that are in the vocabulary; the others are dropped."""
        index = self.index
        return np.array([index[t] for t in tokens if t in index], dtype=np.int32)

    def save(self, path: Path) -> None:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(self._lines())

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read word<TAB>count lines; the order in the file is kept."""
        try:
            content = read_file(path)
            words, counts = _read_lines(path, content.decode())
            vocabulary = cls(words, np.array(counts, dtype=np.int64))
            vocabulary.checksum = hashlib.sha256(content).hexdigest()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
        except (UnicodeDecodeError, OverflowError) as error:
            raise InputError(f"{path} is damaged: {error}") from None
        if len(set(words)) < len(words):
            raise InputError(f"{path} is damaged: it has {len(words) - len(set(words))} words twice")
        return vocabulary


def _read_lines(path: Path, content: str) -> tuple[list[str], list[int]]:
    words: list[str] = []
    counts: list[int] = []
    # Lines end at \n only: str.splitlines would also cut at characters that words may contain.
    lines = content.split("\n")
    if lines.pop():
        raise InputError(f"{path} is damaged: its last line has no end")
    for number, line in enumerate(lines, 1):
        word, _, count = line.rpartition("\t")
        if not word or not (count.isascii() and count.isdigit()) or len(count) > 19:
            raise InputError(f"{path} line {number}: expected word<TAB>count, found {line[:60]!r}")
        words.append(word)
        counts.append(int(count))
    return words, counts
