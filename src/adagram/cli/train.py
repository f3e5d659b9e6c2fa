"""`adagram train`: from any corpus to a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adagram.cli.options import Corpus, corpus_paths, takes_options
from adagram.cli.output import OverwriteOption, ToldAsJson, say, tell
from adagram.cli.progress import progress_bar, training_progress
from adagram.cli.ray_options import Ray, Workers, cluster_options
from adagram.config import EncodeOptions, TrainConfig, check_used, read_options

if TYPE_CHECKING:
    from adagram.model import Model

_SAVING = "Saving"
_FEW = 0.02  # share of words with several senses below which something should be said
_LITTLE = 20_000_000  # words of text
_FINDS_MORE = {"alpha": 0.5, "epochs": 10}


Continue = Annotated[
    Path | None,
    typer.Option(
        "--continue",
        metavar="MODEL",
        help="Go on from this model: its senses keep their numbers, new words and senses come after them.",
        show_default="none",
    ),
]


def register(app: typer.Typer) -> None:
    app.command()(train)


@takes_options(TrainConfig, EncodeOptions)
def train(
    corpus: Corpus,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the model to.")],
    options: dict[str, Any],
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
    start: Continue = None,
    overwrite: OverwriteOption = False,
    json: ToldAsJson = False,
) -> None:
    """Learn the senses of the words of a corpus.

    Example: adagram train corpus.txt.gz --output model/ --dim 100 --subsample 1e-4

    CORPUS is any text, a folder written by `adagram encode`, or - for standard input. Ctrl-C writes a checkpoint
    beside OUTPUT and stops; the same command with --resume goes on where it was. A model that exists is replaced only
    with --overwrite, when the new one is complete. With --ray many machines train together: CORPUS and OUTPUT must
    then be on a file system that all of them see.

    With --continue, - is a stream: every million words are learned when they have come, and Ctrl-C ends it with a whole
    model. Words that are new in a stream are counted and join the model with the next text; in a file they join
    at once.
    """
    from adagram.api import Listener, check_encoded, start_of, train_any
    from adagram.model.about import objective_name
    from adagram.training.checkpoint import Saving
    from adagram.training.progress import Interrupted

    paths = corpus_paths(corpus)
    source: Any = paths[0] if len(paths) == 1 else paths
    beginning = start_of(start, lambda sentence: say(f"adagram: {sentence}")) if start else None
    config, encoding = beginning.options(options) if beginning else read_options(options)
    check_used(options, config.algorithm)
    check_encoded(source, options)
    saving = Saving(output, checkpoint_minutes, resume, overwrite)
    cluster = cluster_options(ray, workers)
    try:
        with progress_bar() as reading, training_progress(objective_name(config)) as report:
            listener = Listener(report, reading)
            model = train_any(source, config, encoding, saving, listener, cluster, beginning)
    except Interrupted:
        say(
            f"adagram: stopped; the checkpoint is {output}.checkpoint, go on with the same command and --resume"
        )
        raise typer.Exit(130) from None
    _tell(model, output, json)
    if cluster:
        _tell_of_workers(model.info["training"])


def _tell_of_workers(training: dict[str, Any]) -> None:
    if training["workers"] > 1:
        say(
            f"{training['workers']} workers sent {training['sent_mb_per_million_words']:.0f} MB per million words; "
            f"the largest had {training['worker_peak_mb']:.0f} MB of memory"
        )


def _tell(model: Model, output: Path, as_json: bool) -> None:
    """What was learned, where to look, and what to change if it is little."""
    several, words = int((model.offsets[1:] - model.offsets[:-1] > 1).sum()), len(model.vocabulary)
    tokens = model.info["corpus"]["tokens"]
    hint = advice(model.config, several / words, tokens)
    told = (
        f"{output}: {words} words, {model.n_senses} senses; {several} words have several. "
        f"Look with: adagram words {output} --ambiguous"
    )
    facts = {"words": words, "senses": model.n_senses, "words_with_several_senses": several}
    facts |= {"unknown_words": len(model.unknown)} if model.unknown else {}
    training = {f"training_{name}": value for name, value in model.info["training"].items()}
    tell(as_json, told, model=output, corpus_words=tokens, **facts, **training, advice=hint or None)
    if hint:
        say(hint)
    if model.unknown and len(model.info["seen"]) > 1:
        say(
            f"{len(model.unknown)} words were too rare so far; they join once they have min_count uses in all"
        )


def advice(config: TrainConfig, share: float, n_tokens: int) -> str:
    """What to change where hardly a word got several senses; nothing where the text is long or all was done.

    On 2 M words of Wikipedia in 10 epochs the words of WWSI got 2.96 senses with alpha 0.5, 1.88 with alpha 0.15.
    """
    more = {name: value for name, value in _FINDS_MORE.items() if getattr(config, name) != value}
    if config.algorithm != "adagram" or share >= _FEW or n_tokens >= _LITTLE or not more:
        return ""
    options = " ".join(f"--{name} {value:g}" for name, value in more.items())
    return f"That is few: {n_tokens:,} words of text are little. More senses are found with {options}"
