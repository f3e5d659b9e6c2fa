"""`adagram evaluate`: score a model, or an answer file, on a public task."""

from __future__ import annotations

from typing import Annotated

import typer

from adagram.cli import evaluate_support as shared
from adagram.cli.evaluate_support import (
    AnswersOption,
    BootstrapOption,
    DataPath,
    JsonOption,
    KeyOption,
    PerWordOption,
    SeedOption,
    StopWordsOption,
    SystemPath,
    WindowOption,
)

app = typer.Typer(
    help="Score a model, or an answer file, on a public task.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def register(root: typer.Typer) -> None:
    root.add_typer(app, name="evaluate")


@app.command()
def wsi(
    system: SystemPath,
    data: DataPath,
    key: KeyOption = None,
    window: WindowOption = 5,
    stop_words: StopWordsOption = None,
    answers: AnswersOption = None,
    per_word: PerWordOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Word sense induction: ARI, V-measure and paired F of the most probable senses.

    DATA: a TSV (target, instance_id, sense, left, right, surface), SemEval-2007, 2010 or 2013 XML (a file or
    a folder), dataset.txt with its key.txt, or wwsi.txt; to score ANSWERS, a gold key alone is enough.
    """
    from adagram.evaluation.keys import key_text
    from adagram.evaluation.protocol import hard_answers
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.wsi import score_wsi

    rule = shared.context_rule(window, stop_words)
    gold, found = shared.gold_and_answers(system, data, key, rule, hard_answers)
    report = score_wsi(gold, found, Resampling(bootstrap, seed))
    shared.save_answers(answers, system, key_text(found) if answers else "")
    shared.emit(report, per_word, json)


@app.command()
def fuzzy(
    system: SystemPath,
    data: DataPath,
    key: KeyOption = None,
    window: WindowOption = 5,
    stop_words: StopWordsOption = None,
    share: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Least posterior of an answered sense, as a share of the best's."
        ),
    ] = 0.1,
    answers: AnswersOption = None,
    per_word: PerWordOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Graded word sense induction (SemEval-2013 task 13): fuzzy NMI and fuzzy B-cubed of the posteriors.

    DATA and ANSWERS in the same forms as for wsi; --share 1 answers with the most probable sense alone.
    """
    from functools import partial

    from adagram.evaluation.keys import key_text
    from adagram.evaluation.protocol import graded_answers
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.wsi import score_fuzzy

    rule = shared.context_rule(window, stop_words)
    gold, found = shared.gold_and_answers(system, data, key, rule, partial(graded_answers, share=share))
    report = score_fuzzy(gold, found, Resampling(bootstrap, seed))
    shared.save_answers(answers, system, key_text(found) if answers else "")
    shared.emit(report, per_word, json)
