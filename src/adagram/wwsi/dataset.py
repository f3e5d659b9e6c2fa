"""The data set: the words, senses and contexts that passed every filter, and its even split."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from adagram.wwsi.harvest import Harvest, SenseContexts, read_contexts
from adagram.wwsi.inventory import Inventory, Removed
from adagram.wwsi.rules import SenseRules


@dataclass(frozen=True)
class Sense:
    title: str
    n_links: int  # to the page and the redirects to it that are named after the word
    contexts: list[tuple[str, str]]
    n_shared: int


@dataclass(frozen=True)
class Word:
    word: str
    page: str  # its disambiguation page
    n_links: int
    count: int
    senses: tuple[Sense, ...]

    @property
    def n_contexts(self) -> int:
        return sum(len(sense.contexts) for sense in self.senses)


@dataclass(frozen=True)
class DataSet:
    words: tuple[Word, ...]  # in alphabetical order

    @property
    def n_senses(self) -> int:
        return sum(len(word.senses) for word in self.words)

    @property
    def n_contexts(self) -> int:
        return sum(word.n_contexts for word in self.words)

    @property
    def mean_shared(self) -> float:
        """Mean number of words that two adjacent contexts share (the paper: 1.115 for windows of 10)."""
        senses = [sense for word in self.words for sense in word.senses]
        n_pairs = sum(len(sense.contexts) - 1 for sense in senses)
        return sum(sense.n_shared for sense in senses) / n_pairs if n_pairs else 0.0

    def split(self) -> tuple[DataSet, DataSet]:
        """Train and test: every other word, so that the same dump and rules always give the same halves."""
        return replace(self, words=self.words[::2]), replace(self, words=self.words[1::2])


def select(
    inventory: Inventory, found: Harvest, contexts: Path, rules: SenseRules
) -> tuple[DataSet, Removed]:
    """Apply the filters that need both passes: frequency, contexts per sense, senses per word."""
    removed: Removed = Counter(inventory.removed)
    kept: set[str] = set()
    for word, candidate in inventory.candidates.items():
        if found.counts[word] < rules.min_count:
            removed[f"words: fewer than {rules.min_count} occurrences"] += 1
            continue
        n_senses = 0
        for title in candidate.senses:
            n_contexts = found.n_contexts.get(word, {}).get(title)
            if title in found.removed:
                removed[found.removed[title]] += 1
            elif n_contexts is None:
                removed["senses: no such page in the dump"] += 1
            elif n_contexts < rules.min_contexts:
                removed[f"senses: fewer than {rules.min_contexts} contexts"] += 1
            else:
                n_senses += 1
        if n_senses >= rules.min_senses:
            kept.add(word)
        else:
            removed[f"words: fewer than {rules.min_senses} senses left"] += 1
    senses: dict[str, list[SenseContexts]] = {word: [] for word in sorted(kept)}
    for sense in read_contexts(contexts, frozenset(kept)):
        senses[sense.word].append(sense)
    return DataSet(tuple(_word(word, inventory, found, senses[word]) for word in senses)), removed


def _word(word: str, inventory: Inventory, found: Harvest, senses: list[SenseContexts]) -> Word:
    candidate = inventory.candidates[word]
    titles = {name for names in candidate.senses.values() for name in names if "(" not in name}
    return Word(
        word,
        candidate.page,
        n_links=sum(found.links[title] for title in titles | {candidate.page}),
        count=found.counts[word],
        senses=tuple(
            Sense(
                sense.title,
                sum(found.links[name] for name in {sense.title, *candidate.senses[sense.title]}),
                sense.contexts,
                sense.n_shared,
            )
            for sense in sorted(senses, key=lambda sense: sense.title)
        ),
    )
