"""The files of a data set, with a report of what each filter removed; all of them appear together or none does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from adagram.files.atomic import new_file
from adagram.wwsi.dataset import DataSet
from adagram.wwsi.harvest import Harvest
from adagram.wwsi.inventory import Inventory, Removed
from adagram.wwsi.rules import SenseRules

COLUMNS = "target\tinstance_id\tsense\tleft\tright\tsurface\n"
PAPER_SHARED = 1.115  # the paper's supplement, section 3, for 5 words on each side


def tsv_lines(data: DataSet) -> Iterator[str]:
    """One context per line, as `adagram evaluate wsi` reads it; x stands where other sets have the part of speech."""
    yield COLUMNS
    for word in data.words:
        number = 0
        for sense in word.senses:
            for left, right in sense.contexts:
                number += 1
                yield f"{word.word}\t{word.word}.x.{number}\t{sense.title}\t{left}\t{right}\t{word.word}\n"


def original_lines(data: DataSet) -> Iterator[str]:
    """The form of the published wwsi.txt.

    Per word `page<TAB>word<TAB>links<TAB>senses`, per sense `page<TAB>links<TAB>contexts`, and per context
    two lines: the place of the word (from 0) and the words, the target among them.
    """
    for word in data.words:
        yield f"{word.page}\t{word.word}\t{word.n_links}\t{len(word.senses)}\n"
        for sense in word.senses:
            yield f"{sense.title}\t{sense.n_links}\t{len(sense.contexts)}\n"
            for left, right in sense.contexts:
                yield f"{len(left.split())}\n"
                yield " ".join(part for part in (left, word.word, right) if part) + "\n"


def report_lines(
    names: list[str], data: DataSet, removed: Removed, inventory: Inventory, found: Harvest, rules: SenseRules
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


def write_all(files: dict[Path, Iterator[str]], overwrite: bool = False) -> None:
    """Write every file beside its place first, then move all of them there."""
    with ExitStack() as stack:
        for path, lines in files.items():
            with open(
                stack.enter_context(new_file(path, overwrite)), "w", encoding="utf-8", newline="\n"
            ) as file:
                file.writelines(lines)
