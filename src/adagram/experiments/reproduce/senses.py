"""The senses of words: their neighbours (tables "NN" and "resolution") and their number under α (figure 1)."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from adagram.experiments.reproduce.results import Cell, Figure, Result, Table
from adagram.experiments.reproduce.setup import PAPER, Models, Setup
from adagram.model import Model
from adagram.model.neighbours import nearest
from adagram.plots.figures import resolution_figure, senses_by_frequency, words_per_number_of_senses

SHOWN = 5  # neighbours of a sense
MIN_PRIOR = 0.01  # senses below it are counted, not shown
MIN_COUNT = 50.0  # rarer neighbours are left out
Senses = list[tuple[float, str]]  # prior and nearest neighbours of each
COLUMNS = ["word", "model", "p(z)", "nearest neighbours", "paper p(z)", "paper's nearest neighbours"]
REMARKS = [
    f"Senses with a prior of at least {MIN_PRIOR:g}, in stick order; rows are not matched with the paper's.",
    f"Neighbours are senses of other words with an expected count of at least {MIN_COUNT:g}, by the cosine of "
    "the learned vectors.",
]


def run_nn(setup: Setup, models: Models) -> Result:
    (variant,) = models
    theirs = {word: {variant.key: senses} for word, senses in PAPER["neighbours"].items()}
    rows = [[word, *cells] for word, _, *cells in _compared(models, theirs)]
    title = f"Nearest neighbours of the senses, {variant.label}"
    table = Table("nn", title, [COLUMNS[0], *COLUMNS[2:]], rows, digits=2)
    return Result("nn", 'Nearest neighbours of senses (the paper\'s table "NN")', [table], remarks=REMARKS)


def run_resolution(setup: Setup, models: Models) -> Result:
    rows = _compared(models, PAPER["resolution"])
    table = Table("resolution", 'Senses of "light" and "core"', COLUMNS, rows, digits=2)
    title = 'Semantic resolution under α (the paper\'s table "resolution")'
    return Result("resolution", title, [table], remarks=REMARKS)


def _compared(models: Models, theirs: dict[str, dict[str, Senses]]) -> list[list[Cell]]:
    """Rows of the senses of words, ours and the paper's side by side; the first of each has word and model."""
    rows: list[list[Cell]] = []
    for word, by_model in theirs.items():
        for variant, model in models.items():
            heads = [[word, variant.label]]
            both = side_by_side(described(model, word), by_model[variant.key])
            rows += [[*head, *cells] for head, cells in zip_longest(heads, both, fillvalue=["", ""])]
    return rows


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


def run_senses(setup: Setup, models: Models) -> Result:
    named = {variant.label: model for variant, model in models.items()}
    caption = "Words with k senses; senses against frequency and against the resolution at use"
    return Result(
        "senses",
        "Number of senses under α (the paper's figure 1)",
        [_summary(named), _distribution(named), _bins(named)],
        [Figure("senses", caption, resolution_figure(named))],
        ["A sense counts as learned when its prior is above 1e-3 and its expected count is at least 1."],
    )


def _summary(models: dict[str, Model]) -> Table:
    rows: list[list[Cell]] = []
    for label, model in models.items():
        n = np.diff(model.offsets)
        per_token = float(np.average(n, weights=model.vocabulary.counts))
        rows.append([label, float(n.mean()), per_token, int((n > 1).sum()), int(n.max())])
    columns = ["model", "senses per word", "senses per token", "words with several", "most"]
    return Table("summary", "In one line per model", columns, rows)


def _distribution(models: dict[str, Model]) -> Table:
    found = [words_per_number_of_senses(model)[1:].tolist() for model in models.values()]
    rows = [[k, *n_k] for k, n_k in enumerate(zip_longest(*found, fillvalue=0), 1)]
    return Table("distribution", "Words with k senses", ["k", *models], rows)


def _bins(models: dict[str, Model]) -> Table:
    found = [senses_by_frequency(model) for model in models.values()]
    rows = np.column_stack([found[0][0], *(means for _, means in found)]).tolist()
    title = "Mean number of senses in 30 bins of log10 frequency"
    return Table("bins", title, ["log10 count", *models], rows)
