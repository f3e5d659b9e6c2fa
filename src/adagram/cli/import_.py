"""`adagram import`: a model from the file of another program."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from adagram.cli.output import OverwriteOption, ToldAsJson, say, tell


class ImportFormat(str, Enum):
    julia = "julia"
    word2vec = "word2vec"


def register(app: typer.Typer) -> None:
    app.command("import")(import_)


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file of the other program.", show_default=False)
    ],
    format: Annotated[
        ImportFormat,
        typer.Option(
            "--format", "-f", help="julia: AdaGram.jl; word2vec: text or binary.", show_default=False
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write the model to.", show_default=False)
    ],
    window: Annotated[
        int, typer.Option(min=1, help="Words on each side of a context: the file does not say.")
    ] = 5,
    min_prior: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="julia: leave out senses with less prior; 0 keeps all (default: 0.001)."
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    json: ToldAsJson = False,
) -> None:
    """Make a model of another program's file: a model of AdaGram.jl, or word2vec vectors.

    Example: adagram import old.model --format julia --output model/

    Rows of a word2vec file that are named word#0, word#1, … become the senses of one word.
    """
    from adagram.errors import InputError
    from adagram.export import import_model
    from adagram.whole import MODEL, check_new_folder

    check_new_folder(output, MODEL, overwrite)
    options: dict[str, Any] = {"window": window}
    if min_prior is not None:
        if format is not ImportFormat.julia:
            raise InputError(f"--min-prior is for the format julia, not {format.value}")
        options["min_prior"] = min_prior
    model = import_model(file, format.value, **options)
    model.save(output, overwrite)
    d = model.info["imported"].get("d", 0.0)
    if d:
        say(f"the file's discount d = {d:g} is not used: priors are those of d = 0")
    words, senses = len(model.vocabulary), model.n_senses
    told = f"imported {senses:,} senses of {words:,} words to {output}"
    tell(json, told, output=output, senses=senses, words=words)
