"""Pass one: which pages are disambiguations, redirects, or may be senses; one line each in a file on disk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TextIO, cast

from adagram.files.atomic import new_file
from adagram.wwsi.dump import Dump, PageRun
from adagram.wwsi.markers import DisambiguationMarks, TitleReader, normal_title
from adagram.wwsi.parallel import DumpReader
from adagram.wwsi.rules import SenseRules

FORMAT = 1
ARTICLES = 0  # the namespace
Kind = Literal["D", "R", "P"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of the survey: a disambiguation (D), a redirect (R), or another page (P) named after a word."""

    kind: Kind
    word: str  # "" if the name is no single word
    qualifier: str | None
    title: str
    rest: str  # categories of a D joined by "|", target of an R


class Surveyor:
    """Reads a run of pages; returns its lines for the survey file."""

    def __init__(self, rules: SenseRules) -> None:
        self._marks = DisambiguationMarks(rules)
        self._titles = TitleReader(rules.tokenizer)

    def __call__(self, run: PageRun) -> str:
        lines = []
        for page in run.pages():
            title = normal_title(page.title)
            if page.namespace != ARTICLES or not title:
                continue
            word, qualifier = self._titles.read(title)
            if page.redirect is not None:
                kind, rest = "R", normal_title(page.redirect.partition("#")[0])
            elif (categories := self._marks.categories(page.text)) is not None:
                kind, rest = "D", "|".join(categories)
            elif word:
                kind, rest = "P", ""
            else:
                continue
            lines.append(f"{kind}\t{word}\t{'' if qualifier is None else f'({qualifier}'}\t{title}\t{rest}\n")
        return "".join(lines)


def survey(reader: DumpReader, rules: SenseRules, path: Path) -> bool:
    """Write the survey of the dumps to `path`; False if a whole one of the same dumps and rules is there."""
    header = _header(reader.dumps, rules)
    if _read_header(path) == header:
        return False
    with (
        new_file(path, overwrite=True) as made,
        gzip.open(made, "wt", compresslevel=1, encoding="utf-8", newline="\n") as file,
    ):
        file.write(header + "\n")
        for lines in reader.map("pass 1 of 2: titles", partial(Surveyor, rules)):
            file.write(lines)
    return True


def entries(path: Path, kinds: str = "DRP") -> Iterator[Entry]:
    """The lines of a survey file, of the given kinds."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        next(file)
        for line in cast(TextIO, file):
            if line[0] not in kinds:
                continue
            kind, word, qualifier, title, rest = line[:-1].split("\t")
            yield Entry(cast(Kind, kind), word, qualifier[1:] if qualifier else None, title, rest)


def _header(dumps: tuple[Dump, ...], rules: SenseRules) -> str:
    """All that the survey depends on."""
    files: list[Any] = []
    for dump in dumps:
        status = dump.path.stat()
        files.append([str(dump.path.resolve()), status.st_size, status.st_mtime_ns])
    used = {
        "disambiguation": [
            rules.disambiguation_templates, rules.disambiguation_categories, rules.disambiguation_magic_words
        ],
        "implied": [dict(rules.implied_categories), dict(rules.implied_by_parameter)],
        "tokenizer": rules.tokenizer.to_dict(),
    }  # fmt: skip
    return json.dumps({"format": FORMAT, "dumps": files, **used}, sort_keys=True)


def _read_header(path: Path) -> str | None:
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return file.readline()[:-1]
    except (OSError, EOFError, UnicodeDecodeError):
        return None
