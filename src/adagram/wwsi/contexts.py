"""Contexts of a word on a page, and how much adjacent ones share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise


def cut_contexts(tokens: list[str], positions: list[int], window: int) -> list[tuple[str, str]]:
    """The words left and right of each position, at most `window` of them on each side.

    >>> cut_contexts("the cat saw the other cat".split(), [1, 5], window=2)
    [('the', 'saw the'), ('the other', '')]
    """
    return [
        (" ".join(tokens[max(0, i - window) : i]), " ".join(tokens[i + 1 : i + 1 + window]))
        for i in positions
    ]


def shared_words(positions: list[int], n_tokens: int, window: int) -> Iterator[int]:
    """For each two adjacent contexts the number of words of the page that are in both.

    The target itself is in neither of its own sides, but may be in its neighbour's.

    >>> list(shared_words([1, 5], n_tokens=6, window=2)), list(shared_words([1, 4], n_tokens=6, window=2))
    ([1], [2])
    """
    for here, there in pairwise(positions):
        first = max(0, there - window)
        last = min(n_tokens - 1, here + window)
        yield max(0, last - first + 1) - (first <= here) - (there <= last)
