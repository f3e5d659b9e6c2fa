"""The experiments of the paper: its tasks, held-out likelihood, and the neighbours and number of senses under α."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import numpy as np

from adagram.evaluation.report import Evaluation, Resampling, interval
from adagram.evaluation.search import Points, cluster_results, score_search
from adagram.evaluation.similarity import AVG_SIM_C, score_scws
from adagram.evaluation.wsi import ContextRule
from adagram.experiments.reproduce.results import Cell, Figure, Result, Table
from adagram.experiments.reproduce.setup import (
    DEFAULT_WINDOW,
    PAPER,
    PARTS,
    TUNING_SET,
    WINDOWS,
    WSI_SETS,
    Models,
    Setup,
    Variant,
)
from adagram.model import Model
from adagram.model.neighbours import nearest
from adagram.model.predict import PART, Likelihood
from adagram.paper.schedule import thinned
from adagram.plots.figures import resolution_figure
from adagram.plots.style import COLOURS, MARKERS, new_figure, quiet_grid, styled
from adagram.types import Floats

WSI_METRICS = {"ARI": "Adjusted Rand index", "V-measure": "V-measure", "paired-F": "Paired F-score"}
DETAILS = ["system", "set", "window", "ARI", "low", "high", "words", "clusters", "gold senses", "coverage"]
Scored = dict[Variant, dict[tuple[str, str], Evaluation]]  # by (set, part of its words)


def run_wsi(setup: Setup, models: Models) -> Result:
    names = setup.data.wsi_names()
    windows = {variant: setup.window(variant) for variant in models}
    scored: Scored = {}
    for variant, chosen in windows.items():
        setup.say(f"word sense induction by {variant.label}")
        scored[variant] = {
            (name, part): setup.wsi(variant, name, _window(name, chosen), part)
            for name in names
            for part in (PARTS if name == TUNING_SET else PARTS[:1])
        }
    tables = [_wsi_table(metric, scored) for metric in WSI_METRICS]
    tables += [_windows(setup, windows), _details(scored, windows)]
    return Result("wsi", "Word sense induction (ARI, V-measure, F-score)", tables, remarks=_remarks(names))


def _window(name: str, chosen: int) -> int:
    return DEFAULT_WINDOW if name == "WWSI" else chosen


def _column(name: str, part: str) -> str:
    return {"WWSI": "WWSI train"}.get(name, name) + (f", {part}" if part != "all" else "")


def _wsi_table(metric: str, scored: Scored) -> Table:
    columns, rows = ["system"], []
    for variant, found in scored.items():
        theirs = PAPER["wsi"][metric].get(variant.in_paper, {})
        row: dict[str, Cell] = {"system": variant.label}
        for (name, part), report in found.items():
            row[_column(name, part)] = report.value(metric)
            if part == "all" and name != "Senseval":
                row[f"paper, {name}{' test' if name == 'WWSI' else ''}"] = theirs.get(name)
        columns = list(row)
        rows.append(list(row.values()))
    return Table(metric.lower(), WSI_METRICS[metric], columns, rows)


def _windows(setup: Setup, windows: dict[Variant, int]) -> Table:
    rows: list[list[Cell]] = []
    for variant, chosen in windows.items():
        found = setup.tuning(variant)
        rows.append([variant.label, *(found.get(w) for w in WINDOWS), chosen])
    columns = ["system", *(f"window {w}" for w in WINDOWS), "chosen"]
    title = f"Choice of the window: ARI on the first half of {TUNING_SET}'s words"
    return Table("windows", title, columns, rows)


def _details(scored: Scored, windows: dict[Variant, int]) -> Table:
    rows: list[list[Cell]] = []
    for variant, found in scored.items():
        for (name, part), report in found.items():
            score = report.score("ARI")
            more = [report.value(metric) for metric in ("clusters-per-word", "senses-per-word", "coverage")]
            head: list[Cell] = [variant.label, _column(name, part), _window(name, windows[variant])]
            rows.append([*head, score.value, score.low, score.high, score.items, *more])
    digits = {"clusters": 2, "gold senses": 2}
    return Table("details", "ARI with 95 % intervals over words", DETAILS, rows, digits_of=digits)


def _remarks(names: list[str]) -> list[str]:
    remarks = [
        f"WWSI is its training half (94 of 188 words), used to choose α; the paper's column is the other half. "
        f"Contexts there are {DEFAULT_WINDOW} words each side.",
        f"The window of each system is the best one on the alphabetically first half of {TUNING_SET}'s words, and used "
        "for all SemEval sets and Senseval; the second half was not used for any choice. The paper chose the "
        "window of each system on the data it reports.",
        "SemEval-2013 is task 13 made hard: each context's sense with the highest weight.",
        "ARI is the mean over words; V-measure and F are weighted by contexts, as in the SemEval-2010 scorer.",
        "The paper's NP-MSSG is the 50-dimensional one with 30,000 multi-sense words; MSSG, MPSG and AdaGram are "
        "300-dimensional.",
    ]
    missing = [name for name in WSI_SETS if name not in names]
    return remarks + ([f"Not available, so not run: {', '.join(missing)}."] if missing else [])


FUZZY_SET = "SemEval-2013"
SHARE = 0.1  # senses with at least this share of the best posterior are answered
FUZZY_METRICS = ("fuzzy-NMI", "fuzzy-B-cubed")


def run_fuzzy(setup: Setup, models: Models) -> Result:
    rows: list[list[Cell]] = []
    for variant in models:
        window = setup.window(variant)
        report = setup.fuzzy(variant, FUZZY_SET, window, SHARE)
        ours, theirs = (report.value(metric) for metric in FUZZY_METRICS), _theirs("fuzzy", variant)
        more = [report.value("senses-per-answer"), report.value("coverage")]
        rows.append([variant.label, window, *chain(*zip(ours, theirs, strict=True)), *more])
    columns = ["system", "window", "fuzzy NMI", "paper's NMI", "fuzzy B-cubed", "paper's B-cubed"]
    table = Table("fuzzy", "Graded senses", [*columns, "senses per answer", "coverage"], rows)
    remarks = [
        f"A system answers with every sense whose posterior is at least {SHARE:g} of the best one's; MSSG and NP-MSSG "
        "have no posterior and answer with the nearest sense alone.",
        f"Windows as chosen on the first half of {TUNING_SET}'s words.",
        "One sense for all contexts of a word scores B-cubed 0.623 with NMI 0: the two must be read together.",
    ]
    return Result("fuzzy", "Graded word sense induction (SemEval-2013 task 13)", [table], remarks=remarks)


def _theirs(table: str, variant: Variant) -> Sequence[float | None]:
    """Return the paper's two values."""
    values: Sequence[float | None] = PAPER[table].get(variant.in_paper, (None, None))
    return values


POINTS = Points(
    recall_at=(1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40), precision_at=(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
)
SHOWN = [*(f"S-recall@{k}" for k in (5, 10, 20, 40)), *(f"S-precision@{r}" for r in (0.5, 0.6, 0.7, 0.8))]
ENGINE = "search engine's order"


def run_search(setup: Setup, models: Models) -> Result:
    tables, figures, remarks = [], [], []
    for name, queries in setup.data.search().items():
        setup.say(f"search results of {name}")
        usable = [query for query in queries if len(query.text.split()) == 1]
        by_last_word = not usable
        reports = {}
        for variant, model in models.items():
            clusters = cluster_results(model, usable or queries, ContextRule(), by_last_word)
            reports[variant.label] = score_search(usable or queries, clusters, setup.how, POINTS)
        answered = next(iter(reports.values())).scores[0].items
        tables.append(_search_table(name, answered, reports))
        figures.append(Figure(tables[-1].name, name, _search_figure(name, reports)))
        remark = f"{name}: {answered} of {len(queries)} queries"
        if by_last_word:
            remark += "; all have several words, so the senses of the last one were taken (not in the paper)"
        remarks.append(remark + ".")
    remarks.append(
        "Single-word queries only, as in the paper, whose curves are printed without numbers. Clusters are the senses; "
        "results are taken from them in turn, clusters in the order of their first result."
    )
    return Result("search", "Search result diversification (the paper's figure 2)", tables, figures, remarks)


def _search_table(name: str, answered: int, reports: dict[str, Evaluation]) -> Table:
    engine = next(iter(reports.values()))
    rows: list[list[Cell]] = [[ENGINE, *(engine.value(m, "engine-order") for m in SHOWN), None, None, None]]
    for label, report in reports.items():
        rows.append([label, *(report.value(m) for m in (*SHOWN, "ARI", "F1", "clusters-per-query"))])
    columns = ["system", *SHOWN, "ARI", "F1", "clusters"]
    file = name.lower().replace(" ", "-")
    return Table(file, f"{name}, {answered} queries", columns, rows, digits_of={"clusters": 1})


def _search_figure(name: str, reports: dict[str, Evaluation]) -> Any:
    """Draw recall at K and precision at r of all systems and of the search engine's order."""
    panels = (
        ("S-recall", POINTS.recall_at, "K, results read", "subtopic recall@K"),
        ("S-precision", POINTS.precision_at, "r, recall reached", "subtopic precision@r"),
    )
    with styled():
        figure = new_figure(9.2, 4.2)
        for axes, (metric, at, x_label, y_label) in zip(figure.subplots(1, 2), panels, strict=True):
            for i, (label, report) in enumerate(reports.items()):
                look = {"color": COLOURS[i], "marker": MARKERS[i], "markersize": 4.5, "linewidth": 1.5}
                axes.plot(at, [report.value(f"{metric}@{x}") for x in at], label=label, **look)
            engine = [report.value(f"{metric}@{x}", "engine-order") for x in at]
            axes.plot(at, engine, label=ENGINE, color="#767676", linestyle="--", linewidth=1.5)
            axes.set(title=name, xlabel=x_label, ylabel=y_label)
            quiet_grid(axes)
        columns = min(len(reports) + 1, 5)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False)
    return figure


SCWS_WINDOWS = (2, 5)  # the paper takes the four nearest words; ours is five each side elsewhere
SCWS_METRICS = ("AvgSimC", "MaxSimC")


def run_scws(setup: Setup, models: Models) -> Result:
    rows: list[list[Cell]] = []
    for variant, model in models.items():
        setup.say(f"SCWS by {variant.label}")
        narrow = score_scws(model, setup.data.scws, ContextRule(SCWS_WINDOWS[0]), setup.how)
        wide = score_scws(model, setup.data.scws, ContextRule(SCWS_WINDOWS[1]), Resampling(0))
        row: list[Cell] = [variant.label]
        for metric, paper in zip(SCWS_METRICS, _theirs("scws", variant), strict=True):
            row += [narrow.value(metric), wide.value(metric), paper]
        more = [narrow.value(metric) for metric in ("AvgSimC/K1K2", "globalSim")]
        rows.append([*row, *more, round(narrow.value("coverage"), 4)])
    names = [[m, f"{m}, window {SCWS_WINDOWS[1]}", f"paper's {m}"] for m in SCWS_METRICS]
    columns = ["system", *chain(*names), "AvgSimC/K1K2", "globalSim", "coverage"]
    table = Table("scws", "Spearman's ρ × 100", columns, rows, digits=1, digits_of={"coverage": 3})
    remarks = [
        f"Contexts of {SCWS_WINDOWS[0]} words each side (the paper: the 4 nearest words), and of "
        f"{SCWS_WINDOWS[1]} beside it.",
        f"{AVG_SIM_C}. The paper prints one column, and gives the formula with the division; ours that is beside it "
        "does not divide, since p(k | w, C) already weighs the senses and a word should not seem less similar for "
        "having more of them.",
        "The paper's Skip-gram with negative sampling has dim 900 and three epochs; its MSSG and MPSG values are "
        "those of their authors.",
    ]
    return Result("scws", "Contextual word similarity (SCWS)", [table], remarks=remarks)


WHOLE, THIN, ARI = "log-likelihood", "of subsampled text", "ARI, WWSI train"
LIKELIHOOD_COLUMNS = ["model", WHOLE, THIN, "paper's log-likelihood", ARI, "paper's ARI", "senses per word"]


class HeldOut(NamedTuple):
    """A model on held-out text."""

    label: str
    alpha: float | None  # None: Skip-gram
    found: Likelihood  # of text as it was trained on
    row: list[Cell]


def run_likelihood(setup: Setup, models: Models) -> Result:
    base, whole = setup.settings.base, setup.heldout
    thin = thinned(whole, np.asarray(setup.corpus.vocabulary.counts), base.subsample)
    texts = [whole, thin] if len(thin) < len(whole) else [whole]
    found = []
    for variant, model in models.items():
        setup.say(f"likelihood under {variant.label}")
        likelihoods = [model.predictor.likelihood(text) for text in texts]
        ari = None
        if variant.alpha is not None and setup.data.has(WSI_SETS["WWSI"]):
            ari = setup.wsi(variant, "WWSI", DEFAULT_WINDOW).value("ARI")
        label = f"Skip-gram {model.config.dim}D" if variant.alpha is None else variant.label
        theirs = _theirs("likelihood", variant)
        values: list[Cell] = [likelihood.per_word for likelihood in likelihoods]
        values += [None] * (2 - len(values))
        row = [label, *values, theirs[0], ari, theirs[1], model.n_senses / len(model.vocabulary)]
        found.append(HeldOut(label, variant.alpha, likelihoods[-1], row))
    remarks = [
        f"Held-out text of {len(whole) / 1e6:.2f} M words in the vocabulary; nats per context word, Eq. (9), "
        f"window {base.window}. The paper's text is another one, so only the differences between "
        "models can be compared.",
        f"Intervals of differences resample pieces of {PART:,} words; they do not cover what another seed changes.",
        f"ARI with {DEFAULT_WINDOW} words each side. WWSI train is development data: α is chosen on it.",
    ]
    if len(texts) > 1:
        remarks.append(
            "Subsampled text: frequent words of the held-out text dropped at the rate of training "
            f"({len(thin) / 1e6:.2f} M words stay), as in training."
        )
    rows = [model.row for model in found]
    digits = {WHOLE: 4, THIN: 4}  # models differ by less than 0.001
    table = Table("likelihood", "Held-out log-likelihood", LIKELIHOOD_COLUMNS, rows, digits_of=digits)
    title = 'Predictive likelihood (the paper\'s table "likelihood")'
    differences = _differences(found, setup.settings.resamples)
    return Result("likelihood", title, [table, differences], remarks=remarks)


def _differences(models: list[HeldOut], resamples: int) -> Table:
    """Compare all models with Skip-gram and with AdaGram of the best α, on the same pieces of text."""
    best = max((m for m in models if m.alpha is not None), key=lambda model: model.found.per_word, default=None)
    others = [m for m in models if m is best or m is models[0]]
    columns = ["model"]
    for other in others:
        columns += [f"minus {other.label}", f"95 %, minus {other.label}"]
    rows: list[list[Cell]] = []
    for model in models:
        row: list[Cell] = [model.label]
        for other in others:
            difference = model.found.per_word - other.found.per_word
            row += [difference, _interval(model.found.parts, other.found.parts, resamples)]
        rows.append(row)
    title = "Differences on text as it was trained on"
    return Table("differences", title, columns, rows, digits=5)


def _interval(mine: Floats, base: Floats, resamples: int) -> str | None:
    """Bootstrap interval of the difference per context word, resampling pieces of text."""
    if mine is base or resamples == 0:
        return None
    gains, contexts = mine[:, 0] - base[:, 0], base[:, 1]
    low, high = interval(lambda at: float(gains[at].sum() / contexts[at].sum()), len(gains), resamples)
    return f"{low:.5f} to {high:.5f}"


SHOWN_NEIGHBOURS = 5  # of a sense
MIN_PRIOR = 0.01  # senses below it are counted, not shown
MIN_COUNT = 50.0  # rarer neighbours are left out
Senses = list[tuple[float, str]]  # prior and nearest neighbours of each
SENSE_COLUMNS = ["word", "model", "p(z)", "nearest neighbours", "paper p(z)", "paper's nearest neighbours"]
SENSE_REMARKS = [
    f"Senses with a prior of at least {MIN_PRIOR:g}, in stick order; rows are not matched with the paper's.",
    f"Neighbours are senses of other words with an expected count of at least {MIN_COUNT:g}, by the cosine of "
    "the learned vectors.",
]


def run_nn(setup: Setup, models: Models) -> Result:
    (variant,) = models
    theirs = {word: {variant.key: senses} for word, senses in PAPER["neighbours"].items()}
    rows = [[word, *cells] for word, _, *cells in _compared(models, theirs)]
    title = f"Nearest neighbours of the senses, {variant.label}"
    table = Table("nn", title, [SENSE_COLUMNS[0], *SENSE_COLUMNS[2:]], rows, digits=2)
    return Result("nn", 'Nearest neighbours of senses (the paper\'s table "NN")', [table], remarks=SENSE_REMARKS)


def run_resolution(setup: Setup, models: Models) -> Result:
    rows = _compared(models, PAPER["resolution"])
    table = Table("resolution", 'Senses of "light" and "core"', SENSE_COLUMNS, rows, digits=2)
    title = 'Semantic resolution under α (the paper\'s table "resolution")'
    return Result("resolution", title, [table], remarks=SENSE_REMARKS)


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
    found = nearest(model, rows, SHOWN_NEIGHBOURS, MIN_COUNT, learned=True)
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
        [_summary(named)],
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
