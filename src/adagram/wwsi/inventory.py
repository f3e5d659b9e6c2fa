"""Between the passes: the words to look at, and for each the pages that may be its senses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from adagram.wwsi.rules import SenseRules, plain_name
from adagram.wwsi.survey import Entry, entries

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
    """For each word the titles named after it, each with the page it is or is redirected to."""
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
    """Replace targets that are redirects themselves; what is left after MAX_HOPS is a loop and no page."""
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
