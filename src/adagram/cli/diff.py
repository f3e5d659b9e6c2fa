"""`adagram diff`: what a model has learned since the one it went on from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from adagram.cli.output import JsonOption, show

_SHOWN = 5  # neighbours in a table


def register(app: typer.Typer) -> None:
    app.command()(diff)


def diff(
    old: Annotated[Path, typer.Argument(help="The earlier model.", show_default=False)],
    new: Annotated[Path, typer.Argument(help="The one that went on from it.", show_default=False)],
    what: Annotated[
        str, typer.Option(help="Which changes, with commas between: came, born, faded, moved.")
    ] = "came,born,faded,moved",
    top: Annotated[int, typer.Option(min=1, help="How many changes of each kind.")] = 20,
    min_count: Annotated[float, typer.Option(min=0, help="Leave out senses with fewer uses.")] = 20.0,
    json: JsonOption = False,
) -> None:
    """What a model has learned since: words that came, senses that were born, faded or moved; the biggest first.

    Example: adagram diff model/ model2/ --what born,moved --top 10

    Both must be of one line: the new one made by `adagram train --continue` from the old one. The size is the word's
    count (came), the sense's share of its word (born), how much of that it lost (faded), or 1 - cosine (moved).
    """
    from adagram.api import load
    from adagram.model.diff import difference

    kinds = [kind.strip() for kind in what.split(",")]
    changes = difference(load(old, raw=True), load(new, raw=True), kinds, top, min_count)

    def shown(neighbours: list[Any]) -> Any:
        if json:
            return [{"sense": n.name, "similarity": n.similarity} for n in neighbours]
        return [n.name for n in neighbours[:_SHOWN]]

    columns = ["change", "name", "size", "before", "after"]
    show(columns, [(c.what, c.name, c.size, shown(c.before), shown(c.after)) for c in changes], json)
