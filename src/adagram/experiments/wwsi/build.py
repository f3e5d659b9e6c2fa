"""From dump to data set: two passes, resumable between them; the words that passed every filter, and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from adagram.errors import InputError
from adagram.experiments.wwsi.dump import Dump, DumpReader
from adagram.experiments.wwsi.passes import (
    Harvest,
    Inventory,
    Removed,
    SenseContexts,
    harvest,
    read_contexts,
    survey,
    take_inventory,
)
from adagram.experiments.wwsi.rules import SenseRules
from adagram.files.atomic import check_new_file, is_temporary, new_file, remove_folder
from adagram.types import ReportStage


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
        """Return the mean number of words shared by adjacent contexts (the paper: 1.115 for windows of 10)."""
        senses = [sense for word in self.words for sense in word.senses]
        n_pairs = sum(len(sense.contexts) - 1 for sense in senses)
        return sum(sense.n_shared for sense in senses) / n_pairs if n_pairs else 0.0

    def split(self) -> tuple[DataSet, DataSet]:
        """Split into train and test: every other word, so the same dump and rules give the same halves."""
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


COLUMNS = "target\tinstance_id\tsense\tleft\tright\tsurface\n"
PAPER_SHARED = 1.115  # the paper's supplement, section 3, for 5 words on each side


def tsv_lines(data: DataSet) -> Iterator[str]:
    """Yield one context per line for `adagram evaluate wsi`; x replaces the part of speech of other sets."""
    yield COLUMNS
    for word in data.words:
        number = 0
        for sense in word.senses:
            for left, right in sense.contexts:
                number += 1
                yield f"{word.word}\t{word.word}.x.{number}\t{sense.title}\t{left}\t{right}\t{word.word}\n"


def original_lines(data: DataSet) -> Iterator[str]:
    """Yield the lines of the published format, wwsi.txt.

    Per word `page<TAB>word<TAB>links<TAB>senses`, per sense `page<TAB>links<TAB>contexts`, and per context
    two lines: the position of the word (from 0) and the words, the target among them.
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
    """Yield a Markdown report of the numbers, the filters and the words."""
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
    """Write all files, then rename all of them into place."""
    with ExitStack() as stack:
        for path, lines in files.items():
            with open(
                stack.enter_context(new_file(path, overwrite)), "w", encoding="utf-8", newline="\n"
            ) as file:
                file.writelines(lines)


SURVEY, CONTEXTS = "survey.gz", "contexts.jsonl"


@dataclass(frozen=True)
class Files:
    """The output files: the data set, its halves, the original format, and the report."""

    all: Path
    train: Path
    test: Path
    original: Path
    report: Path

    @classmethod
    def beside(cls, output: Path, report: Path | None = None) -> Files:
        stem = output.name.removesuffix(".tsv")
        return cls(
            output,
            output.with_name(f"{stem}.train.tsv"),
            output.with_name(f"{stem}.test.tsv"),
            output.with_name(f"{stem}.txt"),
            report or output.with_name(f"{stem}.report.md"),
        )


@dataclass(frozen=True)
class Outcome:
    """The data set, its files, and whether pass one was taken from an interrupted run."""

    data: DataSet
    files: Files
    is_resumed: bool


def build(
    dumps: Sequence[Dump],
    files: Files,
    rules: SenseRules,
    threads: int = 1,
    on_progress: ReportStage | None = None,
    overwrite: bool = False,
) -> Outcome:
    """Build the data set. After an interruption in pass two, the next call with the same dumps reuses pass one.

    With `threads` above 1 other processes are started, so a script needs `if __name__ == "__main__":`.
    """
    for folder in {files.all.parent, files.report.parent}:
        if not folder.is_dir():
            raise InputError(f"the folder {folder} does not exist; make it first")
    reader = DumpReader(tuple(dumps), threads, on_progress)
    for path in vars(files).values():
        check_new_file(path, overwrite)
    partial = _own_folder(files.all.with_name(files.all.name + ".partial"))
    try:
        is_resumed = not survey(reader, rules, partial / SURVEY)
        inventory = take_inventory(partial / SURVEY, rules)
        contexts = partial / CONTEXTS
        found = harvest(reader, inventory, rules, contexts)
        data, removed = select(inventory, found, contexts, rules)
        train, test = data.split()
        names = [dump.path.name for dump in dumps]
        write_all(
            {
                files.all: tsv_lines(data),
                files.train: tsv_lines(train),
                files.test: tsv_lines(test),
                files.original: original_lines(data),
                files.report: report_lines(names, data, removed, inventory, found, rules),
            },
            overwrite,
        )
    except BaseException:
        if not (partial / SURVEY).exists():  # nothing to resume from
            remove_folder(partial)
        raise
    remove_folder(partial)
    return Outcome(data, files, is_resumed)


def _own_folder(folder: Path) -> Path:
    """Make the folder of intermediate files; InputError if it has other files."""
    folder.mkdir(exist_ok=True)
    if other := sorted(
        {path.name for path in folder.iterdir() if not is_temporary(path)} - {SURVEY, CONTEXTS}
    ):
        raise InputError(
            f"{folder} has other files in it, such as {other[0]}; move it, or give another --output"
        )
    return folder
