"""The files of a data set; all of them appear together or none does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from adagram.whole import new_file
from adagram.wwsi.dataset import DataSet

COLUMNS = "target\tinstance_id\tsense\tleft\tright\tsurface\n"


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


def write_all(files: dict[Path, Iterator[str]]) -> None:
    """Write every file beside its place first, then move all of them there."""
    with ExitStack() as stack:
        for path, lines in files.items():
            with open(stack.enter_context(new_file(path)), "w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
