"""The tasks of the paper: word sense induction, graded senses, search results, SCWS and held-out likelihood."""

from __future__ import annotations

from functools import partial

import numpy as np

from adagram.evaluation.protocol import ContextRule
from adagram.evaluation.report import Evaluation, Resampling, Score, interval
from adagram.evaluation.search import Points, Query, cluster_results, score_search
from adagram.evaluation.similarity import AVG_SIM_C, score_scws
from adagram.experiments.reproduce.models import (
    MPSG,
    MSSG,
    NP_MSSGS,
    SKIPGRAM,
    SKIPGRAM_2D,
    SKIPGRAM_NS,
    Trained,
    adagram,
    np_mssg,
)
from adagram.experiments.reproduce.results import (
    Cell,
    Curve,
    Dot,
    Figure,
    Panel,
    Result,
    Table,
    curves_figure,
    dots_figure,
)
from adagram.experiments.reproduce.setup import (
    DEFAULT_WINDOW,
    PAPER,
    PARTS,
    TUNING_SET,
    WINDOWS,
    WSI_SETS,
    Experiment,
    Setup,
)
from adagram.model.predict import PART
from adagram.paper.schedule import thinned
from adagram.types import Floats

WSI_VARIANTS = (MSSG, *NP_MSSGS, MPSG, *(adagram(alpha) for alpha in (0.05, 0.1, 0.15, 0.2, 0.25, 0.5)))
WSI_METRICS = {"ARI": "Adjusted Rand index", "V-measure": "V-measure", "paired-F": "Paired F-score"}
Scored = dict[str, dict[tuple[str, str], Evaluation]]  # variant -> (set, part) -> scores


def run_wsi(setup: Setup) -> Result:
    models = setup.trained(WSI_VARIANTS)
    names = setup.data.wsi_names()
    windows = {trained.variant.key: setup.scores.window(trained) for trained in models}
    scored: Scored = {}
    for trained in models:
        setup.say(f"word sense induction by {trained.variant.label}")
        scored[trained.variant.key] = {
            (name, part): setup.scores.wsi(trained, name, _window(name, windows[trained.variant.key]), part)
            for name in names
            for part in (PARTS if name == TUNING_SET else PARTS[:1])
        }
    tables = [_wsi_table(metric, models, scored) for metric in WSI_METRICS]
    tables += [_windows(setup, models), _details(models, scored, windows)]
    draw = partial(dots_figure, panels=_wsi_panels(models, names, scored), x_label="ARI")
    figure = Figure("ari", "ARI of all systems", draw)
    return Result("wsi", "Word sense induction (ARI, V-measure, F-score)", tables, [figure], _remarks(names))


def _window(name: str, chosen: int) -> int:
    return DEFAULT_WINDOW if name == "WWSI" else chosen


def _wsi_table(metric: str, models: list[Trained], scored: Scored) -> Table:
    columns = ["system"]
    places = list(next(iter(scored.values())))
    for name, part in places:
        columns.append(_column(name, part))
        if part == "all" and name != "Senseval":
            columns.append(f"paper, {name}{' test' if name == 'WWSI' else ''}")
    rows: list[list[Cell]] = []
    for trained in models:
        theirs = PAPER["wsi"][metric].get(trained.variant.in_paper, {})
        row: list[Cell] = [trained.variant.label]
        for name, part in places:
            row.append(scored[trained.variant.key][name, part].value(metric))
            if part == "all" and name != "Senseval":
                row.append(theirs.get(name))
        rows.append(row)
    return Table(metric.lower(), WSI_METRICS[metric], columns, rows)


def _column(name: str, part: str) -> str:
    return {"WWSI": "WWSI train"}.get(name, name) + (f", {part}" if part != "all" else "")


def _windows(setup: Setup, models: list[Trained]) -> Table:
    rows: list[list[Cell]] = []
    for trained in models:
        found = setup.scores.tuning(trained)
        rows.append([trained.variant.label, *(found.get(w) for w in WINDOWS), setup.scores.window(trained)])
    columns = ["system", *(f"window {w}" for w in WINDOWS), "chosen"]
    title = f"Choice of the window: ARI on the first half of {TUNING_SET}'s words"
    return Table("windows", title, columns, rows)


def _details(models: list[Trained], scored: Scored, windows: dict[str, int]) -> Table:
    more = ("clusters-per-word", "senses-per-word", "coverage")
    rows: list[list[Cell]] = []
    for trained in models:
        for (name, part), report in scored[trained.variant.key].items():
            score = _score(report, "ARI")
            window = _window(name, windows[trained.variant.key])
            row: list[Cell] = [trained.variant.label, _column(name, part), window]
            row += [score.value, score.low, score.high, score.items]
            rows.append([*row, *(report.value(metric) for metric in more)])
    columns = [
        "system",
        "set",
        "window",
        "ARI",
        "low",
        "high",
        "words",
        "clusters",
        "gold senses",
        "coverage",
    ]
    digits = {"clusters": 2, "gold senses": 2}
    return Table("details", "ARI with 95 % intervals over words", columns, rows, digits_of=digits)


def _wsi_panels(models: list[Trained], names: list[str], scored: Scored) -> dict[str, list[Dot]]:
    def dot(trained: Trained, name: str) -> Dot:
        score = _score(scored[trained.variant.key][name, "all"], "ARI")
        theirs = PAPER["wsi"]["ARI"].get(trained.variant.in_paper, {}).get(name)
        return Dot(trained.variant.label, score.value, score.low, score.high, theirs)

    return {_column(name, "all"): [dot(trained, name) for trained in models] for name in names}


def _score(report: Evaluation, metric: str) -> Score:
    return next(s for s in report.scores if (s.metric, s.subset) == (metric, "all"))


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
    if missing:
        remarks.append(f"Not available, so not run: {', '.join(missing)}.")
    return remarks


WSI = Experiment("wsi", "word sense induction: ARI, V-measure, F-score (three tables)", WSI_VARIANTS, run_wsi)


FUZZY_VARIANTS = (MSSG, *NP_MSSGS, MPSG, *(adagram(alpha) for alpha in (0.1, 0.15, 0.2)))
FUZZY_SET = "SemEval-2013"
SHARE = 0.1  # senses with at least this share of the best posterior are answered
FUZZY_METRICS = ("fuzzy-NMI", "fuzzy-B-cubed")


def run_fuzzy(setup: Setup) -> Result:
    rows: list[list[Cell]] = []
    panels: dict[str, list[Dot]] = {metric: [] for metric in FUZZY_METRICS}
    setup.data.wsi(FUZZY_SET)  # fail before any model is trained
    for trained in setup.trained(FUZZY_VARIANTS):
        window = setup.scores.window(trained)
        report = setup.scores.fuzzy(trained, FUZZY_SET, window, SHARE)
        theirs = PAPER["fuzzy"].get(trained.variant.in_paper, (None, None))
        row: list[Cell] = [trained.variant.label, window]
        for metric, value in zip(FUZZY_METRICS, theirs, strict=True):
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


FUZZY = Experiment("fuzzy", "graded senses of SemEval-2013 task 13", FUZZY_VARIANTS, run_fuzzy)


SEARCH_VARIANTS = (MSSG, np_mssg(0.7), MPSG, adagram(0.15))
POINTS = Points(
    recall_at=(1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40),
    precision_at=(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
)
SHOWN = [*(f"S-recall@{k}" for k in (5, 10, 20, 40)), *(f"S-precision@{r}" for r in (0.5, 0.6, 0.7, 0.8))]
ENGINE = "search engine's order"


def run_search(setup: Setup) -> Result:
    sets = setup.data.search()
    models = setup.trained(SEARCH_VARIANTS)
    tables, figures, remarks = [], [], []
    for name, all_queries in sets.items():
        setup.say(f"search results of {name}")
        queries, by_last_word = _usable(all_queries)
        reports = {
            trained.variant.label: _report(setup, trained, queries, by_last_word) for trained in models
        }
        answered = next(iter(reports.values())).scores[0].items
        tables.append(_search_table(name, answered, reports))
        place = tables[-1].name
        figures.append(Figure(place, name, partial(curves_figure, panels=_search_panels(name, reports))))
        remark = f"{name}: {answered} of {len(all_queries)} queries"
        if by_last_word:
            remark += "; all have several words, so the senses of the last one were taken (not in the paper)"
        remarks.append(remark + ".")
    remarks.append(
        "Single-word queries only, as in the paper, whose curves are printed without numbers. Clusters are the senses; "
        "results are taken from them in turn, clusters in the order of their first result."
    )
    return Result("search", "Search result diversification (the paper's figure 2)", tables, figures, remarks)


def _usable(queries: list[Query]) -> tuple[list[Query], bool]:
    """Single-word queries, or all of them where there is none."""
    single = [query for query in queries if len(query.text.split()) == 1]
    return (single, False) if single else (queries, True)


def _report(setup: Setup, trained: Trained, queries: list[Query], by_last_word: bool) -> Evaluation:
    clusters = cluster_results(trained.model, queries, ContextRule(), by_last_word)
    return score_search(queries, clusters, setup.how, POINTS)


def _search_table(name: str, answered: int, reports: dict[str, Evaluation]) -> Table:
    columns = ["system", *SHOWN, "ARI", "F1", "clusters"]
    engine = next(iter(reports.values()))
    none: list[Cell] = [None, None, None]
    rows: list[list[Cell]] = [[ENGINE, *(engine.value(metric, "engine-order") for metric in SHOWN), *none]]
    for label, report in reports.items():
        others = [report.value(metric) for metric in ("ARI", "F1", "clusters-per-query")]
        rows.append([label, *(report.value(metric) for metric in SHOWN), *others])
    title = f"{name}, {answered} queries"
    file = name.lower().replace(" ", "-")
    return Table(file, title, columns, rows, digits_of={"clusters": 1})


def _search_panels(name: str, reports: dict[str, Evaluation]) -> list[Panel]:
    any_report = next(iter(reports.values()))

    def curves(metric: str, at: tuple[float, ...]) -> list[Curve]:
        engine = [any_report.value(f"{metric}@{x}", "engine-order") for x in at]
        ours = [Curve(label, at, [r.value(f"{metric}@{x}") for x in at]) for label, r in reports.items()]
        return [*ours, Curve(ENGINE, at, engine, is_reference=True)]

    return [
        Panel(name, "K, results read", "subtopic recall@K", curves("S-recall", POINTS.recall_at)),
        Panel(name, "r, recall reached", "subtopic precision@r", curves("S-precision", POINTS.precision_at)),
    ]


SEARCH = Experiment("search", "search result diversification (figure 2)", SEARCH_VARIANTS, run_search)


SCWS_VARIANTS = (MSSG, *NP_MSSGS, MPSG, SKIPGRAM, SKIPGRAM_NS, adagram(0.1), adagram(0.15))
SCWS_WINDOWS = (2, 5)  # the paper takes the four nearest words; ours is five each side elsewhere
SCWS_METRICS = ("AvgSimC", "MaxSimC")


def run_scws(setup: Setup) -> Result:
    pairs = setup.data.scws
    rows: list[list[Cell]] = []
    panels: dict[str, list[Dot]] = {metric: [] for metric in SCWS_METRICS}
    for trained in setup.trained(SCWS_VARIANTS):
        setup.say(f"SCWS by {trained.variant.label}")
        narrow = score_scws(trained.model, pairs, ContextRule(SCWS_WINDOWS[0]), setup.how)
        wide = score_scws(trained.model, pairs, ContextRule(SCWS_WINDOWS[1]), Resampling(0))
        theirs = PAPER["scws"].get(trained.variant.in_paper, (None, None))
        row: list[Cell] = [trained.variant.label]
        for metric, value in zip(SCWS_METRICS, theirs, strict=True):
            score = next(s for s in narrow.scores if s.metric == metric)
            panels[metric].append(Dot(trained.variant.label, score.value, score.low, score.high, value))
            row += [score.value, wide.value(metric), value]
        divided = narrow.value("AvgSimC/K1K2")
        rows.append([*row, divided, narrow.value("globalSim"), round(narrow.value("coverage"), 4)])
    columns = ["system"]
    for metric in SCWS_METRICS:
        columns += [metric, f"{metric}, window {SCWS_WINDOWS[1]}", f"paper's {metric}"]
    columns += ["AvgSimC/K1K2", "globalSim", "coverage"]
    table = Table("scws", "Spearman's ρ × 100", columns, rows, digits=1, digits_of={"coverage": 3})
    figure = Figure("scws", "SCWS", partial(dots_figure, panels=panels, x_label="Spearman's ρ × 100"))
    remarks = [
        f"Contexts of {SCWS_WINDOWS[0]} words each side (the paper: the 4 nearest words), and of "
        f"{SCWS_WINDOWS[1]} beside it.",
        f"{AVG_SIM_C}. The paper prints one column, and gives the formula with the division; ours that is beside it "
        "does not divide, since p(k | w, C) already weighs the senses and a word should not seem less similar for "
        "having more of them.",
        "The paper's Skip-gram with negative sampling has dim 900 and three epochs; its MSSG and MPSG values are "
        "those of their authors.",
    ]
    return Result("scws", "Contextual word similarity (SCWS)", [table], [figure], remarks)


SCWS = Experiment("scws", "contextual word similarity", SCWS_VARIANTS, run_scws)


# The paper goes to 0.5; with less text the best α is larger, and 16 is clearly too much.
ALPHAS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1.0, 4.0, 16.0)
LIKELIHOOD_VARIANTS = (SKIPGRAM, SKIPGRAM_2D, *(adagram(alpha) for alpha in ALPHAS))
LIKELIHOOD_COLUMNS = [
    "model",
    "log-likelihood",
    "of subsampled text",
    "paper's log-likelihood",
    "ARI, WWSI train",
]
LIKELIHOOD_COLUMNS += ["paper's ARI", "senses per word"]


def run_likelihood(setup: Setup) -> Result:
    models = setup.trained(LIKELIHOOD_VARIANTS)
    whole = setup.heldout
    thin = thinned(whole, np.asarray(setup.models.corpus.vocabulary.counts), setup.settings.base.subsample)
    parts_of = {}  # by variant: of the whole text and, if training subsamples, of the subsampled one
    for trained in models:
        setup.say(f"likelihood under {trained.variant.label}")
        texts = [whole, thin] if len(thin) < len(whole) else [whole]
        parts_of[trained.variant.key] = [setup.likelihood(trained, text) for text in texts]
    rows = [_likelihood_row(setup, trained, parts_of[trained.variant.key]) for trained in models]
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
    table = Table("likelihood", "Held-out log-likelihood", LIKELIHOOD_COLUMNS, rows, digits_of=digits)
    as_trained = {key: parts[-1] for key, parts in parts_of.items()}
    figures = [
        Figure(
            "likelihood",
            "Likelihood and ARI under α",
            partial(curves_figure, panels=_likelihood_panels(models, rows)),
        )
    ]
    title = 'Predictive likelihood (the paper\'s table "likelihood")'
    return Result("likelihood", title, [table, _differences(setup, models, as_trained)], figures, remarks)


def _likelihood_row(setup: Setup, trained: Trained, parts: list[Floats]) -> list[Cell]:
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


def _likelihood_panels(models: list[Trained], rows: list[list[Cell]]) -> list[Panel]:
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


LIKELIHOOD = Experiment(
    "likelihood", 'held-out log-likelihood under α (table "likelihood")', LIKELIHOOD_VARIANTS, run_likelihood
)
