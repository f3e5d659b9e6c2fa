"""Table "NN": what the senses of the paper's words are near to; table "resolution": "light" and "core" under α."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

from adagram.model import Model
from adagram.reproduce import paper
from adagram.reproduce.experiments.base import Experiment
from adagram.reproduce.figures import sense_bars_figure
from adagram.reproduce.models import SKIPGRAM, adagram
from adagram.reproduce.result import Figure, Result
from adagram.reproduce.setup import Setup
from adagram.reproduce.tables import Cell, Table

SHOWN = 5  # neighbours of a sense
LEAST_PRIOR = 0.01  # senses below it are counted, not shown
LEAST_COUNT = 50.0  # neighbours that occur less often say little
NN_ENTRIES = (adagram(0.1),)
RESOLUTION_ENTRIES = (SKIPGRAM, *(adagram(alpha) for alpha in (0.05, 0.075, 0.1)))


def run_nn(setup: Setup) -> Result:
    (trained,) = setup.trained(NN_ENTRIES)
    rows: list[list[Cell]] = []
    bars = []
    for word, theirs in paper.NEIGHBOURS.items():
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
            f"Senses with a prior of at least {LEAST_PRIOR:g}, in stick order; "
            "rows are not matched with the paper's.",
            f"Neighbours are senses of other words with an expected count of at least {LEAST_COUNT:g}.",
        ],
    )


def run_resolution(setup: Setup) -> Result:
    rows: list[list[Cell]] = []
    bars = []
    for word, by_model in paper.RESOLUTION.items():
        for trained in setup.trained(RESOLUTION_ENTRIES):
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
        [f"Senses with a prior of at least {LEAST_PRIOR:g}, in stick order."],
    )


def described(model: Model, word: str) -> paper.Senses:
    """Prior and neighbouring words of every sense worth showing; nothing where the word is not known."""
    if word not in model.vocabulary:
        return []
    senses = model.senses(word, top=4 * SHOWN, min_count=LEAST_COUNT)
    return [
        (sense.prior, ", ".join(_words([n.name for n in sense.neighbours])))
        for sense in senses
        if sense.prior >= LEAST_PRIOR
    ]


def _words(names: Sequence[str]) -> list[str]:
    """Words of sense names, each once."""
    return list(dict.fromkeys(name.rpartition("#")[0] for name in names))[:SHOWN]


def side_by_side(ours: paper.Senses, theirs: paper.Senses) -> list[list[Cell]]:
    if not ours:
        return [[None, "not in the vocabulary", None, ""], *([None, "", *sense] for sense in theirs)]
    return [[*a, *b] for a, b in zip_longest(ours, theirs, fillvalue=(None, ""))]


NN = Experiment("nn", 'nearest neighbours of senses (table "NN")', NN_ENTRIES, run_nn)
RESOLUTION = Experiment(
    "resolution", '"light" and "core" under α (table "resolution")', RESOLUTION_ENTRIES, run_resolution
)
