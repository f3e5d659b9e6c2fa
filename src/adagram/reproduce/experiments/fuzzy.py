"""SemEval-2013 task 13 with graded senses: fuzzy NMI and fuzzy B-cubed."""

from __future__ import annotations

from functools import partial

from adagram.reproduce import paper
from adagram.reproduce.experiments.base import Experiment
from adagram.reproduce.figures import Dot, dots_figure
from adagram.reproduce.models import MPSG, MSSG, NP_MSSGS, adagram
from adagram.reproduce.result import Figure, Result
from adagram.reproduce.scores import TUNING_SET
from adagram.reproduce.setup import Setup
from adagram.reproduce.tables import Cell, Table

VARIANTS = (MSSG, *NP_MSSGS, MPSG, *(adagram(alpha) for alpha in (0.1, 0.15, 0.2)))
SET = "SemEval-2013"
SHARE = 0.1  # senses with at least this share of the best posterior are answered
METRICS = ("fuzzy-NMI", "fuzzy-B-cubed")


def run(setup: Setup) -> Result:
    rows: list[list[Cell]] = []
    panels: dict[str, list[Dot]] = {metric: [] for metric in METRICS}
    setup.data.wsi(SET)  # before any model is asked
    for trained in setup.trained(VARIANTS):
        window = setup.scores.window(trained)
        report = setup.scores.fuzzy(trained, SET, window, SHARE)
        theirs = paper.FUZZY.get(trained.variant.in_paper, (None, None))
        row: list[Cell] = [trained.variant.label, window]
        for metric, value in zip(METRICS, theirs, strict=True):
            score = next(s for s in report.scores if s.metric == metric)
            panels[metric].append(Dot(trained.variant.label, score.value, score.low, score.high, value))
            row += [score.value, value]
        rows.append([*row, report.value("senses-per-answer"), report.value("coverage")])
    columns = ["system", "window", "fuzzy NMI", "paper's NMI", "fuzzy B-cubed", "paper's B-cubed"]
    columns += ["senses per answer", "coverage"]
    table = Table("fuzzy", "Graded senses", columns, rows)
    figure = Figure(
        "fuzzy", "Fuzzy NMI and fuzzy B-cubed", partial(dots_figure, panels=panels, x_label="score")
    )
    remarks = [
        f"A system answers with every sense whose posterior is at least {SHARE:g} of the best one's; MSSG and NP-MSSG "
        "have no posterior and answer with the nearest sense alone.",
        f"Windows as chosen on the first half of {TUNING_SET}'s words.",
        "One sense for all contexts of a word scores B-cubed 0.623 with NMI 0: the two must be read together.",
    ]
    return Result("fuzzy", "Graded word sense induction (SemEval-2013 task 13)", [table], [figure], remarks)


FUZZY = Experiment("fuzzy", "graded senses of SemEval-2013 task 13", VARIANTS, run)
