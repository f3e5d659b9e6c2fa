"""From dump to data set: two passes, resumable between them, and files that appear only when all is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adagram.errors import InputError
from adagram.experiments.wwsi.dataset import (
    DataSet,
    original_lines,
    report_lines,
    select,
    tsv_lines,
    write_all,
)
from adagram.experiments.wwsi.dump import Dump, DumpReader
from adagram.experiments.wwsi.harvest import harvest
from adagram.experiments.wwsi.rules import SenseRules
from adagram.experiments.wwsi.survey import survey, take_inventory
from adagram.files.atomic import check_new_file, is_temporary, remove_folder
from adagram.types import ReportStage

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
