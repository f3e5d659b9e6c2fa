"""The report: what is in the data set and what each filter removed, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from adagram.wwsi.dataset import DataSet
from adagram.wwsi.harvest import Harvest
from adagram.wwsi.inventory import Inventory, Removed
from adagram.wwsi.rules import Rules

PAPER_SHARED = 1.115  # the paper's supplement, section 3, for 5 words on each side


def report_lines(
    names: list[str], data: DataSet, removed: Removed, inventory: Inventory, found: Harvest, rules: Rules
) -> Iterator[str]:
    """Markdown of the numbers, the filters and the words."""
    train, test = data.split()
    yield "# WWSI data set\n\n"
    yield f"Built from {', '.join(f'`{name}`' for name in names)}: {found.n_articles:,} articles, "
    yield f"{found.n_tokens:,} words.\n\n"
    yield "| | all | train | test |\n|---|---:|---:|---:|\n"
    for label, values in (
        ("words", [len(part.words) for part in (data, train, test)]),
        ("senses", [part.n_senses for part in (data, train, test)]),
        ("contexts", [part.n_contexts for part in (data, train, test)]),
    ):
        yield f"| {label} | " + " | ".join(f"{value:,}" for value in values) + " |\n"
    shared = " | ".join(f"{part.mean_shared:.3f}" for part in (data, train, test))
    yield f"| words shared by adjacent contexts, mean | {shared} |\n\n"
    yield f"Contexts have {rules.window} words on each side; for 5 the paper has {PAPER_SHARED} shared.\n\n"
    yield "## What each filter removed\n\n"
    yield f"Of {inventory.n_disambiguations:,} disambiguation pages. "
    yield f"Pass two looked at {len(inventory.candidates):,} words; senses are counted for the words left.\n\n"
    yield "| filter | removed |\n|---|---:|\n"
    for reason, count in sorted(removed.items()):
        if count:
            yield f"| {reason.replace('|', ' ')} | {count:,} |\n"
    yield "\n## Words\n\n| word | occurrences | senses (contexts) |\n|---|---:|---|\n"
    for word in data.words:
        senses = ", ".join(
            f"{sense.title.replace('|', ' ')} ({len(sense.contexts)})" for sense in word.senses
        )
        yield f"| {word.word} | {word.count:,} | {senses} |\n"
