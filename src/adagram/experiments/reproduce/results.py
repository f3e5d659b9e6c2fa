"""Tables and figures of an experiment, written as Markdown, CSV and PNG in a folder of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adagram.files.atomic import write_text
from adagram.plots import save
from adagram.plots.style import COLOURS, MARKERS, new_figure, quiet_grid, styled

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows under column names; floats are shown with `digits` decimals."""

    name: str  # of its CSV file
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 3
    digits_of: dict[str, int] = field(default_factory=dict)  # columns that differ

    def markdown(self) -> str:
        """Format the table in Markdown, missing values as a dash.

        >>> print(Table("t", "Scores", ["system", "ARI"], [["a", 0.25], ["b", None]]).markdown())
        | system | ARI |
        |---|---|
        | a | 0.250 |
        | b | – |
        """
        lines = [_line(self.columns), "|" + "---|" * len(self.columns)]
        for row in self.rows:
            lines.append(_line([self._shown(*at) for at in zip(self.columns, row, strict=True)]))
        return "\n".join(lines)

    def csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def tsv(self) -> str:
        rows = [
            [self._shown(c, cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.rows
        ]
        return "".join("\t".join(row) + "\n" for row in [list(self.columns), *rows])

    def records(self) -> list[dict[str, Cell]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _shown(self, column: str, cell: Cell) -> str:
        if cell is None:
            return "–"
        if isinstance(cell, float):
            return f"{cell:.{self.digits_of.get(column, self.digits)}f}"
        return str(cell)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn when it is written."""

    name: str
    caption: str
    draw: Callable[[], Any]  # returns a matplotlib figure


@dataclass(frozen=True)
class Result:
    name: str
    title: str
    tables: Sequence[Table]
    figures: Sequence[Figure] = ()
    remarks: Sequence[str] = field(
        default_factory=list
    )  # protocol, what differs from the paper, what is missing

    def markdown(self, conditions: str, warning: str = "") -> str:
        parts = [f"# {self.title}", *([f"**{warning}**"] if warning else []), conditions]
        parts += [f"![{figure.caption}]({figure.name}.png)\n\n*{figure.caption}*" for figure in self.figures]
        parts += [f"## {table.title}\n\n{table.markdown()}" for table in self.tables]
        if self.remarks:
            parts.append("\n".join(f"* {remark}" for remark in self.remarks))
        return "\n\n".join(parts) + "\n"

    def write(self, folder: Path, conditions: str, warning: str = "") -> None:
        """Write all files of the experiment, each atomically."""
        folder.mkdir(parents=True, exist_ok=True)
        for figure in self.figures:
            save(figure.draw(), folder / f"{figure.name}.png", overwrite=True)
        for table in self.tables:
            write_text(folder / f"{table.name}.csv", table.csv(), overwrite=True)
        write_text(folder / f"{self.name}.md", self.markdown(conditions, warning), overwrite=True)


GREY = "#767676"
DARK = frozenset({"#0072b2", "#d55e00", "#009e73", "#8a8000", "#4d4d4d"})  # white text is readable on these


@dataclass(frozen=True)
class Curve:
    label: str
    x: Sequence[float]
    y: Sequence[float]
    is_reference: bool = False  # drawn grey and dashed
    is_level: bool = False  # a value that does not depend on x


@dataclass(frozen=True)
class Panel:
    """One pair of axes of curves."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log_x: bool = False


@dataclass(frozen=True)
class Dot:
    """A score with its interval, and the paper's beside it."""

    label: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    paper: float | None = None


def curves_figure(panels: Sequence[Panel]) -> Any:
    """Panels side by side with one legend."""
    with styled():
        figure = new_figure(4.6 * len(panels), 4.2)
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for ax, panel in zip(axes, panels, strict=True):
            _draw_curves(ax, panel.curves)
            ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
            quiet_grid(ax)
            if panel.log_x:
                _plain_log_axis(ax, panel)
        handles = {label: h for ax in axes for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        columns = min(len(handles), 5)
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _draw_curves(ax: Any, curves: Sequence[Curve]) -> None:
    for number, curve in enumerate(curves):
        look: dict[str, Any] = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4.5}
        if curve.is_level:
            look = {"color": COLOURS[number], "linestyle": ":" if number % 2 else "-."}
        if curve.is_reference:
            look = {"color": GREY, "linestyle": "--"}
        ax.plot(curve.x, curve.y, label=curve.label, linewidth=1.5, **look)


def _plain_log_axis(ax: Any, panel: Panel) -> None:
    ax.set_xscale("log")
    ticks = _apart(sorted({x for curve in panel.curves for x in curve.x}))
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()


def _apart(values: Sequence[float], room: float = 0.09) -> list[float]:
    """Return the values at least `room` of a logarithmic axis apart, so that tick labels do not overlap.

    >>> _apart([0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1, 4, 16])
    [0.05, 0.1, 0.2, 0.5, 1, 4, 16]
    """
    gap = (values[-1] / values[0]) ** room
    kept = [values[0]]
    for value in values[1:]:
        if value > kept[-1] * gap:
            kept.append(value)
    return kept


def dots_figure(panels: Mapping[str, Sequence[Dot]], x_label: str) -> Any:
    """A panel per set, a row per system; the interval as a line, the paper's value as an open diamond."""
    rows = max(len(dots) for dots in panels.values())
    with styled():
        figure = new_figure(2.0 + 2.6 * len(panels), 1.5 + 0.34 * rows)
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for ax, (title, dots) in zip(axes, panels.items(), strict=True):
            for y, dot in enumerate(dots):
                colour = COLOURS[1] if dot.label.startswith("AdaGram") else COLOURS[0]
                ax.plot([dot.low, dot.high], [y, y], color=colour, linewidth=2, alpha=0.5)
                ax.plot(dot.value, y, "o", color=colour, markersize=6)
                if dot.paper is not None:
                    ax.plot(dot.paper, y, "D", markerfacecolor="none", markeredgecolor="black", markersize=6)
            ax.set(title=title, xlabel=x_label)
            ax.set_yticks(range(len(dots)), [dot.label for dot in dots])
            ax.set_ylim(len(dots) - 0.5, -0.5)
            quiet_grid(ax)
        figure.legend(handles=_dot_legend(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def _dot_legend() -> list[Any]:
    from matplotlib.lines import Line2D

    def handle(label: str, **look: Any) -> Any:
        return Line2D([], [], linestyle="none", label=label, **look)

    return [
        handle("AdaGram (line: 95 % interval)", marker="o", color=COLOURS[1]),
        handle("other systems", marker="o", color=COLOURS[0]),
        handle("the paper's value", marker="D", markerfacecolor="none", markeredgecolor="black"),
    ]


def sense_bars_figure(bars: Sequence[tuple[str, Sequence[tuple[float, str]]]]) -> Any:
    """A bar per word, cut by the priors of its senses; each part is named by its nearest neighbour."""
    with styled():
        figure = new_figure(9.0, 0.8 + 0.46 * len(bars))
        ax = figure.subplots()
        for y, (_, senses) in enumerate(bars):
            left = 0.0
            for number, (prior, neighbours) in enumerate(senses):
                colour = COLOURS[number % len(COLOURS)]
                ax.barh(y, prior, left=left, color=colour, edgecolor="white", height=0.78)
                name = neighbours.split(",")[0]
                if prior > 0.013 * len(name) + 0.01:  # there is room for it
                    ink = "white" if colour in DARK else "black"
                    ax.text(left + prior / 2, y, name, color=ink, ha="center", va="center", fontsize=9)
                left += prior
        ax.set_yticks(range(len(bars)), [label for label, _ in bars])
        ax.set(xlim=(0, 1), ylim=(len(bars) - 0.5, -0.5))
        ax.set_xlabel("prior of the sense; each named by its nearest neighbour")
    return figure
