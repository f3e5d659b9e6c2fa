"""The two passes over a dump: the words and the pages of their senses, then counts, links and contexts."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal, TextIO, cast

from adagram.corpus.mediawiki import Page, strip_markup
from adagram.corpus.tokenize import make_tokenizer
from adagram.experiments.wwsi.dump import Dump, DumpReader, PageRun
from adagram.experiments.wwsi.rules import (
    DisambiguationMarks,
    SenseRules,
    TitleReader,
    categories,
    linked_titles,
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


@dataclass(frozen=True)
class SenseContexts:
    """All contexts of a word on the page of one of its senses."""

    word: str
    title: str
    contexts: list[tuple[str, str]]  # left and right of the word
    n_shared: int  # words shared by adjacent contexts, summed over the pairs


@dataclass
class Harvest:
    """Counts, links and contexts found in a run of pages, or in the whole dump."""

    n_articles: int = 0
    n_tokens: int = 0
    counts: Counter[str] = field(default_factory=Counter)  # by word
    links: Counter[str] = field(default_factory=Counter)  # by title
    removed: dict[str, str] = field(default_factory=dict)  # sense page: why it was excluded
    n_contexts: dict[str, dict[str, int]] = field(default_factory=dict)  # by word and sense page
    senses: list[SenseContexts] = field(default_factory=list)  # those with enough contexts

    def add(self, part: Harvest) -> None:
        """Add everything but the contexts, which would not fit in memory."""
        self.n_articles += part.n_articles
        self.n_tokens += part.n_tokens
        self.counts.update(part.counts)
        self.links.update(part.links)
        self.removed.update(part.removed)
        for word, of_word in part.n_contexts.items():
            self.n_contexts.setdefault(word, {}).update(of_word)


@dataclass(frozen=True)
class Wanted:
    """The inventory, indexed for pass two."""

    words_of_sense: dict[str, tuple[str, ...]]
    words: frozenset[str]
    linked: frozenset[str]

    @classmethod
    def of(cls, inventory: Inventory) -> Wanted:
        words_of_sense: dict[str, tuple[str, ...]] = {}
        titles: set[str] = set()
        for word, candidate in inventory.candidates.items():
            titles.add(candidate.page)
            for title, names in candidate.senses.items():
                words_of_sense[title] = (*words_of_sense.get(title, ()), word)
                titles.update(names, [title])
        return cls(words_of_sense, frozenset(inventory.candidates), frozenset(titles))


class Harvester:
    """Collects counts, links and contexts from a run of pages."""

    def __init__(self, rules: SenseRules, wanted: Wanted) -> None:
        self._rules, self._wanted = rules, wanted
        self._tokenize = make_tokenizer(rules.tokenizer)
        self._marks = DisambiguationMarks(rules)

    def __call__(self, run: PageRun) -> Harvest:
        found = Harvest()
        for page in run.pages():
            if page.namespace == ARTICLES and page.redirect is None:
                self._read(page, found)
        return found

    def _read(self, page: Page, found: Harvest) -> None:
        tokens = self._words(strip_markup(page.text))
        found.n_articles += 1
        found.n_tokens += len(tokens)
        found.counts.update(filter(self._wanted.words.__contains__, tokens))
        found.links.update(filter(self._wanted.linked.__contains__, linked_titles(page.text)))
        title = normal_title(page.title)
        words = self._wanted.words_of_sense.get(title)
        if words is None:
            return
        if (reason := self._exclusion(page.text)) is not None:
            found.removed[title] = reason
            return
        for word in words:
            self._cut(word, title, tokens, found)

    def _words(self, prose: str) -> list[str]:
        """Tokenize a page by paragraph: the tokenizer is twice as fast on pure ASCII."""
        if prose.isascii():
            return self._tokenize(prose)
        return list(chain.from_iterable(map(self._tokenize, prose.split("\n"))))

    def _exclusion(self, wikitext: str) -> str | None:
        if self._marks.categories(wikitext) is not None:
            return "senses: a disambiguation page"
        for category in categories(wikitext):
            for part in self._rules.excluded_sense_category_substrings:
                if part in category:
                    return f"senses: page in a category with “{part}”"
        return None

    def _cut(self, word: str, title: str, tokens: list[str], found: Harvest) -> None:
        window = self._rules.window
        positions = [i for i, token in enumerate(tokens) if token == word]
        found.n_contexts.setdefault(word, {})[title] = len(positions)
        if len(positions) >= self._rules.min_contexts:
            contexts = cut_contexts(tokens, positions, window)
            n_shared = sum(shared_words(positions, len(tokens), window))
            found.senses.append(SenseContexts(word, title, contexts, n_shared))


def harvest(reader: DumpReader, inventory: Inventory, rules: SenseRules, path: Path) -> Harvest:
    """Read the dumps again; write the contexts of senses with enough of them to `path`."""
    total = Harvest()
    make_work = partial(Harvester, rules, Wanted.of(inventory))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for part in reader.map("pass 2 of 2: contexts", make_work):
            for sense in part.senses:
                if sense.title not in total.n_contexts.get(sense.word, ()):
                    file.write(json.dumps(asdict(sense)) + "\n")
            total.add(part)
    return total


def read_contexts(path: Path, words: frozenset[str]) -> Iterator[SenseContexts]:
    """Yield the senses of some words from the file that `harvest` wrote."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            values = json.loads(line)
            if values["word"] in words:
                contexts = [(left, right) for left, right in values["contexts"]]
                yield SenseContexts(values["word"], values["title"], contexts, values["n_shared"])


def cut_contexts(tokens: list[str], positions: list[int], window: int) -> list[tuple[str, str]]:
    """Return the words left and right of each position, at most `window` on each side.

    >>> cut_contexts("the cat saw the other cat".split(), [1, 5], window=2)
    [('the', 'saw the'), ('the other', '')]
    """
    return [
        (" ".join(tokens[max(0, i - window) : i]), " ".join(tokens[i + 1 : i + 1 + window]))
        for i in positions
    ]


def shared_words(positions: list[int], n_tokens: int, window: int) -> Iterator[int]:
    """Yield for each two adjacent contexts the number of words of the page that are in both.

    The target itself is in neither of its own sides, but may be in its neighbour's.

    >>> list(shared_words([1, 5], n_tokens=6, window=2)), list(shared_words([1, 4], n_tokens=6, window=2))
    ([1], [2])
    """
    for here, there in pairwise(positions):
        first = max(0, there - window)
        last = min(n_tokens - 1, here + window)
        yield max(0, last - first + 1) - (first <= here) - (there <= last)
