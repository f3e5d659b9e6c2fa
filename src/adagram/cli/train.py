"""`adagram train`: from any corpus to a model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from adagram.cli.corpus_options import Corpus, takes_corpus_options
from adagram.cli.output import say
from adagram.cli.progress import progress_bar, training_progress
from adagram.cli.ray_options import Ray, Workers, cluster_options
from adagram.config import TrainConfig

if TYPE_CHECKING:
    from adagram.corpus import EncodeOptions

_SAVING = "Saving"


def register(app: typer.Typer) -> None:
    app.command()(train)


def takes_training_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb one option per field of TrainConfig; it receives them as `config: TrainConfig`."""
    types = get_type_hints(TrainConfig)
    options = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=Annotated[
                types[field.name],
                typer.Option(
                    *([f"--{field.name.replace('_', '-')}"] if types[field.name] is bool else []),
                    help=field.metadata["help"],
                    rich_help_panel=field.metadata["panel"],
                ),
            ],
        )
        for field in fields(TrainConfig)
    ]

    @functools.wraps(command)
    def wrapper(**values: Any) -> Any:
        config = TrainConfig(**{option.name: values.pop(option.name) for option in options})
        return command(**values, config=config)

    own = [p for name, p in inspect.signature(command).parameters.items() if name != "config"]
    wrapper.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in [*own, *options]}
    return wrapper


@takes_training_options
@takes_corpus_options
def train(
    corpus: Corpus,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the model to.")],
    corpus_options: EncodeOptions,
    config: TrainConfig,
    checkpoint_minutes: Annotated[
        float,
        typer.Option(min=0, help="Minutes between checkpoints; 0 only on Ctrl-C.", rich_help_panel=_SAVING),
    ] = 5.0,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on from the checkpoint of OUTPUT.", rich_help_panel=_SAVING),
    ] = False,
    ray: Ray = None,
    workers: Workers = None,
) -> None:
    """Learn the senses of the words of a corpus.

    Example: adagram train corpus.txt.gz --output model/ --dim 100 --subsample 1e-4

    CORPUS is any text, or a folder written by `adagram encode`. Ctrl-C writes a checkpoint beside OUTPUT and
    stops; the same command with --resume goes on where it was. With --ray many machines train together: CORPUS and
    OUTPUT must then be on a file system that all of them see.
    """
    from adagram.api import Listener, train_any
    from adagram.training.checkpoint import Saving
    from adagram.training.interrupt import Interrupted

    source: Any = corpus[0] if len(corpus) == 1 else corpus
    options = replace(corpus_options, threads=config.n_threads)
    saving = Saving(output, checkpoint_minutes, resume)
    cluster = cluster_options(ray, workers)
    try:
        with progress_bar() as reading, training_progress() as report:
            model = train_any(source, config, options, saving, Listener(report, reading), cluster)
    except Interrupted:
        say(
            f"adagram: stopped; the checkpoint is {output}.checkpoint, go on with the same command and --resume"
        )
        raise typer.Exit(130) from None
    several = int((model.offsets[1:] - model.offsets[:-1] > 1).sum())
    say(
        f"{output}: {len(model.vocabulary)} words, {model.n_senses} senses; {several} words have several. "
        f"Look with: adagram senses {output} WORD"
    )
    training = model.info["training"]
    if cluster and training["workers"] > 1:
        say(
            f"{training['workers']} workers sent {training['sent_mb_per_million_words']:.0f} MB per million words; "
            f"the largest had {training['worker_peak_mb']:.0f} MB of memory"
        )
