"""Contextual word similarity on SCWS: Spearman's ρ of AvgSimC and MaxSimC."""

from __future__ import annotations

from functools import partial

from adagram.evaluation.protocol import ContextRule
from adagram.evaluation.report import Resampling
from adagram.evaluation.similarity import AVG_SIM_C, score_scws
from adagram.experiments.reproduce import paper
from adagram.experiments.reproduce.context import Experiment, Setup
from adagram.experiments.reproduce.figures import Dot, dots_figure
from adagram.experiments.reproduce.models import MPSG, MSSG, NP_MSSGS, SKIPGRAM, SKIPGRAM_NS, adagram
from adagram.experiments.reproduce.results import Cell, Figure, Result, Table

VARIANTS = (MSSG, *NP_MSSGS, MPSG, SKIPGRAM, SKIPGRAM_NS, adagram(0.1), adagram(0.15))
WINDOWS = (2, 5)  # the paper takes the four nearest words; ours is five each side elsewhere
METRICS = ("AvgSimC", "MaxSimC")


def run(setup: Setup) -> Result:
    pairs = setup.data.scws
    rows: list[list[Cell]] = []
    panels: dict[str, list[Dot]] = {metric: [] for metric in METRICS}
    for trained in setup.trained(VARIANTS):
        setup.say(f"SCWS by {trained.variant.label}")
        narrow = score_scws(trained.model, pairs, ContextRule(WINDOWS[0]), setup.how)
        wide = score_scws(trained.model, pairs, ContextRule(WINDOWS[1]), Resampling(0))
        theirs = paper.SCWS.get(trained.variant.in_paper, (None, None))
        row: list[Cell] = [trained.variant.label]
        for metric, value in zip(METRICS, theirs, strict=True):
            score = next(s for s in narrow.scores if s.metric == metric)
            panels[metric].append(Dot(trained.variant.label, score.value, score.low, score.high, value))
            row += [score.value, wide.value(metric), value]
        divided = narrow.value("AvgSimC/K1K2")
        rows.append([*row, divided, narrow.value("globalSim"), round(narrow.value("coverage"), 4)])
    columns = ["system"]
    for metric in METRICS:
        columns += [metric, f"{metric}, window {WINDOWS[1]}", f"paper's {metric}"]
    columns += ["AvgSimC/K1K2", "globalSim", "coverage"]
    table = Table("scws", "Spearman's ρ × 100", columns, rows, digits=1, digits_of={"coverage": 3})
    figure = Figure("scws", "SCWS", partial(dots_figure, panels=panels, x_label="Spearman's ρ × 100"))
    remarks = [
        f"Contexts of {WINDOWS[0]} words each side (the paper: the 4 nearest words), and of {WINDOWS[1]} beside it.",
        f"{AVG_SIM_C}. The paper prints one column, and gives the formula with the division; ours that is beside it "
        "does not divide, since p(k | w, C) already weighs the senses and a word should not seem less similar for "
        "having more of them.",
        "The paper's Skip-gram with negative sampling has dim 900 and three epochs; its MSSG and MPSG values are "
        "those of their authors.",
    ]
    return Result("scws", "Contextual word similarity (SCWS)", [table], [figure], remarks)


SCWS = Experiment("scws", "contextual word similarity", VARIANTS, run)
