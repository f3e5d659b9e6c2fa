"""Figure 1: how many senses words have under α, and how that follows their frequency."""

from __future__ import annotations

from functools import partial

import numpy as np

from adagram.model import Model
from adagram.plots.resolution import resolution_figure, senses_by_frequency, words_per_number_of_senses
from adagram.reproduce.experiments.base import Experiment
from adagram.reproduce.models import Trained, adagram
from adagram.reproduce.result import Figure, Result
from adagram.reproduce.setup import Setup
from adagram.reproduce.tables import Cell, Table

VARIANTS = tuple(adagram(alpha) for alpha in (0.05, 0.1, 0.15, 0.2, 0.5))


def run(setup: Setup) -> Result:
    models = setup.trained(VARIANTS)
    named = {trained.variant.label: trained.model for trained in models}
    figure = Figure(
        "senses", "Words with k senses; senses against frequency", partial(resolution_figure, named)
    )
    return Result(
        "senses",
        "Number of senses under α (the paper's figure 1)",
        [_summary(models), _distribution(named), _bins(named)],
        [figure],
        ["A sense counts as learned when its prior is above 1e-3 and its expected count is at least 1."],
    )


def _summary(models: list[Trained]) -> Table:
    rows: list[list[Cell]] = []
    for trained in models:
        n = np.diff(trained.model.offsets)
        weights = np.asarray(trained.model.vocabulary.counts, dtype=np.float64)
        rows.append(
            [
                trained.variant.label,
                float(n.mean()),
                float(n @ weights / weights.sum()),
                int((n > 1).sum()),
                int(n.max()),
            ]
        )
    columns = ["model", "senses per word", "senses per token", "words with several", "most"]
    return Table("summary", "In one line per model", columns, rows)


def _distribution(models: dict[str, Model]) -> Table:
    found = [words_per_number_of_senses(model) for model in models.values()]
    most = max(len(n_k) for n_k in found)
    columns = [np.pad(n_k, (0, most - len(n_k))) for n_k in found]
    rows: list[list[Cell]] = [[k, *(int(n_k[k]) for n_k in columns)] for k in range(1, most)]
    return Table("distribution", "Words with k senses", ["k", *models], rows)


def _bins(models: dict[str, Model]) -> Table:
    found = [senses_by_frequency(model) for model in models.values()]
    rows: list[list[Cell]] = [
        [float(x), *(float(means[i]) for _, means in found)] for i, x in enumerate(found[0][0])
    ]
    title = "Mean number of senses in 30 bins of log10 frequency"
    return Table("bins", title, ["log10 count", *models], rows)


SENSES = Experiment("senses", "number of senses per word under α (figure 1)", VARIANTS, run)
