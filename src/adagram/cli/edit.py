"""`adagram merge`, `label`, `hide`, `undo`: an editor's decisions, kept in the model's journal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.options import JsonOption, ModelPath, ReportJson, SenseName
from adagram.cli.output import print_table, report
from adagram.errors import InputError


def merge(
    model: ModelPath,
    word: Annotated[str | None, typer.Argument(help="A word.", show_default=False)] = None,
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="K K…", help="Numbers of the senses to merge.", show_default=False),
    ] = None,
    suggest: Annotated[bool, typer.Option("--suggest", help="List similar senses; merge none.")] = False,
    top: Annotated[int, typer.Option(min=1, help="Number of suggestions.")] = 20,
    json: JsonOption = False,
) -> None:
    """Merge senses of a word: posteriors and counts are summed, the vector is their weighted mean.

    Example: adagram merge model/ bank 0 2 3

    The vectors stay as they were learned, and `adagram undo` reverts the merge. All sense numbers remain valid.
    """
    from adagram.api import load

    if suggest:
        from adagram.analysis.describe import suggest_merges

        found = suggest_merges(load(model), top, word)
        rows = [(s.word, f"{s.first} {s.second}", s.cosine, s.reason) for s in found]
        print_table(["word", "senses", "cosine", "reason"], rows, json)
        return
    if word is None or not numbers:
        raise InputError("name a word and two or more numbers of its senses, or ask with --suggest")
    _decide(model, f"merge {word} {' '.join(map(str, numbers))}", json)


def label(
    model: ModelPath,
    sense: SenseName,
    text: Annotated[str, typer.Argument(help="The label, a few words.", show_default=False)],
    json: ReportJson = False,
) -> None:
    """Give a sense a label, which replaces that of the sense sheet.

    Example: adagram label model/ 'bank#1' "side of a river"
    """
    _decide(model, f"label {sense} {text}", json)


def hide(model: ModelPath, sense: SenseName, json: ReportJson = False) -> None:
    """Hide a sense, as if it had not been learned: its uses go to the word's other senses.

    Example: adagram hide model/ 'rock#5'
    """
    _decide(model, f"hide {sense}", json)


def undo(model: ModelPath, json: ReportJson = False) -> None:
    """Revert the last merge, label or hide that is in force.

    Example: adagram undo model/
    """
    _decide(model, "undo", json)


def _decide(folder: Path, line: str, as_json: bool) -> None:
    from adagram.api import load_writable
    from adagram.model.storage import JOURNAL

    load_writable(folder).decide(line)
    report(as_json, f"{folder / JOURNAL}: {line}", journal=folder / JOURNAL, decision=line)
