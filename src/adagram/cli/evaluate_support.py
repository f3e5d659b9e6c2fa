"""What the evaluate commands share: options, answers from a model or a file, the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adagram.cli.output import say, show
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.evaluation.protocol import ContextRule, Disambiguated
    from adagram.evaluation.report import Evaluation
    from adagram.evaluation.wsi_data import Key
    from adagram.model import Model

    AnswerMaker = Callable[[Model, Disambiguated], Key]

SystemPath = Annotated[
    Path, typer.Argument(metavar="MODEL|ANSWERS", help="A model folder, or a file of answers to score.")
]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.")]
DataPath = Annotated[Path, typer.Argument(metavar="DATA", help="The data set.")]
KeyOption = Annotated[
    Path | None, typer.Option(help="Gold key, where the set keeps it apart and it does not lie beside it.")
]
StopWordsOption = Annotated[
    Path | None, typer.Option(help="File of words, one a line, that are never context; or `english`.")
]
AnswersOption = Annotated[
    Path | None, typer.Option(help="Also write the model's answers there, in the task's official format.")
]
PerWordOption = Annotated[bool, typer.Option("--per-word", help="One row per word in place of the totals.")]
PerQueryOption = Annotated[bool, typer.Option("--per-query", "--per-word", help="One row per query.")]
PerPairOption = Annotated[bool, typer.Option("--per-pair", help="One row per pair in place of the totals.")]
BootstrapOption = Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals; 0: none.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON lines in place of TSV.")]


def context_rule(window: int | None, stop_words: Path | None, context_weights: str) -> ContextRule:
    from adagram.corpus.languages import ENGLISH
    from adagram.evaluation.lines import numbered_lines
    from adagram.evaluation.protocol import ContextRule

    if str(stop_words) == "english":
        return ContextRule(window, ENGLISH, context_weights)
    words = [line.strip() for _, line in numbered_lines(stop_words)] if stop_words else []
    return ContextRule(window, frozenset(words) - {""}, context_weights)


def load_model(path: Path, raw: bool) -> Model:
    import adagram

    return adagram.load(path, raw)


def is_model(system: Path) -> bool:
    """Return whether MODEL|ANSWERS names a model: a folder, a packed one or one on the Hub."""
    from adagram.files.hub import is_archive

    return system.is_dir() or is_archive(system)


def gold_and_answers(
    system: Path, data: Path, key: Path | None, rule: ContextRule, make_answers: AnswerMaker, raw: bool
) -> tuple[Key, Key]:
    """Gold senses, and the answers of a model folder or of an answer file."""
    from adagram.evaluation.protocol import disambiguate
    from adagram.evaluation.wsi_data import gold_key, read_key
    from adagram.evaluation.wsi_sets import read_gold, read_instances

    if not is_model(system):
        return read_gold(data, key), read_key(system)
    model = load_model(system, raw)
    instances = read_instances(data, key)
    return gold_key(instances), make_answers(model, disambiguate(model, instances, rule))


def save_answers(path: Path | None, system: Path, text: str, overwrite: bool) -> None:
    """Write the answers of a model where --answers asks for them."""
    from adagram.files.atomic import write_text

    if path is None:
        return
    if not is_model(system):
        raise InputError(f"--answers {path}: {system} already is an answer file; nothing to write")
    write_text(path, text, overwrite)
    say(f"answers written to {path}")


def emit(report: Evaluation, per_item: bool, json: bool) -> None:
    """Print the totals or the rows per item on stdout, the remarks on stderr."""
    rows: list[dict[str, Any]] = report.per_item if per_item else [vars(score) for score in report.scores]
    if rows:
        show(list(rows[0]), (list(row.values()) for row in rows), json, number="{:.4f}".format)
    for remark in report.remarks:
        say(remark)
