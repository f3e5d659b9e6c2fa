"""`adagram merge`, `label`, `hide`, `undo`: an editor's decisions, kept in the model's journal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.look import ModelPath
from adagram.cli.output import JsonOption, ToldAsJson, show, tell
from adagram.errors import InputError

SenseName = Annotated[
    str, typer.Argument(metavar="WORD#K", help="A sense, such as apple#1.", show_default=False)
]


def register(app: typer.Typer) -> None:
    for command in (merge, label, hide, undo):
        app.command()(command)


def merge(
    model: ModelPath,
    word: Annotated[str | None, typer.Argument(help="A word.", show_default=False)] = None,
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="K K…", help="Numbers of its senses that are one.", show_default=False),
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="List senses that are alike; merge none.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, help="How many suggestions.")] = 20,
    json: JsonOption = False,
) -> None:
    """Take some senses of a word for one: posteriors and counts are summed, the vector is their weighted mean.

    Example: adagram merge model/ bank 0 2 3

    The vectors stay as they were learned and `adagram undo` takes the decision back. All numbers go on working.
    """
    from adagram.api import load

    if suggest:
        from adagram.desk.suggest import suggest_merges

        found = suggest_merges(load(model), top, word)
        rows = [(s.word, f"{s.first} {s.second}", s.cosine, s.reason) for s in found]
        show(["word", "senses", "cosine", "reason"], rows, json)
        return
    if word is None or not numbers:
        raise InputError("name a word and two or more numbers of its senses, or ask with --suggest")
    _decide(model, f"merge {word} {' '.join(map(str, numbers))}", json)


def label(
    model: ModelPath,
    sense: SenseName,
    text: Annotated[str, typer.Argument(help="What it means, in a few words.", show_default=False)],
    json: ToldAsJson = False,
) -> None:
    """Give a sense a label of your own; it stands in the place of that of the sense sheet.

    Example: adagram label model/ 'bank#1' "side of a river"
    """
    _decide(model, f"label {sense} {text}", json)


def hide(model: ModelPath, sense: SenseName, json: ToldAsJson = False) -> None:
    """Leave a sense out, as if it had not been learned: its uses are given to the word's other senses.

    Example: adagram hide model/ 'rock#5'
    """
    _decide(model, f"hide {sense}", json)


def undo(model: ModelPath, json: ToldAsJson = False) -> None:
    """Take back the last merge, label or hide that still stands.

    Example: adagram undo model/
    """
    _decide(model, "undo", json)


def _decide(folder: Path, line: str, as_json: bool) -> None:
    from adagram.api import load_writable
    from adagram.model.storage import JOURNAL

    load_writable(folder).decide(line)
    tell(as_json, f"{folder / JOURNAL}: {line}", journal=folder / JOURNAL, decision=line)
