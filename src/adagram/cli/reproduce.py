"""`adagram reproduce`: the paper's tables and figures on the data you have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.output import JsonOption, OverwriteOption, say, show_json
from adagram.cli.progress import progress_bar, training_progress
from adagram.config import TrainConfig

if TYPE_CHECKING:
    from adagram.experiments.reproduce.results import Result

NAMES = "nn, resolution, senses, likelihood, wsi, fuzzy, search, scws"
_DEFAULTS = TrainConfig.from_preset("paper")


def register(app: typer.Typer) -> None:
    app.command()(reproduce)


def reproduce(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT|all", help=f"One of {NAMES}; or all.")],
    corpus: Annotated[Path, typer.Option(help="Text to train on, or a folder written by `adagram encode`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of models and results.")] = Path(
        "runs"
    ),
    data: Annotated[Path | None, typer.Option(help="Folder of the data sets.")] = None,
    heldout: Annotated[
        Path | None, typer.Option(help="Text for the likelihood; else heldout.txt* beside the corpus.")
    ] = None,
    dim: Annotated[int, typer.Option(help="D, length of the vectors.")] = _DEFAULTS.dim,
    window: Annotated[int, typer.Option(help="Context words on each side in training.")] = _DEFAULTS.window,
    subsample: Annotated[
        float, typer.Option(help="Drop frequent words; 0 is off, as in the paper.")
    ] = _DEFAULTS.subsample,
    epochs: Annotated[int, typer.Option(help="Passes over the corpus.")] = _DEFAULTS.epochs,
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words are left out.")] = 20,
    threads: Annotated[int, typer.Option(help="Threads to train with; 0 is all cores.")] = _DEFAULTS.threads,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = _DEFAULTS.seed,
    bootstrap: Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals; 0: none.")] = 1000,
    trained_only: Annotated[
        bool, typer.Option("--trained-only", help="Train nothing: report on the models that are there.")
    ] = False,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
) -> None:
    """Train what is missing and write the paper's tables and figures: Markdown, CSV and PNG under OUTPUT.

    Example: adagram reproduce wsi --corpus wiki.txt.zst --data data/ --output runs/ --dim 100 --subsample 1e-4

    Models are kept and used again. Into a folder with results, the run goes on where it was: experiments that are done
    are left as they are. --overwrite does them again.
    """
    from adagram.experiments.reproduce.models import Callbacks, Settings
    from adagram.experiments.reproduce.run import reproduce as run
    from adagram.training.interrupt import Interrupted

    base = TrainConfig.from_preset(
        "paper", dim=dim, window=window, subsample=subsample, epochs=epochs, threads=threads, seed=seed
    )
    settings = Settings(
        corpus, output, data, heldout, base, min_count, bootstrap, not trained_only, overwrite
    )
    try:
        with progress_bar() as reading, training_progress("objective") as training:
            for result in run(experiment, settings, Callbacks(say, training, reading)):
                _show(result, json)
    except Interrupted:
        say("adagram: stopped; give the same command again to go on")
        raise typer.Exit(130) from None
    say(f"results written to {output / 'index.md'}")


def _show(result: Result, json: bool) -> None:
    for table in result.tables:
        if json:
            for record in table.records():
                named = {"experiment": result.name, "table": table.name, **record}
                show_json(named.items())
        else:
            print(f"# {result.name}: {table.title}")
            print(table.tsv())
    for remark in result.remarks:
        say(remark)
