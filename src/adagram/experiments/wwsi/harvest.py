"""Pass two: how often each candidate word occurs, links to its senses, and its contexts there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, pairwise
from pathlib import Path

from adagram.corpus.mediawiki import Page, strip_markup
from adagram.corpus.tokenize import make_tokenizer
from adagram.experiments.wwsi.dump import DumpReader, PageRun
from adagram.experiments.wwsi.rules import (
    DisambiguationMarks,
    SenseRules,
    categories,
    linked_titles,
    normal_title,
)
from adagram.experiments.wwsi.survey import ARTICLES, Inventory


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
