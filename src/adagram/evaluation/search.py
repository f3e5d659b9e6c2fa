"""Search-result diversification: the results of an ambiguous query, clustered by the sense they use it in.

S-recall@K and S-precision@r say how soon a ranking covers the subtopics (Di Marco, Navigli 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from adagram.errors import InputError
from adagram.evaluation.clustering import adjusted_rand_index, jaccard_index, majority_f1, rand_index
from adagram.evaluation.protocol import ContextRule, SenseModel, find_word
from adagram.evaluation.report import Cell, Evaluation, Resampling, exact, mean_of, scored, shortlist
from adagram.evaluation.search_sets import Clusters, Query, engine_order

_CLUSTER_SCORES: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "RI": rand_index,
    "ARI": adjusted_rand_index,
    "JI": jaccard_index,
    "F1": majority_f1,
}


@dataclass(frozen=True)
class Points:
    """Where the curves of S-recall@K and S-precision@r are read."""

    recall_at: tuple[int, ...] = (5, 10, 20, 40)
    precision_at: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9)


def cluster_results(
    model: SenseModel, queries: Sequence[Query], rule: ContextRule, by_last_word: bool = False
) -> Clusters:
    """Results of every query the model knows as a word, one cluster per sense, by first appearance.

    The context of a result is its whole title and snippet without the query. Queries of several words are left
    out, as in the paper; `by_last_word` takes their last word, mostly the head of the phrase, for the target.
    """
    words = {query.id: _target(model, query.text, by_last_word) for query in queries}
    known = [query for query in queries if words[query.id] is not None]
    targets, contexts = [], []
    for query in known:
        asked = {words[query.id], *rule.usable(model, model.tokenize(query.text))}
        for text in query.results.values():
            targets.append(words[query.id] or "")
            contexts.append([t for t in rule.usable(model, model.tokenize(text)) if t not in asked])
    best = iter([int(np.argmax(p)) for p in rule.posteriors(model, targets, contexts)])
    clusters: Clusters = {}
    for query in known:
        groups: dict[int, list[str]] = {}
        for result in query.results:
            groups.setdefault(next(best), []).append(result)
        clusters[query.id] = list(groups.values())
    return clusters


def _target(model: SenseModel, query: str, by_last_word: bool) -> str | None:
    word = find_word(model, query)
    return find_word(model, query.split()[-1]) if word is None and by_last_word else word


def score_search(
    queries: Sequence[Query],
    clusters: Clusters,
    how: Resampling | None = None,
    points: Points | None = None,
) -> Evaluation:
    """Means over the answered queries, with the search engine's own order on the same queries beside them."""
    how, points = how or Resampling(), points or Points()
    answered = [query for query in queries if query.id in clusters]
    if not answered:
        raise InputError(
            "none of the queries is answered; are the answers or the model for another data set?"
        )
    rows = [score_query(query, clusters[query.id], points) for query in answered]
    engine = [score_query(query, engine_order(query), points) for query in answered]
    report = Evaluation()
    for metric in rows[0]:
        report.scores.append(scored(metric, "all", mean_of([r[metric] for r in rows]), len(rows), how))
    for metric in (name for name in engine[0] if name.startswith("S-")):
        values = mean_of([r[metric] for r in engine])
        report.scores.append(scored(metric, "engine-order", values, len(rows), how))
    counts = mean_of([len(clusters[query.id]) for query in answered])
    report.scores.append(scored("clusters-per-query", "all", counts, len(rows), how))
    report.scores.append(exact("coverage", "all", len(answered) / len(queries), len(queries)))
    skipped = [query.text for query in queries if query.id not in clusters]
    report.scores.append(exact("skipped-queries", "all", len(skipped), len(queries)))
    report.per_item = [
        _row(query, clusters[query.id], row) for query, row in zip(answered, rows, strict=True)
    ]
    report.remarks = [f"{len(queries)} queries, {len(answered)} answered"]
    if skipped:
        report.remarks.append(f"queries skipped (several words, or not known): {shortlist(skipped)}")
    return report


def score_query(query: Query, clusters: Sequence[Sequence[str]], points: Points) -> dict[str, float]:
    """Diversification and clustering scores of one query; results in no cluster come last, each alone."""
    placed = {result for cluster in clusters for result in cluster}
    ranking = [*flatten(clusters), *(result for result in query.results if result not in placed)]
    scores = {f"S-recall@{k}": subtopic_recall(ranking, query.subtopics, k) for k in points.recall_at}
    scores |= {
        f"S-precision@{r}": subtopic_precision(ranking, query.subtopics, r) for r in points.precision_at
    }
    cluster_of = {result: f"cluster {n}" for n, cluster in enumerate(clusters) for result in cluster}
    system = [cluster_of.get(result, result) for result in query.annotated]
    gold = [query.subtopics[result][0] for result in query.annotated]
    return scores | {name: score(gold, system) for name, score in _CLUSTER_SCORES.items()}


def _row(query: Query, clusters: Sequence[Sequence[str]], scores: dict[str, float]) -> dict[str, Cell]:
    row: dict[str, Cell] = {"query": query.text, "results": len(query.results), "clusters": len(clusters)}
    return {**row, **scores}


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
        if (
            count >= recall * n_subtopics - 1e-9
        ):  # 0.28 · 25 is 7.000000000000001 in floats, and seven are enough
            return count / k
    return 0.0
