"""The senses of words: their neighbours (tables "NN" and "resolution") and their number under α (figure 1)."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest

import numpy as np

from adagram.experiments.reproduce.models import SKIPGRAM, Trained, adagram
from adagram.experiments.reproduce.results import Cell, Figure, Result, Table, sense_bars_figure
from adagram.experiments.reproduce.setup import PAPER, Experiment, Setup
from adagram.model import Model
from adagram.model.neighbours import nearest
from adagram.plots.resolution import resolution_figure, senses_by_frequency, words_per_number_of_senses

SHOWN = 5  # neighbours of a sense
MIN_PRIOR = 0.01  # senses below it are counted, not shown
MIN_COUNT = 50.0  # rarer neighbours are left out
Senses = list[tuple[float, str]]  # prior and nearest neighbours of each
NN_VARIANTS = (adagram(0.1),)
RESOLUTION_VARIANTS = (SKIPGRAM, *(adagram(alpha) for alpha in (0.05, 0.075, 0.1)))


def run_nn(setup: Setup) -> Result:
    (trained,) = setup.trained(NN_VARIANTS)
    rows: list[list[Cell]] = []
    bars = []
    for word, theirs in PAPER["neighbours"].items():
        ours = described(trained.model, word)
        bars.append((word, ours))
        rows += [[word if i == 0 else "", *cells] for i, cells in enumerate(side_by_side(ours, theirs))]
    columns = ["word", "p(z)", "nearest neighbours", "paper p(z)", "paper's nearest neighbours"]
    table = Table("nn", f"Nearest neighbours of the senses, {trained.variant.label}", columns, rows, digits=2)
    return Result(
        "nn",
        'Nearest neighbours of senses (the paper\'s table "NN")',
        [table],
        [Figure("nn", "Senses of the paper's words", partial(sense_bars_figure, bars=bars))],
        [
            f"Senses with a prior of at least {MIN_PRIOR:g}, in stick order; "
            "rows are not matched with the paper's.",
            f"Neighbours are senses of other words with an expected count of at least {MIN_COUNT:g}, by the cosine of "
            "the learned vectors.",
        ],
    )


def run_resolution(setup: Setup) -> Result:
    rows: list[list[Cell]] = []
    bars = []
    for word, by_model in PAPER["resolution"].items():
        for trained in setup.trained(RESOLUTION_VARIANTS):
            ours = described(trained.model, word)
            bars.append((f"{word}, {trained.variant.label}", ours))
            both = side_by_side(ours, by_model[trained.variant.key])
            head: list[Cell] = [word, trained.variant.label]
            rows += [[*(head if i == 0 else ["", ""]), *cells] for i, cells in enumerate(both)]
    columns = ["word", "model", "p(z)", "nearest neighbours", "paper p(z)", "paper's nearest neighbours"]
    table = Table("resolution", 'Senses of "light" and "core"', columns, rows, digits=2)
    return Result(
        "resolution",
        'Semantic resolution under α (the paper\'s table "resolution")',
        [table],
        [Figure("resolution", "More senses with a larger α", partial(sense_bars_figure, bars=bars))],
        [f"Senses with a prior of at least {MIN_PRIOR:g}, in stick order."],
    )


def described(model: Model, word: str) -> Senses:
    """Return prior and neighbouring words of each sense above MIN_PRIOR; empty if the word is unknown."""
    if word not in model.vocabulary:
        return []
    rows = np.arange(model.rows(word).start, model.rows(word).stop)
    rows = rows[model.priors[rows] >= MIN_PRIOR]
    found = nearest(model, rows, SHOWN, MIN_COUNT, learned=True)
    words = [[name.rpartition("#")[0] for name in model.names(near)] for near, _ in found]
    return [(float(model.priors[row]), ", ".join(near)) for row, near in zip(rows, words, strict=True)]


def side_by_side(ours: Senses, theirs: Senses) -> list[list[Cell]]:
    if not ours:
        return [[None, "not in the vocabulary", None, ""], *([None, "", *sense] for sense in theirs)]
    return [[*a, *b] for a, b in zip_longest(ours, theirs, fillvalue=(None, ""))]


NN = Experiment("nn", 'nearest neighbours of senses (table "NN")', NN_VARIANTS, run_nn)
RESOLUTION = Experiment(
    "resolution", '"light" and "core" under α (table "resolution")', RESOLUTION_VARIANTS, run_resolution
)


VARIANTS = tuple(adagram(alpha) for alpha in (0.05, 0.1, 0.15, 0.2, 0.5))


def run(setup: Setup) -> Result:
    models = setup.trained(VARIANTS)
    named = {trained.variant.label: trained.model for trained in models}
    figure = Figure(
        "senses",
        "Words with k senses; senses against frequency and against the resolution at use",
        partial(resolution_figure, named),
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
