"""`adagram reproduce`, `wwsi`: the paper's experiments, and its data set from a Wikipedia dump."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from adagram.cli.options import JsonOption, OverwriteOption, check_output
from adagram.cli.output import log, print_json, print_table, progress_bar, training_progress
from adagram.config import TrainConfig
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.experiments.reproduce.results import Result

NAMES = "nn, resolution, senses, likelihood, wsi, fuzzy, search, scws"
_DEFAULTS = TrainConfig.from_preset("paper")


def reproduce(
    experiment: Annotated[str, Argument(metavar="EXPERIMENT|all", help=f"One of {NAMES}; or all.")],
    corpus: Annotated[Path, Option(help="Text to train on, or a folder written by `adagram encode`.")],
    output: Annotated[Path, Option("--output", "-o", help="Folder of models and results.")] = Path("runs"),
    data: Annotated[Path | None, Option(help="Folder of the data sets.")] = None,
    heldout: Annotated[
        Path | None, Option(help="Text for the likelihood (default: heldout.txt* beside the corpus).")
    ] = None,
    dim: Annotated[int, Option(help="D, length of the vectors.")] = _DEFAULTS.dim,
    window: Annotated[int, Option(help="Context words on each side in training.")] = _DEFAULTS.window,
    subsample: Annotated[float, Option(help="Drop frequent words; 0 is off, as in the paper.")] = _DEFAULTS.subsample,
    epochs: Annotated[int, Option(help="Passes over the corpus.")] = _DEFAULTS.epochs,
    min_count: Annotated[int, Option(min=1, help="Rarer words are left out.")] = 20,
    threads: Annotated[int | None, Option(min=1, help="Threads to train with.", show_default="all cores")] = None,
    seed: Annotated[int, Option(help="Seed of all random numbers.")] = _DEFAULTS.seed,
    bootstrap: Annotated[int, Option(min=0, help="Resamples for the 95 % intervals; 0: none.")] = 1000,
    trained_only: Annotated[bool, Option("--trained-only", help="Train nothing: use only models that exist.")] = False,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
) -> None:
    """Train what is missing and write the paper's tables and figures: Markdown, CSV and PNG under OUTPUT.

    Example: adagram reproduce wsi --corpus wiki.txt.zst --data data/ --output runs/ --dim 100 --subsample 1e-4

    Models are kept and used again. In a folder with results, only experiments that are missing run; --overwrite repeats
    the others.
    """
    from adagram.experiments.reproduce.run import reproduce as run
    from adagram.experiments.reproduce.setup import Callbacks, Settings
    from adagram.training.progress import Interrupted

    base = TrainConfig.from_preset(
        "paper", dim=dim, window=window, subsample=subsample, epochs=epochs, threads=threads, seed=seed
    )
    settings = Settings(corpus, output, data, heldout, base, min_count, bootstrap, not trained_only, overwrite)
    try:
        with progress_bar() as reading, training_progress() as training:
            for result in run(experiment, settings, Callbacks(log, training, reading)):
                _print_result(result, json)
    except Interrupted:
        log("adagram: stopped; give the same command again to go on")
        raise typer.Exit(130) from None
    log(f"results written to {output / 'index.md'}")


def _print_result(result: Result, json: bool) -> None:
    for table in result.tables:
        if json:
            for row in table.rows:
                cells = zip(table.columns, row, strict=True)
                print_json([("experiment", result.name), ("table", table.name), *cells])
        else:
            print(f"# {result.name}: {table.title}\n\n{table.markdown()}\n")
    for remark in result.remarks:
        log(remark)


def wwsi(
    dump: Annotated[
        list[Path] | None, Argument(help="A pages-articles.xml.bz2 dump (.gz, .xz, .zst, plain), or its parts.")
    ] = None,
    output: Annotated[Path, Option(help="The data set; its other files go beside it.")] = Path("wwsi.tsv"),
    config: Annotated[Path | None, Option(help="TOML file with your lists and thresholds.")] = None,
    print_config: Annotated[bool, Option("--print-config", help="Print the default rules and stop.")] = False,
    min_count: Annotated[
        int | None, Option(help="Minimum occurrences of a word in the dump.", show_default="5000")
    ] = None,
    window: Annotated[int | None, Option(help="Words on each side of a context.", show_default="5")] = None,
    min_contexts: Annotated[int | None, Option(help="Minimum contexts of a sense.", show_default="30")] = None,
    min_senses: Annotated[int | None, Option(help="Minimum senses of a word.", show_default="2")] = None,
    report: Annotated[Path | None, Option(help="Markdown report.", show_default="beside the output")] = None,
    threads: Annotated[int | None, Option(min=1, help="Cores to use.", show_default="all")] = None,
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Build WWSI, a word-sense induction data set, from a Wikipedia dump.

    Example: adagram wwsi enwiki-latest-pages-articles-multistream.xml.bz2 --output wwsi.tsv

    Writes wwsi.tsv, its halves wwsi.train.tsv and wwsi.test.tsv, and wwsi.report.md.
    """
    from adagram.experiments.wwsi.build import Files, build
    from adagram.experiments.wwsi.rules import default_config, load_rules

    if print_config:
        if json:
            print_json([("config", default_config())])
        else:
            typer.echo(default_config(), nl=False)
        return
    if not dump:
        raise InputError("give a dump to read, such as enwiki-latest-pages-articles.xml.bz2")
    thresholds = {
        "min_count": min_count, "window": window, "min_contexts": min_contexts, "min_senses": min_senses
    }  # fmt: skip
    check_output(output, *dump, config)
    rules, files = load_rules(config, **thresholds), Files.beside(output, report)
    with progress_bar() as show_progress:
        data = build(dump, files, rules, threads or os.cpu_count() or 1, show_progress, overwrite)
    parts = zip((files.all, files.train, files.test), (data, *data.split()), strict=True)
    rows = [(str(path), len(part.words), part.n_senses, part.n_contexts, part.mean_shared) for path, part in parts]
    print_table("file words senses contexts shared_words", rows, json)
    if not data.words:
        log("No word passed every filter; the report says which filter removed how many.")
    log(f"Also written: {files.report}")
