"""Pass one: a survey of titles, redirects and disambiguation pages; from it the words and the pages of their senses."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TextIO, cast

from adagram.experiments.wwsi.dump import Dump, DumpReader, PageRun
from adagram.experiments.wwsi.rules import (
    DisambiguationMarks,
    SenseRules,
    TitleReader,
    normal_title,
    plain_name,
)
from adagram.files.atomic import new_file

FORMAT = 1
ARTICLES = 0  # the namespace
Kind = Literal["D", "R", "P"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of the survey: a disambiguation (D), a redirect (R), or another page (P) named after a word."""

    kind: Kind
    word: str  # "" if the name is not a single word
    qualifier: str | None
    title: str
    rest: str  # categories of a D joined by "|", target of an R


class Surveyor:
    """Reads a run of pages; returns its lines for the survey file."""

    def __init__(self, rules: SenseRules) -> None:
        self._marks = DisambiguationMarks(rules)
        self._titles = TitleReader(rules.tokenizer)

    def __call__(self, run: PageRun) -> str:
        lines = []
        for page in run.pages():
            title = normal_title(page.title)
            if page.namespace != ARTICLES or not title:
                continue
            word, qualifier = self._titles.read(title)
            if page.redirect is not None:
                kind, rest = "R", normal_title(page.redirect.partition("#")[0])
            elif (categories := self._marks.categories(page.text)) is not None:
                kind, rest = "D", "|".join(categories)
            elif word:
                kind, rest = "P", ""
            else:
                continue
            lines.append(f"{kind}\t{word}\t{'' if qualifier is None else f'({qualifier}'}\t{title}\t{rest}\n")
        return "".join(lines)


def survey(reader: DumpReader, rules: SenseRules, path: Path) -> bool:
    """Write the survey of the dumps to `path`; return False if one of the same dumps and rules exists."""
    header = _header(reader.dumps, rules)
    if _read_header(path) == header:
        return False
    with (
        new_file(path, overwrite=True) as made,
        gzip.open(made, "wt", compresslevel=1, encoding="utf-8", newline="\n") as file,
    ):
        file.write(header + "\n")
        for lines in reader.map("pass 1 of 2: titles", partial(Surveyor, rules)):
            file.write(lines)
    return True


def entries(path: Path, kinds: str = "DRP") -> Iterator[Entry]:
    """Yield the lines of the given kinds from a survey file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        next(file)
        for line in cast(TextIO, file):
            if line[0] not in kinds:
                continue
            kind, word, qualifier, title, rest = line[:-1].split("\t")
            yield Entry(cast(Kind, kind), word, qualifier[1:] if qualifier else None, title, rest)


def _header(dumps: tuple[Dump, ...], rules: SenseRules) -> str:
    """Everything that the survey depends on, as JSON."""
    files: list[Any] = []
    for dump in dumps:
        status = dump.path.stat()
        files.append([str(dump.path.resolve()), status.st_size, status.st_mtime_ns])
    used = {
        "disambiguation": [
            rules.disambiguation_templates, rules.disambiguation_categories, rules.disambiguation_magic_words
        ],
        "implied": [dict(rules.implied_categories), dict(rules.implied_by_parameter)],
        "tokenizer": rules.tokenizer.to_dict(),
    }  # fmt: skip
    return json.dumps({"format": FORMAT, "dumps": files, **used}, sort_keys=True)


def _read_header(path: Path) -> str | None:
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return file.readline()[:-1]
    except (OSError, EOFError, UnicodeDecodeError):
        return None


MAX_HOPS = 5  # redirects of redirects
Removed = Counter[str]  # what each filter removed, for the report


@dataclass
class Candidate:
    """An ambiguous word, its disambiguation page, and for each sense page the titles that lead there."""

    word: str
    page: str
    senses: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Inventory:
    """All candidates by word, and what was removed on the way."""

    candidates: dict[str, Candidate]
    n_disambiguations: int
    removed: Removed


def take_inventory(survey: Path, rules: SenseRules) -> Inventory:
    """Choose words by their disambiguation pages, then collect their senses, following redirects."""
    removed: Removed = Counter()
    candidates, n_disambiguations = _choose_words(entries(survey, "D"), rules, removed)
    names = _collect_names(entries(survey, "PR"), candidates, rules, removed)
    _follow_redirects(survey, names)
    for candidate in candidates.values():
        _settle_senses(candidate, names.get(candidate.word, {}), rules, removed)
    kept = {word: item for word, item in candidates.items() if len(item.senses) >= rules.min_senses}
    removed[f"words: fewer than {rules.min_senses} sense pages"] = len(candidates) - len(kept)
    return Inventory(dict(sorted(kept.items())), n_disambiguations, removed)


def _choose_words(
    pages: Iterable[Entry], rules: SenseRules, removed: Removed
) -> tuple[dict[str, Candidate], int]:
    """Single words with a disambiguation page, and no such page in an excluded category."""
    candidates: dict[str, Candidate] = {}
    excluded: dict[str, str] = {}
    n_pages = 0
    for page in pages:
        n_pages += 1
        is_about_word = page.qualifier is None or plain_name(page.qualifier) in rules.disambiguation_suffixes
        if not page.word or not is_about_word:
            removed["disambiguation pages: not about a single word"] += 1
            continue
        if (reason := _word_exclusion(page.rest.split("|"), rules)) is not None:
            excluded.setdefault(page.word, reason)
        candidates.setdefault(page.word, Candidate(page.word, page.title))
    for word, reason in excluded.items():
        removed[f"words: {reason}"] += 1
        del candidates[word]
    return candidates, n_pages


def _word_exclusion(categories: list[str], rules: SenseRules) -> str | None:
    for category in categories:
        if category in rules.excluded_word_categories:
            return f"disambiguation page in category “{category}”"
        for part in rules.excluded_word_category_substrings:
            if part in category:
                return f"disambiguation page in a category with “{part}”"
    return None


def _collect_names(
    pages: Iterable[Entry], candidates: dict[str, Candidate], rules: SenseRules, removed: Removed
) -> dict[str, dict[str, str]]:
    """Return for each word the titles named after it, each with the page it leads to."""
    names: dict[str, dict[str, str]] = {}
    for page in pages:
        if page.word not in candidates:
            continue
        if page.qualifier is None:
            if not rules.primary_topic:
                continue
        elif plain_name(page.qualifier) in rules.disambiguation_suffixes:
            continue
        if (reason := _title_exclusion(page.title, rules)) is not None:
            removed[reason] += 1
            continue
        names.setdefault(page.word, {})[page.title] = page.rest if page.kind == "R" else page.title
    return names


def _title_exclusion(title: str, rules: SenseRules) -> str | None:
    plain = plain_name(title)
    for part in rules.excluded_title_substrings:
        if part in plain:
            return f"senses: title with “{part.replace(' ', '_')}”"
    return None


def _follow_redirects(survey: Path, names: dict[str, dict[str, str]]) -> None:
    """Replace targets that are redirects; what is left after MAX_HOPS is a loop."""
    for _ in range(MAX_HOPS):
        open_targets = {
            target for of_word in names.values() for name, target in of_word.items() if target != name
        }
        if not open_targets:
            return
        onward = {page.title: page.rest for page in entries(survey, "R") if page.title in open_targets}
        if not onward:
            return
        for of_word in names.values():
            for name, target in of_word.items():
                of_word[name] = onward.get(target, target)


def _settle_senses(candidate: Candidate, names: dict[str, str], rules: SenseRules, removed: Removed) -> None:
    """Group the names by the page they lead to."""
    for name, target in sorted(names.items()):
        if name != target and (reason := _title_exclusion(target, rules)) is not None:
            removed[reason] += 1
        elif target == candidate.page:
            removed["senses: redirect to the disambiguation page"] += 1
        else:
            if target in candidate.senses:
                removed["senses: two titles, one page"] += 1
            candidate.senses.setdefault(target, []).append(name)
