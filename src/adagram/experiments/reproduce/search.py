"""Figure 2: search results, diversified by the senses of the query."""

from __future__ import annotations

from functools import partial

from adagram.evaluation.protocol import ContextRule
from adagram.evaluation.report import Evaluation
from adagram.evaluation.search import Points, Query, cluster_results, score_search
from adagram.experiments.reproduce.context import Experiment, Setup
from adagram.experiments.reproduce.figures import Curve, Panel, curves_figure
from adagram.experiments.reproduce.models import MPSG, MSSG, Trained, adagram, np_mssg
from adagram.experiments.reproduce.results import Cell, Figure, Result, Table

VARIANTS = (MSSG, np_mssg(0.7), MPSG, adagram(0.15))
POINTS = Points(
    recall_at=(1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40),
    precision_at=(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
)
SHOWN = [*(f"S-recall@{k}" for k in (5, 10, 20, 40)), *(f"S-precision@{r}" for r in (0.5, 0.6, 0.7, 0.8))]
ENGINE = "search engine's order"


def run(setup: Setup) -> Result:
    sets = setup.data.search()
    models = setup.trained(VARIANTS)
    tables, figures, remarks = [], [], []
    for name, all_queries in sets.items():
        setup.say(f"search results of {name}")
        queries, by_last_word = _usable(all_queries)
        reports = {
            trained.variant.label: _report(setup, trained, queries, by_last_word) for trained in models
        }
        answered = next(iter(reports.values())).scores[0].items
        tables.append(_table(name, answered, reports))
        place = tables[-1].name
        figures.append(Figure(place, name, partial(curves_figure, panels=_panels(name, reports))))
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


def _table(name: str, answered: int, reports: dict[str, Evaluation]) -> Table:
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


def _panels(name: str, reports: dict[str, Evaluation]) -> list[Panel]:
    any_report = next(iter(reports.values()))

    def curves(metric: str, at: tuple[float, ...]) -> list[Curve]:
        engine = [any_report.value(f"{metric}@{x}", "engine-order") for x in at]
        ours = [Curve(label, at, [r.value(f"{metric}@{x}") for x in at]) for label, r in reports.items()]
        return [*ours, Curve(ENGINE, at, engine, is_reference=True)]

    return [
        Panel(name, "K, results read", "subtopic recall@K", curves("S-recall", POINTS.recall_at)),
        Panel(name, "r, recall reached", "subtopic precision@r", curves("S-precision", POINTS.precision_at)),
    ]


SEARCH = Experiment("search", "search result diversification (figure 2)", VARIANTS, run)
