"""unknown.txt: words that were too rare to be learned, with their counts; they join a model once these are enough."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from adagram.vocabulary import Vocabulary

UNKNOWN = "unknown.txt"
MOST = 500_000  # words held
MOST_OF_TEXT = 100_000  # words that one text leaves


def read_unknown(folder: Path | None) -> dict[str, int]:
    """What is kept in the folder of a model or of an encoded corpus; nothing for what is in memory."""
    if folder is None or not (folder / UNKNOWN).is_file():
        return {}
    kept = Vocabulary.load(folder / UNKNOWN)
    return dict(zip(kept.words, kept.counts.tolist(), strict=True))


def write_unknown(folder: Path, counts: Mapping[str, int]) -> None:
    """No words leave no file."""
    if counts:
        Vocabulary.from_counts(counts).save(folder / UNKNOWN)


def add_unknown(counts: dict[str, int], more: Mapping[str, int], most: int = MOST) -> bool:
    """Count more words. Beyond `most` the rarest are forgotten until half are left; returns whether some were.

    >>> counts = {"web": 3, "net": 1}
    >>> add_unknown(counts, {"net": 1, "blog": 1}, most=2), counts
    (True, {'web': 3})
    """
    for word, n in more.items():
        counts[word] = counts.get(word, 0) + n
    if len(counts) <= most:
        return False
    kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: most // 2]
    counts.clear()
    counts.update(kept)
    return True
