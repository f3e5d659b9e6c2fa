"""`adagram export`: a model in the format of another program."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.look import ModelPath, RawOption
from adagram.cli.output import OverwriteOption, ToldAsJson, tell


class ExportFormat(str, Enum):
    word2vec = "word2vec"
    word2vec_bin = "word2vec-bin"
    gensim = "gensim"
    projector = "projector"
    parquet = "parquet"
    julia = "julia"
    csv = "csv"
    tei_lex0 = "tei-lex0"


def register(app: typer.Typer) -> None:
    app.command()(export)


def export(
    model: ModelPath,
    format: Annotated[
        ExportFormat, typer.Option("--format", "-f", help="What to write.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A file; for projector a folder.", show_default=False)
    ],
    overwrite: OverwriteOption = False,
    raw: RawOption = False,
    json: ToldAsJson = False,
) -> None:
    """Write a model in the format of another program, one row per sense (apple#0, apple#1, …).

    Example: adagram export model/ --format word2vec-bin --output senses.bin
    """
    from adagram.api import load
    from adagram.export import export as export_model

    loaded = load(model, raw)
    export_model(loaded, output, format.value, overwrite)
    words, senses = len(loaded.vocabulary), loaded.n_senses
    told = f"wrote {senses:,} senses of {words:,} words to {output}"
    tell(json, told, output=output, format=format.value, senses=senses, words=words)
