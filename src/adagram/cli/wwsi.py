"""`adagram wwsi`: build a word-sense induction data set from a Wikipedia dump."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.output import JsonOption, OverwriteOption, say, show, show_json
from adagram.cli.progress import progress_bar
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.experiments.wwsi.build import Outcome


def register(app: typer.Typer) -> None:
    app.command()(wwsi)


def wwsi(
    dump: Annotated[
        list[Path] | None,
        typer.Argument(help="A pages-articles.xml.bz2 dump (.gz, .xz, .zst, plain), or its parts."),
    ] = None,
    output: Annotated[Path, typer.Option(help="The data set; its other files go beside it.")] = Path(
        "wwsi.tsv"
    ),
    config: Annotated[Path | None, typer.Option(help="TOML file with your lists and thresholds.")] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the default rules and stop.")
    ] = False,
    min_count: Annotated[
        int | None, typer.Option(help="Least occurrences of a word in the dump.", show_default="5000")
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="Words on each side of a context.", show_default="5")
    ] = None,
    min_contexts: Annotated[
        int | None, typer.Option(help="Least contexts of a sense.", show_default="30")
    ] = None,
    min_senses: Annotated[int | None, typer.Option(help="Least senses of a word.", show_default="2")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Markdown report.", show_default="beside the output")
    ] = None,
    index: Annotated[
        Path | None, typer.Option(help="Index of a multistream dump.", show_default="found by name")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Cores to use.", show_default="all")] = None,
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Build WWSI, a word-sense induction data set, from a Wikipedia dump.

    Example: adagram wwsi enwiki-latest-pages-articles-multistream.xml.bz2 --output wwsi.tsv

    Writes wwsi.tsv, its halves wwsi.train.tsv and wwsi.test.tsv, wwsi.txt in the published form, wwsi.report.md.

    After an interruption run the same command again: a finished first pass is not repeated.
    """
    from adagram.experiments.wwsi.build import Files, build
    from adagram.experiments.wwsi.dump import Dump
    from adagram.experiments.wwsi.rules import default_config, load_rules

    if print_config:
        if json:
            show_json([("config", default_config())])
        else:
            typer.echo(default_config(), nl=False)
        return
    if not dump:
        raise InputError("give a dump to read, such as enwiki-latest-pages-articles.xml.bz2")
    if index is not None and len(dump) > 1:
        raise InputError(
            f"--index is for one dump, not {len(dump)}; those beside the dumps are found by name"
        )
    thresholds = {
        "min_count": min_count, "window": window, "min_contexts": min_contexts, "min_senses": min_senses
    }  # fmt: skip
    rules, files = load_rules(config, **thresholds), Files.beside(output, report)
    dumps = [Dump.open(path, index) for path in dump]
    with progress_bar() as show_progress:
        outcome = build(dumps, files, rules, _cores(threads), show_progress, overwrite)
    _show(outcome, json)


def _cores(threads: int | None) -> int:
    if threads is not None and threads < 1:
        raise InputError(f"--threads must be at least 1, not {threads}")
    return threads or os.cpu_count() or 1


def _show(outcome: Outcome, as_json: bool) -> None:
    train, test = outcome.data.split()
    files = outcome.files
    rows = [
        (str(path), len(data.words), data.n_senses, data.n_contexts, data.mean_shared)
        for path, data in ((files.all, outcome.data), (files.train, train), (files.test, test))
    ]
    show(["file", "words", "senses", "contexts", "shared_words"], rows, as_json)
    if outcome.is_resumed:
        say("Pass one was taken from the interrupted run.")
    if not outcome.data.words:
        say("No word passed every filter; the report says which filter removed how many.")
    say(f"Also written: {files.original} and {files.report}")
