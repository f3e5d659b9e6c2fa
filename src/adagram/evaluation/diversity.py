"""How well clustered search results are diversified: S-recall@K, S-precision@r (Di Marco, Navigli 2013)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest


def flatten(clusters: Sequence[Sequence[str]]) -> list[str]:
    """Round-robin: the first result of every cluster, then the second ones, and so on.

    >>> flatten([["a", "b", "c"], ["d"], ["e", "f"]])
    ['a', 'd', 'e', 'b', 'f', 'c']
    """
    return [result for layer in zip_longest(*clusters) for result in layer if result is not None]


def covered(ranking: Sequence[str], subtopics: Mapping[str, Collection[str]]) -> list[int]:
    """How many subtopics the first 1, 2, … results cover; `subtopics` maps a result to its subtopics."""
    seen: set[str] = set()
    counts = []
    for result in ranking:
        seen.update(subtopics.get(result, ()))
        counts.append(len(seen))
    return counts


def subtopic_recall(ranking: Sequence[str], subtopics: Mapping[str, Collection[str]], k: int) -> float:
    """S-recall@K: share of the query's subtopics covered by the first K results."""
    n_subtopics = len({topic for topics in subtopics.values() for topic in topics})
    counts = covered(ranking[:k], subtopics)
    return counts[-1] / n_subtopics if counts and n_subtopics else 0.0


def subtopic_precision(
    ranking: Sequence[str], subtopics: Mapping[str, Collection[str]], recall: float
) -> float:
    """S-precision@r: subtopics per result in the shortest prefix that covers the share `recall` of them."""
    n_subtopics = len({topic for topics in subtopics.values() for topic in topics})
    for k, count in enumerate(covered(ranking, subtopics), 1):
        if count >= recall * n_subtopics - 1e-9:  # 0.7 · 10 must not ask for an eighth subtopic
            return count / k
    return 0.0
