"""Table "likelihood": predictive log-likelihood of held-out text, with the ARI on WWSI train beside it."""

from __future__ import annotations

from functools import partial

import numpy as np

from adagram.evaluation.report import interval
from adagram.experiments.reproduce.figures import Curve, Panel, curves_figure
from adagram.experiments.reproduce.models import SKIPGRAM, SKIPGRAM_2D, Trained, adagram
from adagram.experiments.reproduce.results import Cell, Figure, Result, Table
from adagram.experiments.reproduce.setup import DEFAULT_WINDOW, PAPER, WSI_SETS, Experiment, Setup
from adagram.model.predict import PART
from adagram.paper.schedule import thinned
from adagram.types import Floats

# The paper goes to 0.5; with less text the best α is larger, and 16 is clearly too much.
ALPHAS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1.0, 4.0, 16.0)
VARIANTS = (SKIPGRAM, SKIPGRAM_2D, *(adagram(alpha) for alpha in ALPHAS))
COLUMNS = ["model", "log-likelihood", "of subsampled text", "paper's log-likelihood", "ARI, WWSI train"]
COLUMNS += ["paper's ARI", "senses per word"]


def run(setup: Setup) -> Result:
    models = setup.trained(VARIANTS)
    whole = setup.heldout
    thin = thinned(whole, np.asarray(setup.models.corpus.vocabulary.counts), setup.settings.base.subsample)
    parts_of = {}  # by variant: of the whole text and, if training subsamples, of the subsampled one
    for trained in models:
        setup.say(f"likelihood under {trained.variant.label}")
        texts = [whole, thin] if len(thin) < len(whole) else [whole]
        parts_of[trained.variant.key] = [setup.likelihood(trained, text) for text in texts]
    rows = [_row(setup, trained, parts_of[trained.variant.key]) for trained in models]
    remarks = [
        f"Held-out text of {len(whole) / 1e6:.2f} M words in the vocabulary; nats per context word, Eq. (9), "
        f"window {setup.settings.base.window}. The paper's text is another one, so only the differences between "
        "models can be compared.",
        f"Intervals of differences resample pieces of {PART:,} words; they do not cover what another seed changes.",
        f"ARI with {DEFAULT_WINDOW} words each side. WWSI train is development data: α is chosen on it.",
    ]
    if len(thin) < len(whole):
        remarks.append(
            "Subsampled text: frequent words of the held-out text dropped at the rate of training "
            f"({len(thin) / 1e6:.2f} M words stay), as in training."
        )
    digits = {"log-likelihood": 4, "of subsampled text": 4}  # models differ by less than 0.001
    table = Table("likelihood", "Held-out log-likelihood", COLUMNS, rows, digits_of=digits)
    as_trained = {key: parts[-1] for key, parts in parts_of.items()}
    figures = [
        Figure(
            "likelihood", "Likelihood and ARI under α", partial(curves_figure, panels=_panels(models, rows))
        )
    ]
    title = 'Predictive likelihood (the paper\'s table "likelihood")'
    return Result("likelihood", title, [table, _differences(setup, models, as_trained)], figures, remarks)


def _row(setup: Setup, trained: Trained, parts: list[Floats]) -> list[Cell]:
    theirs, their_ari = PAPER["likelihood"].get(trained.variant.key, (None, None))
    ari = None
    if trained.variant.alpha is not None and setup.data.has(WSI_SETS["WWSI"]):
        ari = setup.scores.wsi(trained, "WWSI", DEFAULT_WINDOW).value("ARI")
    of_whole = _per_word(parts[0])
    of_thinned = _per_word(parts[1]) if len(parts) > 1 else None
    per_word = trained.model.n_senses / len(trained.model.vocabulary)
    return [_label(trained), of_whole, of_thinned, theirs, ari, their_ari, per_word]


def _label(trained: Trained) -> str:
    is_adagram = trained.variant.alpha is not None
    return trained.variant.label if is_adagram else f"Skip-gram {trained.model.config.dim}D"


def _per_word(parts: Floats) -> float:
    total, contexts = parts.sum(axis=0)
    return float(total / contexts)


def _differences(setup: Setup, models: list[Trained], parts: dict[str, Floats]) -> Table:
    """Compare all models with Skip-gram and with AdaGram of the best α, on the same pieces of text."""
    adagrams = [trained for trained in models if trained.variant.alpha is not None]
    others = [trained for trained in models if trained.variant == SKIPGRAM]
    others += sorted(adagrams, key=lambda trained: -_per_word(parts[trained.variant.key]))[:1]
    columns = ["model"]
    for other in others:
        columns += [f"minus {_label(other)}", f"95 %, minus {_label(other)}"]
    rows: list[list[Cell]] = []
    for trained in models:
        row: list[Cell] = [_label(trained)]
        for other in others:
            mine, base = parts[trained.variant.key], parts[other.variant.key]
            row += [_per_word(mine) - _per_word(base), _interval(mine, base, setup.settings.resamples)]
        rows.append(row)
    title = "Differences on text as it was trained on"
    return Table("differences", title, columns, rows, digits_of=dict.fromkeys(columns, 5))


def _interval(mine: Floats, base: Floats, resamples: int) -> str | None:
    """Bootstrap interval of the difference per context word, resampling pieces of text."""
    if mine is base or resamples == 0:
        return None
    gains, contexts = mine[:, 0] - base[:, 0], base[:, 1]
    low, high = interval(lambda at: float(gains[at].sum() / contexts[at].sum()), len(gains), resamples)
    return f"{low:.5f} to {high:.5f}"


def _panels(models: list[Trained], rows: list[list[Cell]]) -> list[Panel]:
    by_alpha = [
        (r.variant.alpha, row) for r, row in zip(models, rows, strict=True) if r.variant.alpha is not None
    ]
    single = [(row[0], row) for r, row in zip(models, rows, strict=True) if r.variant.alpha is None]
    alphas = [float(alpha) for alpha, _ in by_alpha]

    def likelihoods(place: int, title: str) -> Panel:
        curves = [Curve("AdaGram", alphas, [_number(row[place]) for _, row in by_alpha])]
        for label, row in single:
            level = _number(row[place])
            curves.append(Curve(str(label), alphas, [level] * len(alphas), is_level=True))
        return Panel(title, "α", "log-likelihood per context word", curves, log_x=True)

    panels = [likelihoods(1, "Held-out text")]
    if any(row[2] is not None for row in rows):
        panels.append(likelihoods(2, "Held-out text, subsampled"))
    if any(row[4] is not None for _, row in by_alpha):
        ours = Curve("AdaGram", alphas, [_number(row[4]) for _, row in by_alpha])
        theirs = Curve(
            "AdaGram in the paper", alphas, [_number(row[5]) for _, row in by_alpha], is_reference=True
        )
        panels.append(Panel("WWSI train", "α", "ARI", [ours, theirs], log_x=True))
    return panels


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else float("nan")


LIKELIHOOD = Experiment("likelihood", 'held-out log-likelihood under α (table "likelihood")', VARIANTS, run)
