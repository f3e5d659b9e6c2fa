"""Search-result sets in four files (SemEval-2013 task 11, AMBIENT, MORESQUE), and their answer files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adagram.corpus.decode import unescape
from adagram.errors import InputError
from adagram.evaluation.lines import bad_line, numbered_lines

_TAG = re.compile(r"<[^<>]*>")
_RESULT = re.compile(r"\d+\.\d+\t")
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
    queries = {
        cells[0]: Query(cells[0], cells[1].replace("_", " ")) for _, cells in _rows(folder, "topics.txt")
    }
    for line, cells in _results(folder / "results.txt"):
        query = _query_of(cells[0], queries, folder / "results.txt", line)
        query.results[cells[0]] = unescape(
            _TAG.sub(" ", " ".join(cells[2:]))
        )  # title and snippet, not the url
    for line, cells in _rows(folder, "STRel.txt"):
        query = _query_of(cells[1], queries, folder / "STRel.txt", line)
        query.subtopics.setdefault(cells[1], []).append(cells[0])
    return [query for query in queries.values() if query.results and query.subtopics]


def _rows(folder: Path, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of two cells below a header."""
    for number, line in _lines(folder / name):
        cells = line.split("\t")
        if len(cells) != 2:
            raise bad_line(folder / name, number, f"expected two tab-separated cells, found {line[:60]!r}")
        yield number, cells


def _results(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows of results.txt; a line that does not begin with a result's id goes on with the snippet before."""
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


def engine_order(query: Query) -> Sequence[Sequence[str]]:
    """All results in one cluster: the order of the search engine."""
    return [list(query.results)]
