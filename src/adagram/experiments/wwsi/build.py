"""From dump to data set: two passes, the words that passed every filter, and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from adagram.errors import InputError
from adagram.experiments.wwsi.passes import (
    DumpReader,
    Harvest,
    Inventory,
    Removed,
    Sense,
    harvest,
    read_contexts,
    survey,
    take_inventory,
)
from adagram.experiments.wwsi.rules import SenseRules
from adagram.files.atomic import check_new_file, new_file, remove_dead, temporary_folder
from adagram.types import ReportStage


@dataclass(frozen=True)
class Word:
    word: str
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


def select(inventory: Inventory, found: Harvest, contexts: Path, rules: SenseRules) -> tuple[DataSet, Removed]:
    """Apply the filters that need both passes: frequency, contexts per sense, senses per word."""
    removed: Removed = Counter(inventory.removed)
    senses: dict[str, list[Sense]] = {}
    for word, candidate in inventory.candidates.items():
        if found.counts[word] < rules.min_count:
            removed[f"words: fewer than {rules.min_count} occurrences"] += 1
            continue
        n_senses = 0
        for title in candidate.senses:
            n_contexts = found.n_contexts.get((word, title))
            if title in found.removed:
                removed[found.removed[title]] += 1
            elif n_contexts is None:
                removed["senses: no such page in the dump"] += 1
            elif n_contexts < rules.min_contexts:
                removed[f"senses: fewer than {rules.min_contexts} contexts"] += 1
            else:
                n_senses += 1
        if n_senses >= rules.min_senses:
            senses[word] = []
        else:
            removed[f"words: fewer than {rules.min_senses} senses left"] += 1
    for sense in read_contexts(contexts, set(senses)):
        senses[sense.word].append(sense)
    words = [
        Word(word, found.counts[word], tuple(sorted(of_word, key=lambda sense: sense.title)))
        for word, of_word in sorted(senses.items())
    ]
    return DataSet(tuple(words)), removed


def tsv_lines(data: DataSet) -> Iterator[str]:
    """Yield one context per line for `adagram evaluate wsi`; x replaces the part of speech of other sets."""
    yield "target\tinstance_id\tsense\tleft\tright\tsurface\n"
    for word in data.words:
        contexts = ((sense.title, *sides) for sense in word.senses for sides in sense.contexts)
        for number, (title, left, right) in enumerate(contexts, 1):
            yield f"{word.word}\t{word.word}.x.{number}\t{title}\t{left}\t{right}\t{word.word}\n"


def report_lines(
    names: list[str], data: DataSet, removed: Removed, inventory: Inventory, found: Harvest, rules: SenseRules
) -> Iterator[str]:
    """Yield a Markdown report of the numbers, the filters and the words."""
    parts = (data, *data.split())
    yield "# WWSI data set\n\n"
    yield f"Built from {', '.join(f'`{name}`' for name in names)}: {found.n_articles:,} articles, "
    yield f"{found.n_tokens:,} words.\n\n"
    yield "| | all | train | test |\n|---|---:|---:|---:|\n"
    yield _row("words", [f"{len(part.words):,}" for part in parts])
    yield _row("senses", [f"{part.n_senses:,}" for part in parts])
    yield _row("contexts", [f"{part.n_contexts:,}" for part in parts])
    yield _row("words shared by adjacent contexts, mean", [f"{part.mean_shared:.3f}" for part in parts])
    yield f"\nContexts have {rules.window} words on each side; for 5 the paper's supplement has 1.115 shared.\n\n"
    yield "## What each filter removed\n\n"
    yield f"Of {inventory.n_disambiguations:,} disambiguation pages. "
    yield f"Pass two looked at {len(inventory.candidates):,} words; senses are counted for the words left.\n\n"
    yield "| filter | removed |\n|---|---:|\n"
    for reason, count in sorted(removed.items()):
        if count:
            yield _row(reason, [f"{count:,}"])
    yield "\n## Words\n\n| word | occurrences | senses (contexts) |\n|---|---:|---|\n"
    for word in data.words:
        senses = ", ".join(f"{sense.title} ({len(sense.contexts)})" for sense in word.senses)
        yield _row(word.word, [f"{word.count:,}", senses])


def _row(label: str, cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', ' ') for cell in (label, *cells))} |\n"


@dataclass(frozen=True)
class Files:
    """The output files: the data set, its halves, and the report."""

    all: Path
    train: Path
    test: Path
    report: Path

    @classmethod
    def beside(cls, output: Path, report: Path | None = None) -> Files:
        stem, endings = output.name.removesuffix(".tsv"), ("train.tsv", "test.tsv", "report.md")
        train, test, beside = (output.with_name(f"{stem}.{ending}") for ending in endings)
        return cls(output, train, test, report or beside)


def build(
    dumps: Sequence[Path],
    files: Files,
    rules: SenseRules,
    threads: int = 1,
    on_progress: ReportStage | None = None,
    overwrite: bool = False,
) -> DataSet:
    """Build the data set of a dump, or of the parts of one, in several processes if `threads` is above 1."""
    for dump in dumps:
        if str(dump) == "-":
            raise InputError("wwsi reads the dump twice, so it cannot come from stdin; give a file")
        if not dump.is_file():
            raise InputError(f"{dump} is not a file; give a dump such as enwiki-latest-pages-articles.xml.bz2")
    for folder in {files.all.parent, files.report.parent}:
        if not folder.is_dir():
            raise InputError(f"the folder {folder} does not exist; make it first")
    for path in vars(files).values():
        check_new_file(path, overwrite)
    reader = DumpReader(tuple(dumps), threads, on_progress)
    remove_dead(files.all)
    with temporary_folder(files.all) as place:
        survey(reader, rules, place / "survey.gz")
        inventory = take_inventory(place / "survey.gz", rules)
        contexts = place / "contexts.jsonl"
        found = harvest(reader, inventory, rules, contexts)
        data, removed = select(inventory, found, contexts, rules)
    train, test = data.split()
    report = report_lines([dump.name for dump in dumps], data, removed, inventory, found, rules)
    lines = (tsv_lines(data), tsv_lines(train), tsv_lines(test), report)
    with ExitStack() as stack:  # write all files, then rename all of them into place
        for path, of_file in zip(vars(files).values(), lines, strict=True):
            made = stack.enter_context(new_file(path, overwrite))
            with open(made, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(of_file)
    return data
