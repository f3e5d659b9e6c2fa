"""Search-result diversification: the results of an ambiguous query, clustered by the sense they use it in.

Data sets have four files (SemEval-2013 task 11, AMBIENT, MORESQUE). S-recall@K and S-precision@r measure how soon a
ranking covers the subtopics (Di Marco, Navigli 2013).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np

from adagram.corpus.decode import unescape
from adagram.errors import InputError
from adagram.evaluation.clustering import adjusted_rand_index, jaccard_index, majority_f1, rand_index
from adagram.evaluation.lines import bad_line, numbered_lines, split_line
from adagram.evaluation.report import INTERVALS, Evaluation, Resampling, exact, mean_of, scored, shortlist
from adagram.evaluation.wsi import ContextRule, find_word
from adagram.model import Model

_TAG = re.compile(r"<[^<>]*>")
_RESULT = re.compile(r"\d+\.\d+\t")
_CLUSTER_SCORES: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "RI": rand_index,
    "ARI": adjusted_rand_index,
    "JI": jaccard_index,
    "F1": majority_f1,
}
Clusters = dict[str, list[list[str]]]  # query id -> clusters of result ids, in the system's order


@dataclass
class Query:
    """An ambiguous query, its results in the search engine's order, and the subtopics of each result."""

    id: str
    text: str
    results: dict[str, str] = field(default_factory=dict)  # result id -> title and snippet
    subtopics: dict[str, list[str]] = field(default_factory=dict)  # result id -> subtopic ids

    @property
    def annotated(self) -> list[str]:
        return [result for result in self.results if result in self.subtopics]


def read_search_set(folder: Path) -> list[Query]:
    """Read topics.txt, results.txt and STRel.txt of a folder; subTopics.txt is not needed for scoring."""
    queries = {cells[0]: Query(cells[0], cells[1].replace("_", " ")) for _, cells in _rows(folder, "topics.txt")}
    for line, cells in _results(folder / "results.txt"):
        query = _query_of(cells[0], queries, folder / "results.txt", line)
        text = " ".join(cells[2:])  # title and snippet, not the url
        query.results[cells[0]] = unescape(_TAG.sub(" ", text))
    for line, cells in _rows(folder, "STRel.txt"):
        query = _query_of(cells[1], queries, folder / "STRel.txt", line)
        query.subtopics.setdefault(cells[1], []).append(cells[0])
    return [query for query in queries.values() if query.results and query.subtopics]


def _rows(folder: Path, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of two cells below a header."""
    for number, line in _lines(folder / name):
        yield number, split_line(line, folder / name, number, 2, "two tab-separated cells")


def _results(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows of results.txt; a line that does not begin with a result's id continues the snippet before."""
    row: tuple[int, list[str]] | None = None
    for number, line in _lines(path):
        if _RESULT.match(line):
            if row:
                yield row
            row = number, line.split("\t")
        elif row:
            row[1].append(line)
        else:
            raise bad_line(path, number, f"expected ID, url, title and snippet, found {line[:60]!r}")
    if row:
        yield row


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines below the header that are not empty."""
    if not path.is_file():
        raise InputError(f"{path} is missing; expected topics.txt, results.txt and STRel.txt in one folder")
    yield from ((number, line) for number, line in numbered_lines(path) if number > 1 and line)


def _query_of(result: str, queries: dict[str, Query], path: Path, line: int) -> Query:
    number = result.partition(".")[0]
    if number not in queries:
        raise bad_line(path, line, f"result {result} belongs to no query of topics.txt")
    return queries[number]


def clusters_text(clusters: Clusters) -> str:
    """Clusters as an answer file: `subTopicID<TAB>resultID`, numbered per query in order.

    >>> clusters_text({"7": [["7.1", "7.3"], ["7.2"]]})
    'subTopicID\\tresultID\\n7.1\\t7.1\\n7.1\\t7.3\\n7.2\\t7.2\\n'
    """
    lines = ["subTopicID\tresultID\n"]
    for query, groups in clusters.items():
        for number, group in enumerate(groups, 1):
            lines += [f"{query}.{number}\t{result}\n" for result in group]
    return "".join(lines)


def read_clusters(path: Path) -> Clusters:
    """Read an answer file; clusters and their results keep the order of the file."""
    groups: dict[str, dict[str, list[str]]] = {}
    for number, line in numbered_lines(path):
        cells = line.split()
        if not cells or (number == 1 and cells[0] == "subTopicID"):
            continue
        if len(cells) != 2 or "." not in cells[1]:
            raise bad_line(path, number, f"expected subTopicID and resultID, found {line[:60]!r}")
        query = cells[1].partition(".")[0]
        groups.setdefault(query, {}).setdefault(cells[0], []).append(cells[1])
    if not groups:
        raise InputError(f"{path} holds no answers; expected lines of subTopicID and resultID")
    return {query: list(of_query.values()) for query, of_query in groups.items()}


@dataclass(frozen=True)
class Points:
    """Where the curves of S-recall@K and S-precision@r are read."""

    recall_at: tuple[int, ...] = (5, 10, 20, 40)
    precision_at: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9)


POINTS = Points()


def cluster_results(model: Model, queries: Sequence[Query], rule: ContextRule, by_last_word: bool = False) -> Clusters:
    """Results of every query the model knows as a word, one cluster per sense, by first appearance.

    The context of a result is its whole title and snippet without the query. Queries of several words are left
    out, as in the paper; `by_last_word` takes their last word, mostly the head of the phrase, for the target.
    """
    found: list[tuple[Query, str]] = []  # each result
    targets, contexts = [], []
    for query in queries:
        word = find_word(model, query.text)
        if word is None and by_last_word:
            word = find_word(model, query.text.split()[-1])
        asked = {word, *rule.usable(model, model.tokenize(query.text))}
        for result, text in query.results.items() if word is not None else ():
            found.append((query, result))
            targets.append(word or "")
            contexts.append([t for t in rule.usable(model, model.tokenize(text)) if t not in asked])
    groups: dict[str, dict[int, list[str]]] = {}
    for (query, result), p in zip(found, rule.posteriors(model, targets, contexts), strict=True):
        groups.setdefault(query.id, {}).setdefault(int(np.argmax(p)), []).append(result)
    return {query: list(of_query.values()) for query, of_query in groups.items()}


def score_search(
    queries: Sequence[Query], clusters: Clusters, how: Resampling = INTERVALS, points: Points = POINTS
) -> Evaluation:
    """Means over the answered queries, with the search engine's own order on the same queries beside them."""
    answered = [query for query in queries if query.id in clusters]
    if not answered:
        raise InputError("none of the queries is answered; are the answers or the model for another data set?")
    rows = [score_query(query, clusters[query.id], points) for query in answered]
    engine = [score_query(query, [list(query.results)], points) for query in answered]
    report = Evaluation()
    counts = [len(clusters[query.id]) for query in answered]
    totals = {("all", metric): [row[metric] for row in rows] for metric in rows[0]}
    for metric in (name for name in rows[0] if name.startswith("S-")):
        totals["engine-order", metric] = [row[metric] for row in engine]
    totals["all", "clusters-per-query"] = list(map(float, counts))
    for (subset, metric), values in totals.items():
        report.scores.append(scored(metric, subset, mean_of(values), len(rows), how))
    report.scores.append(exact("coverage", "all", len(answered) / len(queries), len(queries)))
    skipped = [query.text for query in queries if query.id not in clusters]
    report.scores.append(exact("skipped-queries", "all", len(skipped), len(queries)))
    report.per_item = [
        {"query": query.text, "results": len(query.results), "clusters": n, **row}
        for query, n, row in zip(answered, counts, rows, strict=True)
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
    scores |= {f"S-precision@{r}": subtopic_precision(ranking, query.subtopics, r) for r in points.precision_at}
    cluster_of = {result: f"cluster {n}" for n, cluster in enumerate(clusters) for result in cluster}
    system = [cluster_of.get(result, result) for result in query.annotated]
    gold = [query.subtopics[result][0] for result in query.annotated]
    return scores | {name: score(gold, system) for name, score in _CLUSTER_SCORES.items()}


def flatten(clusters: Sequence[Sequence[str]]) -> list[str]:
    """Round-robin: the first result of every cluster, then the second ones, and so on.

    >>> flatten([["a", "b", "c"], ["d"], ["e", "f"]])
    ['a', 'd', 'e', 'b', 'f', 'c']
    """
    return [result for layer in zip_longest(*clusters) for result in layer if result is not None]


Subtopics = Mapping[str, Collection[str]]  # of each result


def subtopic_recall(ranking: Sequence[str], subtopics: Subtopics, k: int) -> float:
    """S-recall@K: share of the query's subtopics covered by the first K results."""
    covered = {topic for result in ranking[:k] for topic in subtopics.get(result, ())}
    return len(covered) / max(len(set(chain(*subtopics.values()))), 1)


def subtopic_precision(ranking: Sequence[str], subtopics: Subtopics, recall: float) -> float:
    """S-precision@r: subtopics per result in the shortest prefix that covers the share `recall` of them."""
    n_subtopics = len(set(chain(*subtopics.values())))
    covered: set[str] = set()
    for k, result in enumerate(ranking, 1):
        covered.update(subtopics.get(result, ()))
        # 0.28 · 25 is 7.000000000000001 in floats, and seven are enough
        if len(covered) >= recall * n_subtopics - 1e-9:
            return len(covered) / k
    return 0.0
