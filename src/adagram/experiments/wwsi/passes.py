"""The two passes over a dump: the words and the pages of their senses, then counts and contexts."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple, TextIO, TypeVar, cast

from adagram.corpus.decode import open_bytes
from adagram.corpus.mediawiki import Page, iter_pages, strip_markup
from adagram.corpus.parallel import batched, map_in_processes
from adagram.corpus.tokenize import make_tokenizer
from adagram.experiments.wwsi.rules import (
    SenseRules,
    categories,
    first_part,
    marked_categories,
    normal_title,
    plain_name,
    read_title,
)
from adagram.types import ReportStage, StageProgress

ARTICLES = 0  # the namespace
BATCH_CHARS = 1 << 20  # of wikitext sent to a process at a time
MAX_HOPS = 5  # redirects of redirects
Removed = Counter[str]  # what each filter removed, for the report
Result = TypeVar("Result")


@dataclass(frozen=True)
class DumpReader:
    """The dumps of a run, the number of processes, and a progress callback."""

    dumps: tuple[Path, ...]
    threads: int = 1
    on_progress: ReportStage | None = None

    def map(self, stage: str, make_work: Callable[[], Callable[[list[Page]], Result]]) -> Iterator[Result]:
        """Return the results of one pass over all articles, in order; `make_work` is called per process."""
        return map_in_processes(make_work, self._batches(stage), self.threads)

    def _batches(self, stage: str) -> Iterator[list[Page]]:
        done, total = 0, sum(dump.stat().st_size for dump in self.dumps)
        report = self.on_progress or (lambda progress: None)

        def count(n_bytes: int) -> None:
            nonlocal done
            done += n_bytes

        report(StageProgress(stage, 0, total))
        for dump in self.dumps:
            with open_bytes(dump, on_read=count) as stream:
                articles = (page for page in iter_pages(stream, str(dump)) if page.namespace == ARTICLES)
                for batch in batched(articles, lambda page: len(page.text), BATCH_CHARS):
                    yield batch
                    report(StageProgress(stage, done, total))
        report(StageProgress(stage, total, total))


class Entry(NamedTuple):
    """A page of the survey: a disambiguation (D), a redirect (R), or another page (P) named after a word."""

    kind: str
    word: str  # "" if the name is not a single word
    qualifier: str | None
    title: str
    rest: str  # categories of a D joined by "|", target of an R


class Surveyor:
    """Reads some pages; returns their lines for the survey file."""

    def __init__(self, rules: SenseRules) -> None:
        self._rules = rules
        self._tokenize, self._fold_case = make_tokenizer(rules.tokenizer), bool(rules.tokenizer.fold_case)

    def __call__(self, pages: list[Page]) -> str:
        lines = []
        for page in pages:
            title = normal_title(page.title)
            if not title:
                continue
            word, qualifier = read_title(title, self._tokenize, self._fold_case)
            if page.redirect is not None:
                kind, rest = "R", normal_title(page.redirect.partition("#")[0])
            elif (categories := marked_categories(page.text, self._rules)) is not None:
                kind, rest = "D", "|".join(categories)
            elif word:
                kind, rest = "P", ""
            else:
                continue
            lines.append(f"{kind}\t{word}\t{'' if qualifier is None else f'({qualifier}'}\t{title}\t{rest}\n")
        return "".join(lines)


def survey(reader: DumpReader, rules: SenseRules, path: Path) -> None:
    """Write the survey of the dumps to `path`."""
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8", newline="\n") as file:
        file.writelines(reader.map("pass 1 of 2: titles", partial(Surveyor, rules)))


def entries(path: Path, kinds: str) -> Iterator[Entry]:
    """Yield the lines of the given kinds from a survey file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in cast(TextIO, file):
            if line[0] in kinds:
                kind, word, qualifier, title, rest = line[:-1].split("\t")
                yield Entry(kind, word, qualifier[1:] if qualifier else None, title, rest)


@dataclass
class Candidate:
    """The disambiguation page of an ambiguous word, and the pages of its senses."""

    page: str
    senses: list[str] = field(default_factory=list)


@dataclass
class Inventory:
    """All candidates by word, and what was removed on the way."""

    candidates: dict[str, Candidate]
    n_disambiguations: int
    removed: Removed


def take_inventory(survey: Path, rules: SenseRules) -> Inventory:
    """Choose words by their disambiguation pages, then collect their senses, following redirects."""
    found = Inventory({}, 0, Counter())
    _choose_words(survey, rules, found)
    targets = _sense_targets(survey, rules, found)
    for word, candidate in found.candidates.items():
        for name, target in sorted(targets.get(word, {}).items()):
            if name != target and (reason := _title_exclusion(target, rules)):
                found.removed[reason] += 1
            elif target == candidate.page:
                found.removed["senses: redirect to the disambiguation page"] += 1
            elif target in candidate.senses:
                found.removed["senses: two titles, one page"] += 1
            else:
                candidate.senses.append(target)
    kept = {word: item for word, item in found.candidates.items() if len(item.senses) >= rules.min_senses}
    found.removed[f"words: fewer than {rules.min_senses} sense pages"] = len(found.candidates) - len(kept)
    found.candidates = dict(sorted(kept.items()))
    return found


def _choose_words(survey: Path, rules: SenseRules, found: Inventory) -> None:
    """Choose single words with a disambiguation page, and no such page in an excluded category."""
    excluded: dict[str, str] = {}
    for page in entries(survey, "D"):
        found.n_disambiguations += 1
        is_about_word = page.qualifier is None or plain_name(page.qualifier) in rules.disambiguation_suffixes
        if not page.word or not is_about_word:
            found.removed["disambiguation pages: not about a single word"] += 1
            continue
        found.candidates.setdefault(page.word, Candidate(page.title))
        of_page = page.rest.split("|")
        if whole := [category for category in of_page if category in rules.excluded_word_categories]:
            excluded.setdefault(page.word, f"category “{whole[0]}”")
        elif part := first_part(of_page, rules.excluded_word_category_substrings):
            excluded.setdefault(page.word, f"a category with “{part}”")
    for word, reason in excluded.items():
        found.removed[f"words: disambiguation page in {reason}"] += 1
        del found.candidates[word]


def _sense_targets(survey: Path, rules: SenseRules, found: Inventory) -> dict[str, dict[str, str]]:
    """Return for each word the titles named after it, each with the page it leads to."""
    targets: dict[str, dict[str, str]] = {}
    for page in entries(survey, "PR"):
        if page.qualifier is None:
            is_sense = rules.primary_topic
        else:
            is_sense = plain_name(page.qualifier) not in rules.disambiguation_suffixes
        if page.word not in found.candidates or not is_sense:
            continue
        if reason := _title_exclusion(page.title, rules):
            found.removed[reason] += 1
        else:
            targets.setdefault(page.word, {})[page.title] = page.rest if page.kind == "R" else page.title
    for _ in range(MAX_HOPS):  # what is a redirect after them is a loop
        behind = {target for of_word in targets.values() for name, target in of_word.items() if target != name}
        onward = {page.title: page.rest for page in entries(survey, "R") if page.title in behind}
        if not onward:
            break
        for of_word in targets.values():
            of_word.update({name: onward.get(target, target) for name, target in of_word.items()})
    return targets


def _title_exclusion(title: str, rules: SenseRules) -> str | None:
    part = first_part([plain_name(title)], rules.excluded_title_substrings)
    return part and f"senses: title with “{part.replace(' ', '_')}”"


@dataclass(frozen=True)
class Sense:
    """All contexts of a word on the page of one of its senses."""

    word: str
    title: str
    contexts: list[tuple[str, str]]  # left and right of the word
    n_shared: int  # words shared by adjacent contexts, summed over the pairs


@dataclass
class Harvest:
    """Counts and contexts found in some pages, or in the whole dump."""

    n_articles: int = 0
    n_tokens: int = 0
    counts: Counter[str] = field(default_factory=Counter)  # by word
    removed: dict[str, str] = field(default_factory=dict)  # sense page: why it was excluded
    n_contexts: dict[tuple[str, str], int] = field(default_factory=dict)  # by word and sense page
    senses: list[Sense] = field(default_factory=list)  # those with enough contexts

    def add(self, part: Harvest) -> None:
        """Add everything but the contexts, which would not fit in memory."""
        self.n_articles += part.n_articles
        self.n_tokens += part.n_tokens
        self.counts.update(part.counts)
        self.removed.update(part.removed)
        self.n_contexts.update(part.n_contexts)


class Harvester:
    """Collects counts and contexts from pages."""

    def __init__(self, rules: SenseRules, candidates: dict[str, Candidate]) -> None:
        self._rules, self._words = rules, frozenset(candidates)
        self._tokenize = make_tokenizer(rules.tokenizer)
        self._words_of_sense: dict[str, list[str]] = {}
        for word, candidate in candidates.items():
            for title in candidate.senses:
                self._words_of_sense.setdefault(title, []).append(word)

    def __call__(self, pages: list[Page]) -> Harvest:
        found = Harvest()
        for page in pages:
            if page.redirect is None:
                self._read(page, found)
        return found

    def _read(self, page: Page, found: Harvest) -> None:
        prose = strip_markup(page.text)
        # The tokenizer is twice as fast on pure ASCII, so others are split by paragraph.
        parts = [prose] if prose.isascii() else prose.split("\n")
        tokens = list(chain.from_iterable(map(self._tokenize, parts)))
        found.n_articles += 1
        found.n_tokens += len(tokens)
        found.counts.update(filter(self._words.__contains__, tokens))
        title, rules = normal_title(page.title), self._rules
        if title not in self._words_of_sense:
            return
        if marked_categories(page.text, rules) is not None:
            found.removed[title] = "senses: a disambiguation page"
        elif part := first_part(categories(page.text), rules.excluded_sense_category_substrings):
            found.removed[title] = f"senses: page in a category with “{part}”"
        else:
            for word in self._words_of_sense[title]:
                positions = [i for i, token in enumerate(tokens) if token == word]
                found.n_contexts[word, title] = len(positions)
                if len(positions) >= rules.min_contexts:
                    contexts = cut_contexts(tokens, positions, rules.window)
                    n_shared = sum(shared_words(positions, len(tokens), rules.window))
                    found.senses.append(Sense(word, title, contexts, n_shared))


def harvest(reader: DumpReader, inventory: Inventory, rules: SenseRules, path: Path) -> Harvest:
    """Read the dumps again; write the contexts of senses with enough of them to `path`."""
    total = Harvest()
    make_work = partial(Harvester, rules, inventory.candidates)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for part in reader.map("pass 2 of 2: contexts", make_work):
            for sense in part.senses:
                if (sense.word, sense.title) not in total.n_contexts:
                    file.write(json.dumps(asdict(sense)) + "\n")
            total.add(part)
    return total


def read_contexts(path: Path, words: set[str]) -> Iterator[Sense]:
    """Yield the senses of some words from the file that `harvest` wrote."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            values = json.loads(line)
            if values["word"] in words:
                contexts = [(left, right) for left, right in values["contexts"]]
                yield Sense(**values | {"contexts": contexts})


def cut_contexts(tokens: list[str], positions: list[int], window: int) -> list[tuple[str, str]]:
    """Return the words left and right of each position, at most `window` on each side.

    >>> cut_contexts("the cat saw the other cat".split(), [1, 5], window=2)
    [('the', 'saw the'), ('the other', '')]
    """
    return [(" ".join(tokens[max(0, i - window) : i]), " ".join(tokens[i + 1 : i + 1 + window])) for i in positions]


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
